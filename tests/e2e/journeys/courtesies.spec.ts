// Small courtesies: the answer to copy, the texts that ran last, one line of input in chapters, a report of a problem, a
// preview of links.

import type { Locator, Page, Request } from "@playwright/test";

import { expect, freshTest, type Scope, test } from "../scope";

/** Where the texts that ran last are kept. */
const RECENT = "attention-scope.recent";

freshTest("the answer is copied, and the button says so", async ({ context, page, scope }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await scope.openLive();
  const copy = page.getByTestId("copy-answer");
  await copy.click();
  await expect(copy).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await answer(scope));
  await expect(copy).toHaveText("Copy");
});

freshTest("the answer is copied on an insecure page too", async ({ page, scope }) => {
  await page.addInitScript(withoutClipboard);
  await scope.openLive();
  const copy = page.getByTestId("copy-answer");
  await copy.click();
  await expect(copy).toHaveText("Copied");
  await expect(copy).toBeFocused();
  const copied = await answer(scope);
  await scope.text.fill("");
  await scope.text.press("ControlOrMeta+v");
  await expect(scope.text).toHaveValue(copied);
});

freshTest("a browser that copies nothing is said to", async ({ page, scope }) => {
  await page.addInitScript(withoutClipboard);
  await page.addInitScript(() => {
    Document.prototype.execCommand = () => false;
  });
  await scope.openLive();
  await page.getByTestId("copy-answer").click();
  await expect(page.getByTestId("copy-answer")).toContainText("Not copied");
  await page.getByTestId("share-menu").locator("> summary").click();
  await page.getByTestId("share").click();
  await expect(page.getByTestId("share")).toHaveText("Copy the address instead");
});

freshTest("texts that ran are offered again, also in the next visit, until they are cleared", async ({ page, scope }) => {
  await scope.openLive();
  const recent = page.getByTestId("recent");
  // The example that runs by itself is a click away as it is.
  await expect(recent).toBeHidden();
  await run(page, scope, "Il pleut.");
  await run(page, scope, "Je ne sais pas.");
  await run(page, scope, "Il pleut.");

  await scope.openLive();
  await scope.openTexts();
  const texts = page.getByTestId("recent-text");
  await expect(texts).toHaveCount(2);
  await expect(texts.first()).toContainText("Il pleut.");
  await texts.last().focus();
  await page.keyboard.press("Enter");
  await expect(texts.last()).toBeHidden();
  await expect(page.getByTestId("texts").locator("summary")).toBeFocused();
  await expect(scope.text).toHaveValue("Je ne sais pas.");
  await expect(scope.translation).toHaveText(/don't know|do not know/i);

  await scope.openTexts();
  await expect(texts.first()).toContainText("Je ne sais pas.");
  await page.getByTestId("forget-recent").click();
  await expect(recent).toBeHidden();
  expect(await page.evaluate((name) => localStorage.getItem(name), RECENT)).toBeNull();
});

freshTest("a text runs again by the model that read it, and ten are kept", async ({ page, scope }) => {
  await scope.openLive("model=sentences");
  await run(page, scope, "I like");
  await scope.chooseModel("translator");
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", "Je suis étudiant");
  for (const name of ["Anne", "Paul", "Marc", "Luc", "Jean"]) await run(page, scope, `${name} dort.`);
  await scope.openTexts();
  const text = page.getByTestId("recent-text").filter({ hasText: "I like" });
  await expect(text).toContainText("Sentence model");
  await text.click();
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", "I like");

  for (const name of ["Tom", "Sam", "Kate", "Mary", "Ann"]) await run(page, scope, `${name} likes`);
  await scope.openTexts();
  await expect(page.getByTestId("recent-text")).toHaveCount(10);
  await expect(page.getByTestId("recent-text").last()).toContainText("Paul dort.");
});

freshTest("where the browser refuses its storage, nothing is kept and nothing is missed", async ({ page, scope }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  await scope.openLive();
  await run(page, scope, "Il pleut.");
  await expect(page.getByTestId("recent")).toBeHidden();
  await expect(scope.problem).toBeHidden();
});

test("the list of texts fits on a phone", async ({ page, scope }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await scope.openLive();
  await run(page, scope, "Je ne sais pas ce que tu veux, mais je sais ce que je veux.");
  await scope.openTexts();
  await fits(page.getByTestId("recent-text").first(), 320);
  await fits(page.getByTestId("forget-recent"), 320);
});

test("in chapters the input is one line, which unfolds and folds by keyboard", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive("tab=learn");
  const asked = page.getByTestId("asked");
  await expect(asked).toContainText("French, Chinese → English");
  await expect(asked).toContainText("Je suis étudiant");
  await expect(asked).toContainText("student");
  await expect(page.getByTestId("input")).toBeHidden();
  expect((await page.getByTestId("chapter").boundingBox())?.y).toBeLessThan(180);

  const unfold = page.getByTestId("unfold");
  await unfold.focus();
  await page.keyboard.press("Enter");
  await expect(unfold).toHaveAttribute("aria-expanded", "true");
  await expect(unfold).toBeFocused();
  await run(page, scope, "Je ne sais pas.");
  await expect(scope.translation).toHaveText(/don't know|do not know/i);

  await unfold.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("input")).toBeHidden();
  await expect(asked).toContainText("Je ne sais pas.");
  // The other tabs have the whole card.
  await scope.openTab("Explore");
  await expect(scope.text).toBeVisible();
  await expect(unfold).toHaveCount(0);
});

test("a problem is in sight in chapters too", async ({ scope }) => {
  await scope.open("tab=learn&prefix=999999");
  await expect(scope.problem).toContainText("Token 999999 cannot be forced");
});

test("the line above a chapter fits into phones, tablets and projectors", async ({ page, scope }) => {
  await scope.openLive(`tab=learn&text=${"Je ne sais pas ce que tu veux ".repeat(4)}`);
  const widths = [320, 768, 1920];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.getByTestId("asked")).toContainText("Je ne sais pas");
    await fits(page.getByTestId("asked"), width);
    await fits(page.getByTestId("unfold"), width);
  }
  await scope.unfold();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await fits(scope.text, width);
    await fits(page.getByTestId("unfold"), width);
  }
});

test("the page says what it is for, what it keeps to itself, which edition it is and how to cite it", async ({ page, scope }) => {
  await scope.openLive();
  const about = page.getByTestId("about");
  await about.locator("summary").first().click();
  await expect(about.getByTestId("purpose")).toContainText("every head, every decoding step, every number");
  // Without a repository of git there is no date.
  await expect(about.getByTestId("edition")).toHaveText(/^Attention Scope \d+\.\d+\.\d+ \([0-9a-f]{16}(, \d{4}-\d\d-\d\d)?\)$/);
  const citation = about.getByRole("link", { name: "How to cite" });
  const address = new URL(String(await citation.getAttribute("href")), page.url());
  const text = await (await page.request.get(address.href)).text();
  expect(text).toContain("cff-version: 1.2.0");
});

freshTest("a report names version, device and browser, and what was typed only if the visitor says so", async ({ context, page, scope }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await scope.openLive("text=Une+girafe+dort.");
  const sent: Request[] = [];
  page.on("request", (request) => sent.push(request));
  await page.getByTestId("about").locator("summary").first().click();
  const report = page.getByTestId("about").getByTestId("report");
  await report.locator("summary").click();
  const text = report.getByTestId("report-text");
  await expect(text).toHaveValue(
    /^Attention Scope [0-9a-f]+\nDevice: CPU.*\nBrowser: Mozilla.*\nLanguage: en \(en-US\)\nLast problem: none$/,
  );
  await report.getByTestId("report-with-input").check();
  await expect(text).toHaveValue(/\nInput: translator · Une girafe dort\.$/);
  await report.getByTestId("report-with-input").uncheck();
  await expect(text).not.toHaveValue(/girafe/);
  await report.getByTestId("copy-report").click();
  await expect(report.getByTestId("copy-report")).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await text.inputValue());
  // Files of the page may still be on their way; nothing else is.
  expect(sent.filter((request) => request.method() !== "GET" || request.url().includes("?"))).toEqual([]);
});

test("a problem is reported where it is shown, and remembered when it is over", async ({ page, scope }) => {
  await scope.openLive();
  await page.evaluate(() => (location.hash = "prefix=999999"));
  const shown = scope.problem.getByTestId("report");
  await shown.locator("summary").click();
  await expect(shown.getByTestId("report-text")).toHaveValue(/Last problem: Token 999999 cannot be forced/);
  await page.getByRole("button", { name: "Let the model choose" }).click();
  await expect(scope.problem).toBeHidden();
  const kept = page.getByTestId("about").getByTestId("report-text");
  await expect(kept).toHaveValue(/Last problem: Token 999999 cannot be forced/);
});

freshTest("previews of links find a title, a description and a picture", async ({ page, request, scope }) => {
  await scope.open();
  const content = (name: string) => page.locator(`meta[property="${name}"], meta[name="${name}"]`).getAttribute("content");
  expect(await content("og:title")).toContain("Attention Scope");
  expect(await content("og:description")).toContain("Transformer");
  const address = (await content("og:image")) ?? "";
  expect(await content("twitter:image")).toBe(address);
  const picture = await request.get(address);
  expect(picture.headers()["content-type"]).toBe("image/png");
  const bytes = await picture.body();
  expect(bytes.length).toBeLessThan(150_000);
  // A PNG's width and height stand at fixed places.
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
});

/** Browsers keep the asynchronous clipboard from insecure pages. */
function withoutClipboard(): void {
  Object.defineProperty(navigator, "clipboard", { value: undefined });
}

/** The answer on screen. */
async function answer(scope: Scope): Promise<string> {
  return ((await scope.translation.textContent()) ?? "").trim();
}

/** Types a sentence and waits for its answer. */
async function run(page: Page, scope: Scope, sentence: string): Promise<void> {
  await scope.translate(sentence);
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", sentence);
  await scope.becomesLive();
}

/** Nothing of an element lies beside a window of this width. */
async function fits(locator: Locator, width: number): Promise<void> {
  const box = await locator.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
}
