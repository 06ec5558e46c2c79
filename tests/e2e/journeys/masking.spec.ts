// Models that guess masked words: the bar at the foot of the page masks words of the text and brings them back.
import { expect, freshTest as test } from "../scope";
import { replaceCheckpoint, tiny } from "../checkpoint";

test("a click masks a word, and the model guesses it", async ({ page, scope }) => {
  await replaceCheckpoint(page, "translator", tiny("bert-tiny"));
  await scope.openLive("text=the%20old%20dog%20sits");
  const words = page.getByTestId("mask-word");
  await expect(words).toHaveText(["the", "old", "dog", "sits"]);

  await words.nth(2).click();
  await expect(page.getByTestId("input")).toHaveValue("the old [MASK] sits");
  await expect(page.getByTestId("guessed")).toContainText("[MASK] → ");
  await expect(words.nth(2)).toHaveAttribute("aria-pressed", "true");
  await expect(words.nth(2)).toContainText(/^dog→ \S+ \d+ %$/);

  // The same word stands in the table, and the hidden word is marked if it is among the best.
  await page.getByTestId("mask-candidates").click();
  const rows = page.getByTestId("guessed-token");
  await expect(rows).toHaveCount(10);
  const guessed = await rows.locator(".token").allTextContents();
  await expect(words.nth(2)).toContainText(`→ ${guessed[0] ?? ""} `);
  await expect(page.getByTestId("hidden-word")).toHaveCount(guessed.filter((word) => word === "dog").length);

  // A link has the words behind the masks.
  await expect.poll(() => new URL(page.url()).hash).toContain("masked=dog");
  await page.reload();
  await scope.becomesLive();
  await expect(words.nth(2)).toContainText("dog");
  await words.nth(2).click();
  await expect(page.getByTestId("input")).toHaveValue("the old dog sits");
  await expect(page.getByTestId("guessed")).toContainText("No word is masked");
});

test("the keyboard masks words, and a typed mask stays", async ({ page, scope }) => {
  await replaceCheckpoint(page, "translator", tiny("roberta-tiny"));
  await scope.openLive("text=the%20%3Cmask%3E%20dog%20sits");
  const words = page.getByTestId("mask-word");
  await expect(words).toHaveCount(4);
  await expect(words.nth(1)).toHaveAttribute("aria-disabled", "true");
  await words.nth(0).focus();
  await page.keyboard.press("End");
  await expect(words.nth(3)).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("input")).toHaveValue("the <mask> <mask> sits");
  await expect(page.getByTestId("guessed")).toContainText(/<mask> → .* · <mask> → /);
  await expect(words.nth(2)).toBeFocused();
  await words.nth(1).dispatchEvent("click");
  await expect(page.getByTestId("input")).toHaveValue("the <mask> <mask> sits");
  // What is typed afterwards leaves the words behind the masks.
  await page.getByTestId("input").press("End");
  await page.keyboard.type(" down");
  await expect(words).toHaveCount(5);
  await words.nth(2).click();
  await expect(page.getByTestId("input")).toHaveValue("the <mask> dog sits down");
});
