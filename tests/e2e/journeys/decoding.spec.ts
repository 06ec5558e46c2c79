// Stepping through decoding, and changing its course.

import { share } from "../numbers";
import { expect, test } from "../scope";

test.beforeEach(async ({ scope }) => {
  await scope.openLive("tab=decoding");
});

test("steps go forth and back by button, slider and keyboard", async ({ page }) => {
  const step = page.getByTestId("step-of");
  await expect(step).toHaveText(/^Step 1 of \d+$/);
  await page.getByRole("button", { name: "One step forward" }).click();
  await expect(step).toHaveText(/^Step 2 of/);
  await page.getByRole("button", { name: "One step back" }).click();
  await expect(step).toHaveText(/^Step 1 of/);

  await page.getByRole("slider", { name: "Decoding step" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(step).toHaveText(/^Step 3 of/);

  // The page as a whole takes the keys wherever the focus has no use for them.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("ArrowRight");
  await expect(step).toHaveText(/^Step 4 of/);
  await page.keyboard.press("ArrowLeft");
  await expect(step).toHaveText(/^Step 3 of/);
});

test("space plays to the end and pauses on the way", async ({ page }) => {
  const step = page.getByTestId("step-of");
  // The map has a player too.
  const bar = page.getByRole("contentinfo");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("Space");
  await expect(bar.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(step).toHaveText(/^Step 2 of/);
  await page.keyboard.press("Space");
  await expect(bar.getByRole("button", { name: "Play" })).toBeVisible();

  await bar.getByRole("button", { name: "Play" }).click();
  await bar.getByRole("button", { name: "2×" }).click();
  await expect(step).toHaveText(/^Step (\d+) of \1$/);
  await expect(bar.getByRole("button", { name: "Play" })).toBeVisible();
});

test("every step shows where the decoder looks", async ({ page }) => {
  const steps = page.getByTestId("output-token");
  const count = await steps.count();
  expect(count).toBeGreaterThan(2);
  for (let index = 0; index < count; index += 1) {
    await steps.nth(index).click();
    // Masked self-attention sees the start token and what was decoded before this step.
    const seen = page.getByTestId("step-self").getByRole("list").first().getByRole("listitem");
    await expect(seen).toHaveCount(index + 1);
    const weights = await page
      .getByTestId("step-cross")
      .getByRole("list")
      .first()
      .locator(".weighted-number")
      .allTextContents();
    const sum = weights.reduce((total, weight) => total + share(weight), 0);
    expect(Math.abs(sum - 1)).toBeLessThan(0.005 * weights.length);
  }
});

test("candidates tell logits, log-probabilities and the argmax", async ({ page }) => {
  const rows = page.getByTestId("candidate");
  await expect(rows.first()).toContainText("argmax");
  const logits = (await rows.locator("td:nth-child(2)").allTextContents()).map(share);
  const logProbabilities = (await rows.locator("td:nth-child(3)").allTextContents()).map(share);
  expect(logits.length).toBeGreaterThan(4);
  expect(logits).toEqual(logits.toSorted((one, other) => other - one));
  // A log-probability is its logit less one number that all candidates share.
  const shared = logits.map((logit, index) => logit - (logProbabilities[index] ?? NaN));
  expect(Math.max(...shared) - Math.min(...shared)).toBeLessThan(0.02);
});

test("a candidate that is clicked is forced, and can be released", async ({ page, scope }) => {
  const before = (await scope.translation.textContent()) ?? "";
  const second = page.getByTestId("candidate").nth(1).getByRole("button");
  const token = (await second.textContent())?.trim() ?? "";
  await second.click();
  await expect(page.getByTestId("output-token").first()).toContainText(token);
  await expect(page.getByTestId("release")).toBeVisible();
  await expect(scope.translation).not.toHaveText(before);
  await scope.becomesLive();

  await page.getByTestId("release").click();
  await expect(scope.translation).toHaveText(before);
});
