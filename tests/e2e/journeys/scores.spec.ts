// The chapter on score functions: a toy that is dragged, and the model's own queries and keys.

import { scientific } from "../numbers";
import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=scores";

test("all score functions on one query, with scores worked by hand", async ({ page, scope }) => {
  await scope.open(chapter);
  // q = (1, 1) and k₁ … k₅ = (2, 0), (1, 2), (−1, 1), (−2, −1), (1, −2).
  await expect(page.getByTestId("dot-scores")).toHaveText("2.00  3.00  0.00  −3.00  −1.00");
  await expect(page.getByTestId("scaled-dot-scores")).toHaveText("1.41  2.12  0.00  −2.12  −0.71");
  // Wq = (−1, 1).
  await expect(page.getByTestId("bilinear-scores")).toHaveText("−2.00  1.00  2.00  1.00  −3.00");
  // 2 tanh 3 + 2 tanh 1 for the first.
  await expect(page.getByTestId("additive-scores")).toHaveText(/^3\.51/);
  await expect(page.getByTestId("perceptron-scores")).toHaveText(/\d/);
});

test("the query is moved by keys and by dragging, and the output follows", async ({ page, scope }) => {
  await scope.open(chapter);
  const output = page.getByTestId("output");
  await expect(output).toContainText("q = (1.00, 1.00)");
  const before = await output.textContent();
  const plane = page.getByTestId("query-plane");
  await plane.focus();
  await page.keyboard.press("Shift+ArrowUp");
  await expect(output).toContainText("q = (1.00, 1.50)");
  await expect(page).toHaveURL(/scores-query=10\.15/);
  await expect(output).not.toHaveText(before ?? "");

  // Towards k₁ = (2, 0), far out: the output comes to v₁ = (2, 2).
  await scope.pointAt(plane, 0.6, 0.5);
  await page.mouse.down();
  await scope.pointAt(plane, 0.95, 0.5);
  await page.mouse.up();
  await expect(output).toContainText(/q = \(3\.00, 0\.00\)/);
  await expect(output).toContainText(/o = \(1\.8\d, 1\.8\d\)/);
  await expect(page).toHaveURL(/scores-query=30\.0/);
  // Let go of, it stays.
  await page.mouse.move(10, 10);
  await plane.focus();
  await page.keyboard.press("ArrowUp");
  await expect(output).toContainText("q = (3.00, 0.10)");
});

test("the chosen function reads, and the address says which", async ({ page, scope }) => {
  await scope.open(chapter);
  const output = page.getByTestId("output");
  await expect(output).toContainText("Dot product");
  await page.getByTestId("by-bilinear").getByRole("button", { name: "Bilinear" }).click();
  await expect(output).toContainText("Bilinear");
  await expect(page).toHaveURL(/scores-by=bilinear/);
  await page.getByRole("button", { name: "The keys themselves" }).click();
  await expect(page).toHaveURL(/scores-read=keys/);
});

test("the mean of many draws comes to the expectation", async ({ page, scope }) => {
  await scope.open(`${chapter}&scores-draws=500`);
  const read = async (name: string): Promise<number[]> => {
    const text = (await page.getByTestId(name).textContent()) ?? "";
    return (text.replaceAll("−", "-").match(/-?\d+\.\d+/g) ?? []).map(Number);
  };
  await expect(page.getByTestId("soft")).toBeVisible();
  const [soft, mean] = [await read("soft"), await read("mean")];
  expect(soft).toHaveLength(2);
  for (const [index, value] of soft.entries()) {
    expect(Math.abs(value - (mean[index] ?? Infinity))).toBeLessThan(0.3);
  }
  await expect(page.getByTestId("largest")).toHaveText("k₂");
});

test("predictions are answered by what is computed", async ({ page, scope }) => {
  await scope.open(chapter);
  const prompt = page.locator('[data-prompt="ask-zero"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("0.200");
});

test("on the visitor's own sentence, the scaled dot product is the model's own", async ({
  page,
  scope,
}) => {
  await scope.openLive(`${chapter}&scores-of=head`);
  const same = page.getByTestId("same-as-pass");
  await expect(same).toContainText(/at most \d\.\d × 10⁻\S/);
  const [, difference] = /at most (\d\.\d × 10⁻\S+?)\.?(\s|$)/.exec((await same.textContent()) ?? "") ?? [];
  expect(scientific(difference ?? "")).toBeLessThan(1e-5);
  await page.getByTestId("chapter-query").selectOption({ index: 1 });
  await expect(same).toContainText("at most");
});
