// The page on three kinds of Transformer: what their tokens see, and what they guess for a masked word.

import { expect, test } from "../scope";

const page_ = "tab=learn&chapter=kinds";

test("three kinds of Transformer read one sentence and guess its masked word", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(page_);
  await expect(page.getByTestId("kinds-maps")).toHaveCount(0);
  await page.getByTestId("kinds-run").click();
  await expect(page).toHaveURL(/kinds-run=1/);
  const seen = async (id: string): Promise<number[]> => {
    const words = page.getByTestId(`kinds-${id}-seen`);
    await expect(words).toContainText(/\d+ of \d+/, { timeout: 60_000 });
    return [...((await words.textContent()) ?? "").matchAll(/\d+/g)].map(Number);
  };
  // An encoder sees every pair, a decoder the triangle, cross-attention the rectangle.
  for (const id of ["encoder-only", "encoder", "cross"]) {
    const [some, all] = await seen(id);
    expect(some).toBe(all);
  }
  for (const id of ["decoder-only", "decoder"]) {
    const [some = 0, all = 0] = await seen(id);
    const side = Math.sqrt(all);
    expect(some).toBe((side * (side + 1)) / 2);
  }
  const guesses = page.getByTestId("kinds-guess");
  await expect(guesses).toHaveCount(15);
  for (const place of [0, 1, 2]) {
    await expect(guesses.nth(place)).toContainText(/\S+ \d+(\.\d)? %/, { timeout: 60_000 });
  }
  // Another word is masked by keyboard, and stands in the address.
  const word = page.getByTestId("kinds-word").nth(5);
  await word.focus();
  await page.keyboard.press("Enter");
  await expect(word).toHaveAttribute("aria-pressed", "true");
  await expect(page).toHaveURL(/kinds-word=6/);
  await expect(page.getByTestId("kinds-word").first()).toBeDisabled();
});
