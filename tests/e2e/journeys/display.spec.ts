// Maps of attention as they are shown: words, without special tokens, without the first token.

import type { Page } from "@playwright/test";

import { readMap } from "../heatmap";
import { published } from "../published";
import { expect, freshTest, test } from "../scope";

const SELF = "v=2&kind=encoder&layer=1&head=1";

/** Chinese, an emoji of several characters, Arabic, and a word of several pieces. */
const TEXT = "<|im_start|>user\nUnbelievably: 龘靐我们 👩🏽‍🚀 مُذْهِلٌ<|im_end|>";

test("words replace pieces: columns are summed, rows averaged", async ({ page, scope }) => {
  await scope.openLive(SELF);
  expect(await names(page, "keys")).toEqual(["Je", "suis", "étudi", "ant", "end"]);
  const pieces = await readMap(scope);
  await unfold(page);
  await page.getByTestId("whole-words").focus();
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/whole-words=1/);
  await expect(page.getByTestId("whole-words-effect")).toContainText("summed over the pieces of a key");
  await expect.poll(() => names(page, "keys")).toEqual(["Je", "suis", "étudiant", "end"]);
  expect(await names(page, "queries")).toEqual(["Je", "suis", "étudiant", "end"]);
  const words = await readMap(scope);
  const columns = pieces.map(([je = 0, suis = 0, etudi = 0, ant = 0, end = 0]) => [je, suis, etudi + ant, end]);
  const [je = [], suis = [], etudi = [], ant = [], end = []] = columns;
  const expected = [je, suis, etudi.map((weight, key) => (weight + (ant[key] ?? NaN)) / 2), end];
  expectNear(words, expected);
  for (const row of words) expect(total(row)).toBeCloseTo(1, 2);
});

test("special tokens are hidden with their share, and other weights stay", async ({ page, scope }) => {
  await scope.openLive(SELF);
  const pieces = await readMap(scope);
  await unfold(page);
  await page.getByText("Hide special tokens", { exact: true }).click();
  await expect(page).toHaveURL(/no-special=1/);
  await expect.poll(() => names(page, "keys")).toEqual(["Je", "suis", "étudi", "ant"]);
  expectNear(await readMap(scope), pieces.slice(0, 4).map((row) => row.slice(0, 4)));
  const hidden = pieces.slice(0, 4).map((row) => row[4] ?? NaN);
  const said = (await page.getByTestId("no-special-effect").textContent()) ?? "";
  expect(percentage(said)).toBeCloseTo((100 * total(hidden)) / 4, 0);
});

test("the first token is set aside with its share, and rows sum to one again", async ({ page, scope }) => {
  await scope.openLive(SELF);
  const pieces = await readMap(scope);
  await unfold(page);
  await page.getByTestId("no-sink").check();
  await expect(page).toHaveURL(/no-sink=1/);
  await expect.poll(() => names(page, "keys")).toEqual(["suis", "étudi", "ant", "end"]);
  const expected = pieces.map(([first = 0, ...rest]) => rest.map((weight) => weight / (1 - first)));
  expectNear(await readMap(scope), expected);
  const said = (await page.getByTestId("no-sink-effect").textContent()) ?? "";
  expect(percentage(said)).toBeCloseTo((100 * total(pieces.map((row) => row[0] ?? NaN))) / pieces.length, 0);
});

test("a locked cell stays the same tokens, and only a weight of the model can be changed", async ({ page, scope }) => {
  // The query “suis”, the key “étudi”.
  await scope.openLive(`${SELF}&cell=2.3`);
  await expect(page.getByTestId("cell-editor")).toBeVisible();
  await unfold(page);
  await page.getByTestId("whole-words").check();
  await expect(page.getByTestId("readout")).toContainText("suis → étudiant");
  await expect(page.getByTestId("no-weight")).toBeVisible();
  await expect(page.getByTestId("cell-editor")).toHaveCount(0);
  await expect(page).toHaveURL(/cell=2\.3/);
  await scope.heatmap.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByTestId("readout")).toContainText("suis → suis");
  await expect(page.getByTestId("cell-editor")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  // A word is named by its last piece in the address.
  await expect(page).toHaveURL(/cell=4\.2/);
  await page.getByTestId("whole-words").uncheck();
  await expect(page.getByTestId("readout")).toContainText("ant → suis");
});

test("lines, the sentence and thumbnails follow the switches, and the map says so", async ({ page, scope }) => {
  await scope.openLive(SELF);
  const before = await picture(page);
  await scope.show(`${SELF}&whole-words=1&no-special=1&no-sink=1&show=lines`);
  await expect(page.getByTestId("lines").locator(".lines-token")).toHaveText(["Je", "suis", "étudiant", "suis", "étudiant"]);
  await expect.poll(() => picture(page)).not.toBe(before);
  await expect(page.getByTestId("display-note")).toContainText("Whole words · Hide special tokens · First token aside");
  await scope.inspect("Sentence");
  await expect(page.getByTestId("sentence").locator(".word")).toHaveText(["suis", "étudiant"]);
  await expect(page.getByTestId("display").getByRole("checkbox", { checked: true })).toHaveCount(3);
});

test("the switches are in the page's language and fit a phone", async ({ page, scope }) => {
  await scope.openLive(`${SELF}&whole-words=1&no-special=1&no-sink=1&lang=zh`);
  await expect(page.getByTestId("no-sink-effect")).toContainText("首个词元已排除");
  await scope.fits(320, 390, 1440);
});

freshTest("SmolLM2's bytes are legible, and its switches reach every head", async ({ page, scope }) => {
  freshTest.slow();
  const file = await published("smollm2").catch((error: unknown) => {
    freshTest.skip(true, `SmolLM2 cannot be downloaded: ${String(error)}`);
    return "";
  });
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(file);
  await scope.becomesLive();
  await scope.choice("Form of the input", "Plain text").click();
  await scope.translate(TEXT);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(30 * 9);
  const pieces = await names(page, "keys");
  expect(pieces[0]).toBe("<|im_start|>");
  expect(pieces.join(" ")).toMatch(/⟨[0-9A-F]{2}⟩/);
  for (const name of pieces) expect(name).not.toMatch(/[�ĠĊ]|<0x|^$/);
  await unfold(page);
  await page.getByTestId("whole-words").check();
  await expect.poll(() => names(page, "keys")).toContain("龘");
  const words = await names(page, "keys");
  expect(words).toContain("Unbelievably");
  expect(words).toContain("مُذْهِلٌ");
  expect(words).not.toContain("Un");
  const before = await picture(page);
  await page.getByTestId("no-special").check();
  await page.getByTestId("no-sink").check();
  await expect.poll(() => picture(page)).not.toBe(before);
  await expect(page.getByTestId("no-sink-effect")).toContainText(/\d %/);
  expect(await names(page, "keys")).not.toContain("<|im_end|>");
});

/** Unfolds the switches, by the keyboard. */
async function unfold(page: Page): Promise<void> {
  if (await page.getByTestId("whole-words").isVisible()) return;
  await page.getByTestId("display").locator("summary").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("whole-words")).toBeVisible();
}

function total(row: number[]): number {
  return row.reduce((sum, weight) => sum + weight, 0);
}

/** The share that a sentence names, in percent. */
function percentage(said: string): number {
  return Number(/([\d.]+)\s?%/.exec(said)?.[1]);
}

function expectNear(found: number[][], expected: number[][]): void {
  expect(found.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  for (const [row, weights] of expected.entries()) {
    // Four decimals are read, and some are scaled up.
    for (const [key, weight] of weights.entries()) expect(Math.abs((found[row]?.[key] ?? NaN) - weight)).toBeLessThan(5e-4);
  }
}

/** The labels of the rows or columns. */
async function names(page: Page, axis: "queries" | "keys"): Promise<string[]> {
  return page.locator(`.map-${axis} .map-label:not(.is-hidden) .token`).allTextContents();
}

/** The pixels of the first layer's heads on the map. */
async function picture(page: Page): Promise<string> {
  return page
    .locator(".block-heads canvas")
    .last()
    .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
}
