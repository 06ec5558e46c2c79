// Input that nobody has prepared for.

import { expect, freshTest, test } from "../scope";

freshTest("HTML in the input stays text", async ({ page, scope }) => {
  await scope.openLive();
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await scope.translate('<img src="x" onerror="alert(1)"><b>Je suis</b>');
  await expect(scope.tokens).toContainText("<");
  await scope.becomesLive();
  await expect(page.locator("main img, main b")).toHaveCount(0);
  await page.reload();
  await scope.becomesLive();
  await expect(page.locator("main img, main b")).toHaveCount(0);
  expect(dialogs).toEqual([]);
});

test("an empty input is answered in words, and what was on screen stays", async ({ scope }) => {
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  for (const nothing of ["", "   "]) {
    await scope.translate(nothing);
    await expect(scope.problem).toContainText("Type a sentence first");
    await expect(scope.translation).toHaveText(before);
    // A hint: there is nothing to report.
    await expect(scope.problem).toHaveRole("status");
    await expect(scope.problem.getByTestId("report")).toHaveCount(0);
  }
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await expect(scope.problem).toBeHidden();
});

test("2,000 characters are too many, and the message says how many too many", async ({ scope }) => {
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  await scope.translate("je ne sais pas ".repeat(135));
  // It scrolls in its field, which takes nothing from the map.
  expect((await scope.text.boundingBox())?.height).toBeLessThan(150);
  await expect(scope.problem).toHaveText(/That is \d+ tokens, and this model takes \d+/);
  await expect(scope.translation).toHaveText(before);
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await expect(scope.problem).toBeHidden();
});

freshTest("what is pasted and has too much is refused before it is in the box", async ({ context, page, scope }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await scope.openLive();
  // What comes into the box is laid out, which takes seconds; `beforeinput` comes before that, `input` after it.
  await page.evaluate(() =>
    document.querySelector("[data-testid=input]")!.addEventListener("input", () => (document.title = "in the box")),
  );
  for (const [text, words] of [
    [`a${"\u0301".repeat(15_000)}`, "carries 15,000 marks"],
    ["mot ".repeat(50_000), "has 200,000 characters"],
  ] as const) {
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await scope.text.focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("ControlOrMeta+V");
    await expect(page.getByTestId("text-too-much")).toContainText(words);
    await expect(scope.text).toHaveValue("Je suis étudiant");
  }
  expect(await page.title()).not.toBe("in the box");
});

test("characters without a token are marked and explained", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je suis 🎓👩🏽‍🚀");
  await expect(page.getByTestId("unknown")).toBeVisible();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  await expect(scope.heatmap).toBeVisible();
});

test("unknown characters side by side show their own, and say why they are unknown", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je suis {}");
  await expect(page.getByTestId("unknown")).toBeVisible();
  const unknown = scope.tokens.locator(".token.unknown");
  await expect(unknown).toHaveText(["{", "}"]);
  await expect(unknown.first()).toHaveAttribute("title", /no token for these characters/);
  await expect(page.locator("body")).not.toContainText("<unk>");
});

test("several sentences and lines are translated one by one", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je suis étudiant. Où est la gare ?");
  const sentences = page.getByTestId("sentence-choice");
  await expect(sentences).toHaveCount(2);
  await expect(sentences.nth(0)).toContainText("student");
  await expect(sentences.nth(1)).toContainText("station");
  // All are translated, and the first one is on screen.
  await expect(sentences.nth(0)).toHaveAttribute("aria-current", "true");
  await expect(scope.translation).toContainText("student");
  await sentences.nth(1).click();
  await expect(scope.translation).toContainText("station");
  await expect(scope.tokens).toContainText("gare");
  await expect(page).toHaveURL(/sentence=2/);
});

freshTest("a link to a cell of one of several sentences shows it when all are translated", async ({ page, scope }) => {
  await scope.openLive("text=Je+suis+étudiant.+Où+est+la+gare+%3F&cell=2.1&step=2");
  const sentences = page.getByTestId("sentence-choice");
  await expect(sentences.nth(0)).toContainText("student");
  await expect(sentences.nth(1)).toContainText("station");
  await expect(sentences.nth(0)).toHaveAttribute("aria-current", "true");
  await expect(page).toHaveURL(/cell=3\.2.*step=3/);
});

test("a sentence that is too long is passed over, and said when it is gone to", async ({ page, scope }) => {
  await scope.openLive();
  const long = Array.from({ length: 300 }, () => "très").join(" ");
  await scope.translate(`Je suis étudiant. Il est ${long} grand. Où est la gare ?`);
  const sentences = page.getByTestId("sentence-choice");
  await expect(sentences.nth(2)).toContainText("station");
  await expect(scope.translation).toContainText("student");
  await expect(scope.problem).toBeHidden();
  await sentences.nth(1).click();
  await expect(scope.problem).toContainText("tokens, and this model takes");
});

test("English is offered the model that reads it", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Where is the library?");
  await expect(page.getByTestId("offer")).toContainText("This looks like English");
  await scope.translate("私は学生です");
  await expect(page.getByTestId("offer")).toContainText("Japanese");
  await expect(page.getByTestId("take-offer")).toBeHidden();
  await scope.translate("Where is the library?");
  await page.getByTestId("take-offer").click();
  await expect(scope.tokens).toContainText(">>fra<<");
  await expect(scope.translation).toHaveText(/^Où /);
  await expect(page.getByTestId("offer")).toBeHidden();
  await scope.chooseModel("to-chinese");
  await expect(scope.translation).toHaveText(/[\u4e00-\u9fff]/);
});
