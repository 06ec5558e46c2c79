// The chapter on many heads: side by side, overlaid, and measured.

import type { Page } from "@playwright/test";

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=heads&kind=encoder";

test("each head of the layer has an answer for the chosen token", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&cell=1.0`);
  const answers = page.getByTestId("answers").locator("tr");
  await expect(answers).toHaveCount(8);
  const before = await answers.allTextContents();
  await expect(page.locator(".overlay-bar")).toHaveCount(8 * 5);
  const colors = await page
    .locator(".head-color")
    .evaluateAll((swatches) => swatches.map((swatch) => getComputedStyle(swatch).backgroundColor));
  expect(new Set(colors).size).toBe(8);
  const tokens = page.getByTestId("chapter").locator(".token-choice button");
  await tokens.nth(3).focus();
  await page.keyboard.press("Enter");
  await expect(answers).not.toHaveText(before);
});

test("two heads stand side by side, and the address keeps the other one", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&layer=1&head=3`);
  const beside = page.getByTestId("heads-beside");
  for (const name of ["query", "keys", "scores", "weights", "values", "output"]) {
    for (const column of ["one", "two"]) {
      await expect(beside.locator(`[data-matrix="${column}-${name}"] svg`)).toBeVisible();
    }
  }
  const [one, two] = [await cells(page, "one-weights"), await cells(page, "two-weights")];
  expect(one).not.toEqual(two);
  await page.getByTestId("heads-other").selectOption({ value: "3" });
  await expect(page).toHaveURL(/heads-other=4/);
  // The same head twice has the same weights.
  await expect.poll(() => cells(page, "two-weights")).toEqual(one);
});

test("heads by hand have widths of their own, and can share keys and values", async ({ page, scope }) => {
  await scope.open(chapter);
  const figure = page.getByTestId("heads-by-hand");
  const numbers = (id: string) => figure.locator(`[data-matrix="${id}"] svg text`).allTextContents();
  // By NumPy, rounded as the page rounds.
  await expect.poll(() => numbers("widths-o2")).toEqual([
    ...["−0.97", "−0.86", "−1.67"],
    ...["−0.70", "−1.66", "−1.93"],
    ...["−0.88", "−1.21", "−1.79"],
  ]);
  expect((await numbers("widths-mixed")).slice(0, 4)).toEqual(["−1.67", "3.84", "0.48", "0.08"]);
  await expect(page.getByTestId("widths-counts")).toContainText("queries 16, keys 16, values 24, output 24; 80 in all");
  await page.getByTestId("heads-shared").check();
  await expect(page).toHaveURL(/heads-shared=1/);
  await expect.poll(async () => (await numbers("widths-o2")).slice(0, 3)).toEqual(["3.14", "−1.78", "0.20"]);
  await expect(page.getByTestId("widths-counts")).toContainText("keys 8, values 12, output 24; 60 in all");
  await page.getByTestId("heads-m").fill("3");
  await page.getByTestId("heads-pv").fill("1");
  await expect(page).toHaveURL(/heads-m=3&heads-pv=1/);
  await expect(figure.getByTestId("widths-head")).toHaveCount(3);
  await expect(figure.locator('[data-matrix="widths-joined"]')).toContainText("3 × 3");
  await expect(figure.locator('[data-matrix="widths-mixed"]')).toContainText("3 × 4");
});

test("distances and entropies are within their bounds, and the list chooses a head", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const scatter = page.getByTestId("heads-scatter");
  await expect(scatter.locator("circle")).toHaveCount(24);
  await page.getByTestId("heads-listed").locator("summary").click();
  const rows = page.getByTestId("heads-listed").locator("tbody tr");
  await expect(rows).toHaveCount(24);
  for (const row of await rows.all()) {
    const [distance, entropy] = (await row.getByRole("cell").allTextContents()).map(Number);
    expect(distance).toBeGreaterThanOrEqual(0);
    expect(distance).toBeLessThanOrEqual(4);
    expect(entropy).toBeGreaterThanOrEqual(0);
    expect(entropy).toBeLessThanOrEqual(Math.log2(5));
  }
  await rows.last().getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect(rows.last().getByRole("button")).toHaveAttribute("aria-pressed", "true");
  const prompt = page.locator('[data-prompt="ask-distance"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText(/\d\.\d looks nearest, \d\.\d\d tokens/);
});

test("a head's weights by offset change with the head", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&layer=0&head=0`);
  const bars = page.getByTestId("by-offset");
  await expect(bars).toHaveAttribute("aria-label", /−1: 0\.\d+, 0: 0\.\d+, \+1: 0\.\d+/);
  const before = await bars.getAttribute("aria-label");
  await page.getByTestId("heads-head").selectOption("5");
  await expect(bars).not.toHaveAttribute("aria-label", before ?? "");
});

test("cross-attention gives way to self-attention, and the header says where", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=heads&kind=cross");
  const choice = page.getByRole("group", { name: "Kind of attention" }).getByRole("button");
  await expect(choice).toHaveText(["Encoder self-attention", "Decoder masked self-attention"]);
  await expect(choice.first()).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByTestId("here")).toContainText("Encoder self-attention, layer 2");
});

/** The numbers in the cells of a matrix. */
async function cells(page: Page, id: string): Promise<string[]> {
  const texts = page.locator(`[data-matrix="${id}"] svg text`);
  await expect(texts.first()).toBeVisible();
  return texts.allTextContents();
}
