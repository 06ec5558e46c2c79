// The chapter on induction: scores of heads, what is lost without them, circuits, composition, and training in the page.

import type { Page } from "@playwright/test";

import { expect, test } from "../scope";

const ours = "tab=learn&chapter=induction&model=induction&text=gatemnkpgatemnkp";

/** The numbers of a sentence, in their order. */
async function numbers(page: Page, testId: string): Promise<number[]> {
  const words = await page.getByTestId(testId).textContent();
  return [...(words ?? "").matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
}

test("heads are scored on the text, and the address has the score", async ({ page, scope }) => {
  await scope.openLive(ours);
  const found = page.getByTestId("induction-found");
  // As `tests/fixtures/induction.py` found in PyTorch: 0.9475, which rounds either way.
  await expect(found).toContainText(/layer 2, head 3.*0\.94[78].*4 of 8/i);
  const heads = page.locator('[data-matrix="induction-heads"]');
  await expect(heads.locator("svg text")).toHaveCount(8);
  await page.getByRole("button", { name: "The token before" }).click();
  await expect(page).toHaveURL(/induction-score=previous/);
  await expect(found).toContainText(/layer 1, head 2.*0\.746/i);
});

test("a text without a repeat is said to have none", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=induction&model=induction&text=gatemnkp");
  await expect(page.getByTestId("induction-found")).toContainText("No token of this text occurs twice");
});

test("the repeat is harder without the heads, as PyTorch says", async ({ page, scope }) => {
  await scope.openLive(ours);
  await expect(page.getByTestId("induction-means")).toContainText(/all heads/);
  const [told, all, one, clear, earlier] = await numbers(page, "induction-means");
  expect(told).toBe(7);
  expect(all).toBeCloseTo(0, 2);
  expect(one).toBeCloseTo(0.024, 2);
  expect(clear).toBeCloseTo(4.104, 2);
  expect(earlier).toBeCloseTo(1.706, 2);
});

test("circuits and composition are read from the weights", async ({ page, scope }) => {
  await scope.openLive(ours);
  await expect(page.getByTestId("circuits-led")).toContainText("5 of 8 in QK, 6 of 8 in OV");
  await page.getByTestId("circuit-distance").fill("3");
  await expect(page).toHaveURL(/induction-distance=3/);
  await page.getByTestId("circuit-earlier").selectOption({ index: 0 });
  await expect(page).toHaveURL(/induction-earlier=self\.1\.1|induction-earlier=[a-z-]+\.1\.1/);
  const composed = page.getByTestId("composed");
  await expect(composed).toContainText("From 0.097 to 0.228; for random matrices of this width 0.125");
  await page.getByRole("button", { name: "values", exact: true }).click();
  await expect(page).toHaveURL(/induction-part=value/);
  await expect(composed).not.toContainText("0.228");
});

test("a translator has no such circuits, and the page says so", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=induction");
  await expect(page.getByTestId("circuits")).toContainText("The model on screen is another");
});

test("two layers learn the repeat in the page, one does not", async ({ page, scope }) => {
  test.setTimeout(240_000);
  await scope.openLive(ours);
  await page.getByTestId("induction-start").click();
  const run = (layers: number) => page.locator(`[data-testid="induction-run"][data-layers="${layers}"]`);
  await expect(run(2).getByTestId("induction-progress")).toContainText("Step 800 of 800", { timeout: 200_000 });
  await expect(run(1).getByTestId("induction-progress")).toContainText("Step 800 of 800", { timeout: 100_000 });
  const grown = page.getByTestId("induction-grown");
  await expect(grown).toContainText("right letters, two layers");
  await run(1).getByRole("button", { name: "Remove" }).click();
  await expect(run(1)).toHaveCount(0);
});
