// The page about states of a fixed size: pairs written by hand, and four models that learn to recall.

import { expect, test } from "../scope";

const PAGE = "v=2&tab=learn&chapter=recall";

test("a repeated key adds in the linear state and is replaced by the delta rule", async ({ page, scope }) => {
  await scope.open(`${PAGE}&recall-fifth=again&recall-step=5&recall-query=1`);
  const reading = page.getByTestId("recall-reading");
  await expect(page.getByTestId("written-states")).toHaveAttribute("data-step", "5");
  await expect(reading).toHaveText(
    "“cat” was last shown with “green”. Of that value, the linear state gives 1.000, the delta rule 1.000.",
  );
  await page.getByTestId("recall-query").selectOption({ label: "dog" });
  await expect(page).toHaveURL(/recall-query=2/);
  await expect(reading).toContainText("“dog” was last shown with “green”.");
});

test("a key that is not orthogonal disturbs what was written", async ({ page, scope }) => {
  await scope.open(`${PAGE}&recall-step=5`);
  await expect(page.getByTestId("recall-reading")).toContainText("“cat” was last shown with “red”.");
  await page.getByTestId("recall-beta").fill("0");
  await expect(page).toHaveURL(/recall-beta=0/);
  await expect(page.getByTestId("recall-reading")).toContainText("the delta rule 0.000");
});

test("four models are trained here, can be stopped, and differ in recall", async ({ page, scope }) => {
  await scope.open(`${PAGE}&recall-keys=again`);
  const progress = page.getByTestId("recall-progress");
  await page.getByTestId("train-recall").click();
  await expect(progress).toContainText("softmax: step");
  await page.getByTestId("train-recall").click();
  await expect(page.getByTestId("train-recall")).toHaveText("Train all four");
  const stopped = await progress.textContent();
  await page.getByTestId("train-recall").click();
  await expect(progress).not.toHaveText(stopped ?? "");
  await expect(progress).toHaveText("All four models are trained.", { timeout: 240_000 });
  await expect(page.getByTestId("recall-plot").locator("svg")).toContainText("delta rule");
  const row = page.getByTestId("recall-table").locator("tbody tr").nth(4).locator("td");
  // 8 pairs of width 8: 2 · 8 · 8 numbers of 4 bytes, and a state of 8 · 8.
  await expect(row.nth(0)).toHaveText("512");
  await expect(row.nth(1)).toHaveText("256");
  const [softmax, linear, , delta] = await Promise.all([2, 3, 4, 5].map((cell) => scope.number(row.nth(cell))));
  expect(delta).toBeGreaterThan(0.6);
  expect(softmax).toBeLessThan(0.5);
  expect(linear).toBeLessThan(0.5);
});
