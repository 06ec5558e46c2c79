// The chapter on long texts: windows, sinks, the reach of layers, and RoPE beyond its training length.

import type { Page } from "@playwright/test";

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=long";
/** Letters without a pattern, twice as many as the model of letters was trained with. */
const letters = "qzjxkvbwpyfmgculrhtnsioaedxqbzkwyvjpmfgnclrthsuiodaeqkzvxjwbpyfgmc";

/** The numbers of a sentence, in their order. */
async function numbers(page: Page, testId: string): Promise<number[]> {
  const words = await page.getByTestId(testId).textContent();
  return [...(words ?? "").matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
}

test("a window costs something, one as long as the text nothing, and both stand in the address", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  const means = page.getByTestId("window-means");
  await expect(means).toContainText(/On average [\d.]+ nats/);
  const [all, alone] = await numbers(page, "window-means");
  // As the text says.
  expect((alone ?? 0) - (all ?? 0)).toBeCloseTo(0.11, 2);
  await page.getByTestId("window-keys").fill("64");
  await expect(page).toHaveURL(/window-keys=64/);
  await expect(means).toContainText(`${all} nats with all keys, ${all} with the window alone, ${all} with the window and`);
  await page.getByTestId("window-first").fill("3");
  await expect(page).toHaveURL(/window-first=3/);
  await expect(page.getByTestId("windows")).toContainText("window: 64, first: 3");
});

test("a window in one layer costs less than in all, and the address keeps the layer", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences&window-keys=1`);
  const means = page.getByTestId("window-means");
  await expect(means).toContainText(/On average [\d.]+ nats/);
  const [all, everywhere] = await numbers(page, "window-means");
  await page.getByTestId("window-layer").selectOption({ index: 2 });
  await expect(page).toHaveURL(/window-layer=2/);
  await expect(means).not.toContainText(`${everywhere} with the window alone`);
  // While the other passes run there are no means.
  await expect(means).toContainText(/On average [\d.]+ nats/);
  const [same, one] = await numbers(page, "window-means");
  expect(same).toBe(all);
  expect(one ?? 99).toBeLessThan(everywhere ?? 0);
});

test("the model writes under each window, and “Explore” opens with it, where it can be taken back", async ({
  page,
  scope,
}) => {
  await scope.openLive(`${chapter}&model=sentences&window-keys=1`);
  await page.getByTestId("write-under-windows").click();
  const texts = page.getByTestId("written-under");
  await expect(texts).toHaveText([/[a-z]{2}/, /[a-z]{2}/, /[a-z]{2}/], { timeout: 60_000 });
  await expect(texts.last()).not.toHaveText(/^Tokens written/);
  const [all, alone] = await texts.allTextContents();
  expect(alone).not.toBe(all);
  await page.getByTestId("explore-window").first().click();
  await expect(page).toHaveURL(/key-window=1\.0\.all/);
  await expect(page.getByTestId("edited-mark").first()).toHaveText("sliding window over the keys");
  await expect(page.getByTestId("effect-summary")).toContainText("Another text");
  await expect(page.getByTestId("key-window")).toContainText("Sliding window, keys: 1; every layer");
  // The same text as in the chapter, decoded step by step.
  const [start] = (alone ?? "").trim().split(/\s+/);
  await expect(page.getByTestId("effect-after")).toContainText(start ?? "");
  await scope.show(`${chapter}&model=sentences&window-keys=1&v=2&key-window=1.0.all`);
  await expect(page.getByTestId("window-given")).toContainText("Sliding window, keys: 1");
  await page.getByTestId("window-back").click();
  await expect(page.getByTestId("window-given")).toHaveCount(0);
  await expect(page).not.toHaveURL(/key-window/);
});

test("the map of sinks has a cell for each head, whose weight is read", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  const sinks = page.locator('[data-matrix="sinks"]');
  await expect(sinks.locator("svg text").first()).toBeVisible();
  const found = page.getByTestId("sinks-found");
  await expect(found).toContainText(/: \d+ of \d+\. The most: .+, \d+ %/);
  const [resting, heads] = await numbers(page, "sinks-found");
  expect([resting, heads]).toEqual([0, 24]);
  await expect(sinks.locator("svg text")).toHaveCount(heads ?? 0);
});

test("layers reach as far as the formula says", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences&window-keys=2`);
  const [layers, keys, ...rest] = await numbers(page, "reach-found");
  expect(keys).toBe(2);
  expect(rest.at(-2)).toBe((layers ?? 0) * 1 + 1);
  const map = page.locator('[data-matrix="window-reach"]');
  const cells = await map.locator("svg text").count();
  expect(cells).toBe(((layers ?? 0) + 1) * (rest.at(-1) ?? 0));
});

test("RoPE is stretched in four ways beyond the training length", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=positions-rope&text=${letters}`);
  const table = page.getByTestId("stretch-means");
  const cells = (way: string) => table.locator(`tr[data-way="${way}"] td`);
  await expect(table.locator("tbody tr")).toHaveCount(5);
  for (const way of ["RoPE", "linear", "NTK-aware", "YaRN", "Llama 3"]) {
    await expect(cells(way)).toHaveText([/^(< )?\d+\.\d+$/, /^(< )?\d+\.\d+$/]);
  }
  // This model must count places exactly: divided positions are other distances, within the training length too.
  const within = async (way: string) => Number((await cells(way).first().textContent())?.replace("< ", ""));
  expect(await within("RoPE")).toBeLessThan(0.1);
  expect(await within("linear")).toBeGreaterThan(1);
  const before = await cells("YaRN").allTextContents();
  await page.getByTestId("stretch-factor").fill("2");
  await expect(page).toHaveURL(/stretch=2/);
  await expect.poll(() => cells("YaRN").allTextContents()).not.toEqual(before);
});

test("a model without RoPE links to one, with a text four times as long as its training", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=positions-alibi&text=abcdefghij`);
  await expect(page.getByText("The model on screen does not use RoPE.")).toBeVisible();
  await page.getByTestId("long-letters").click();
  await expect(page).toHaveURL(/model=positions-rope/);
  const rows = page.getByTestId("stretch-means").locator("tbody tr");
  await expect(rows).toHaveCount(5);
  await expect(page.getByTestId("long-letters")).toHaveCount(0);
  // The numbers that the text names.
  await expect(rows.locator("td")).toHaveCount(10);
  const table: Record<string, [string | RegExp, string]> = {
    RoPE: [/^(0\.000|< 0\.0001)$/, "0.609"],
    linear: ["11.043", "11.300"],
    "NTK-aware": [/^(0\.000|< 0\.0001)$/, "0.082"],
    YaRN: ["0.022", "0.447"],
    "Llama 3": ["2.824", "3.321"],
  };
  for (const [way, cells] of Object.entries(table)) {
    await expect(page.locator(`tr[data-way="${way}"] td`)).toHaveText(cells);
  }
  await expect(page.getByTestId("window-means")).toContainText("< 0.0001 with the window alone");
});
