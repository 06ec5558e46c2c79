// The chapter on attention and explanation: weights permuted and made uniform, and what becomes of the text.

import { share } from "../numbers";
import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=explanation&kind=cross&layer=1&head=3";

test("a head's weights are permuted by a seed, the text is decoded again, and the address keeps it", async ({
  page,
  scope,
}) => {
  await scope.openLive(chapter);
  const effect = page.getByTestId("in-effect");
  await expect(effect).toContainText("the model's own");
  await expect(page.getByTestId("weight-moved")).toContainText(/^It would move 0\.\d\d .* heads: 1/);
  await page.getByTestId("explained-seed").fill("7");
  await page.getByTestId("explained-seed").press("Enter");
  await page.getByTestId("replace-weights").click();
  await expect(page).toHaveURL(/reweighed=permuted\.7\.cross\.2\.4(&|$)/);
  await expect(effect).toContainText("seed 7");
  await expect(page.getByTestId("edited-mark").first()).toHaveText("weights of heads replaced");
  await expect(page.getByTestId("effect-summary")).toContainText(/changes by .*\d/);
  await expect(page.getByTestId("weight-moved")).toContainText("has moved");
  await page.getByTestId("own-weights").click();
  await expect(effect).toContainText("the model's own");
  await expect(page.getByTestId("edited-mark").first()).toBeHidden();
});

test("with uniform weights in every head the text falls apart", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const before = await scope.translation.textContent();
  await scope.choice("What becomes of the weights", "Uniform").click();
  await scope.choice("Where", "All heads").click();
  await page.getByTestId("replace-weights").click();
  await expect(page.getByTestId("effect-summary")).toContainText("Another text");
  await expect(scope.translation).not.toHaveText(before ?? "");
});

freshTest("every head is tried by itself, stopped and gone on with", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await page.getByTestId("every-head").click();
  const rows = page.getByTestId("explained-head");
  await expect(rows.nth(3)).toBeVisible();
  await page.getByTestId("stop-importance").click();
  const known = await rows.count();
  expect(known).toBeLessThan(72);
  await page.getByTestId("resume-importance").click();
  await expect(rows).toHaveCount(72, { timeout: 60_000 });
  await expect(page.getByTestId("explained-summary")).toContainText(/: \d+ of 72/);
  // What follows the table of 72 rows stays near.
  const table = await page.getByTestId("explained-table").boundingBox();
  expect(table?.height).toBeLessThan(500);
  const changes = await rows.locator("td:last-child").allTextContents();
  const sizes = changes.map((text) => Math.abs(share(text)));
  expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
  await expect(page).toHaveURL(/explained-heads=1/);
});
