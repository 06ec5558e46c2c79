// The six position models, which differ in how they know positions.

import { expect, test } from "../scope";

test("each of the six runs on one text, a longer one than it learned from too", async ({ page, scope }) => {
  await scope.openLive();
  await scope.chooseModel("positions-rope");
  await expect(page).toHaveURL(/model=positions-rope/);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(2 * 4);

  await scope.openTexts();
  await page.getByTestId("example").last().click();
  await expect(page).toHaveURL(/text=/);
  await scope.becomesLive();
  for (const word of ["none", "learned", "sinusoidal", "t5", "alibi"]) {
    const url = page.url();
    await scope.chooseModel(`positions-${word}`);
    await expect(page).toHaveURL(url.replace(/positions-\w+/, `positions-${word}`));
    await scope.becomesLive();
    await expect(scope.thumbnails).toHaveCount(2 * 4);
  }
});

test("an address made before names the same model", async ({ scope }) => {
  await scope.openLive("model=recall-alibi");
  await expect(scope.modelsButton).toContainText("Position models · ALiBi");
  await scope.openModels();
  await expect(scope.model("positions-alibi")).toHaveAttribute("aria-pressed", "true");
});
