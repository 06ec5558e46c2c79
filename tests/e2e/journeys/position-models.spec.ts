// The six position models, which differ in how they know positions.

import { expect, test } from "../scope";

test("each of the six runs on one text, a longer one than it learned from too", async ({ page, scope }) => {
  await scope.openLive();
  await scope.furtherModels.selectOption("Position models");
  await expect(page).toHaveURL(/model=positions-rope/);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(2 * 4);

  await scope.openTexts();
  await page.getByTestId("example").last().click();
  await expect(page).toHaveURL(/text=/);
  await scope.becomesLive();
  for (const [name, word] of [["None", "none"], ["Learned", "learned"], ["Sinusoidal", "sinusoidal"], ["T5 bias", "t5"], ["ALiBi", "alibi"]] as const) {
    const url = page.url();
    await scope.choice("Positional encoding", name).click();
    await expect(page).toHaveURL(url.replace(/positions-\w+/, `positions-${word}`));
    await scope.becomesLive();
    await expect(scope.thumbnails).toHaveCount(2 * 4);
  }
});

test("an address made before names the same model", async ({ page, scope }) => {
  await scope.openLive("model=recall-alibi");
  await expect(scope.furtherModels.locator("option:checked")).toHaveText("Position models");
  await expect(scope.choice("Positional encoding", "ALiBi")).toHaveAttribute("aria-pressed", "true");
  await expect(page).toHaveURL(/model=positions-alibi/);
});
