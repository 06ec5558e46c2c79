// Long texts: what is drawn of them can still be read and pointed at.

import type { Locator, Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, test } from "../scope";

/** Two hundred letters, a token each: maps of more than two hundred rows and columns. */
const LETTERS = `model=positions-rope&text=${"thequickbrownfox".repeat(13).slice(0, 200)}`;

/** One sentence of more than a hundred tokens, and what it becomes: a wide map. */
const SENTENCE = `text=${"je ne sais pas ce que tu veux et ".repeat(12).trim().replaceAll(" ", "+")}`;

/** The smallest cell that can be pointed at, in CSS pixels. */
const SMALLEST = 12;

test("of a long text a part is in sight, with cells to point at and labels to read", async ({ page, scope }) => {
  await scope.openLive(LETTERS);
  await expect(page.getByTestId("strip-queries")).toBeVisible();
  await expect(page.getByTestId("strip-keys")).toBeVisible();
  const sight = await inSight(page.getByTestId("strip-queries"));
  // A part, with the row of the step on screen in it.
  expect(sight.last - sight.first + 1).toBeLessThan(sight.count);
  expect(await cellSize(page)).toBeGreaterThanOrEqual(SMALLEST);

  const smaller = page.getByTestId("cells-smaller");
  while ((await smaller.getAttribute("aria-disabled")) !== "true") await smaller.click();
  expect(await cellSize(page)).toBe(SMALLEST);
  await labelsKeepApart(page);
  // The one that is pointed at has a label at any rate.
  await scope.pointAt(scope.heatmap, 0.52, 0.52);
  await expect(page.locator(".map-keys .in-sight")).toHaveCount(1);
  await expect(page.locator(".map-queries .in-sight")).toHaveCount(1);
  await labelsKeepApart(page);
});

test("keys go to every cell of a long text, and the part is in the address", async ({ page, scope }) => {
  await scope.openLive(LETTERS);
  const [queries, keys] = [page.getByTestId("strip-queries"), page.getByTestId("strip-keys")];
  await scope.heatmap.focus();
  await page.keyboard.press("PageDown");
  const below = await inSight(queries);
  expect(below.first).toBeGreaterThan(1);
  const before = await cellSize(page);
  await page.keyboard.press("+");
  expect(await cellSize(page)).toBeGreaterThan(before);
  await expect(page).toHaveURL(/window=\d+\.\d+\.\d+/);

  await queries.focus();
  await page.keyboard.press("End");
  await keys.focus();
  await page.keyboard.press("End");
  const [lastQuery, lastKey] = [await inSight(queries), await inSight(keys)];
  expect(lastQuery.last).toBe(lastQuery.count);
  expect(lastKey.last).toBe(lastKey.count);
  const box = await boxOf(scope.heatmap);
  await scope.heatmap.click({ position: { x: box.width - 4, y: box.height - 4 } });
  await expect(page).toHaveURL(new RegExp(`cell=${lastQuery.count}\\.${lastKey.count}\\b`));

  // The window goes with the cell that arrow keys move.
  await scope.heatmap.focus();
  const steps = lastQuery.last - lastQuery.first + 2;
  for (let step = 0; step < steps; step += 1) await page.keyboard.press("ArrowUp");
  const moved = await inSight(queries);
  expect(moved.first).toBeLessThan(lastQuery.first);
  await expect(page.locator(".mark-cell")).toBeVisible();

  // Browsers limit how often the address may change, so the page lets it settle first.
  await expect(page).toHaveURL(new RegExp(`cell=${lastQuery.count - steps}\\.${lastKey.count}\\b`));
  const address = page.url();
  await page.reload();
  await scope.becomesLive();
  expect(page.url()).toBe(address);
  expect(await inSight(queries)).toEqual(moved);
});

test("the wheel and the mouse move a long text's map, and Ctrl with the wheel zooms", async ({ page, scope }) => {
  await scope.openLive(LETTERS);
  const queries = page.getByTestId("strip-queries");
  await scope.pointAt(scope.heatmap, 0.5, 0.5);
  await page.mouse.wheel(0, 400);
  await expect.poll(async () => (await inSight(queries)).first).toBeGreaterThan(5);

  const before = await cellSize(page);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await expect.poll(() => cellSize(page)).toBeGreaterThan(before);

  const zoomed = await inSight(queries);
  const box = await boxOf(scope.heatmap);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 4];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  await expect.poll(async () => (await inSight(queries)).first).toBeLessThan(zoomed.first);
  // A drag is no click.
  await expect(page).not.toHaveURL(/cell=/);

  const strip = await boxOf(queries);
  await page.mouse.click(strip.x + strip.width / 2, strip.y + strip.height / 2);
  const middle = await inSight(queries);
  expect(Math.abs((middle.first + middle.last) / 2 - middle.count / 2)).toBeLessThan(3);
});

test("a short text is in sight as a whole", async ({ page, scope }) => {
  await scope.openLive();
  await expect(page.getByTestId("strip-queries")).toHaveCount(0);
  await expect(page.getByTestId("cells-larger")).toHaveCount(0);
  await labelsKeepApart(page);
});

test("a long text sticks out of nothing on a phone, a screen or a projector", async ({ page, scope }) => {
  await scope.openLive(LETTERS);
  for (const [width, height] of [[320, 640], [1440, 900], [1920, 1080]] as const) {
    await page.setViewportSize({ width, height });
    await expect(page.getByTestId("strip-keys")).toBeVisible();
    await expect.poll(() => cellSize(page)).toBeGreaterThanOrEqual(SMALLEST);
    await labelsKeepApart(page);
    await scope.fits(width);
    const [figure, map] = [await boxOf(page.getByTestId("figure")), await boxOf(scope.heatmap)];
    expect(map.x + map.width).toBeLessThanOrEqual(figure.x + figure.width + 1);
    await expect(scope.thumbnails.first()).toBeVisible();
  }
});

test("a step of a long source shows its strongest words and all of it as a strip", async ({ page, scope }) => {
  await scope.openLive(`${SENTENCE}&tab=decoding`);
  const cross = page.getByTestId("step-cross");
  await expect(cross.getByTestId("token-strip")).toHaveCount(2);
  const strongest = cross.getByRole("list").first();
  await expect(strongest.getByRole("listitem")).toHaveCount(8);
  const weights = (await strongest.locator(".weighted-number").allTextContents()).map(share);
  expect(weights).toEqual(weights.toSorted((one, other) => other - one));

  const strip = cross.getByTestId("token-strip").first();
  const value = cross.getByTestId("strip-value").first();
  const step = await page.getByTestId("step-of").textContent();
  await strip.focus();
  await page.keyboard.press("Home");
  await expect(value).toContainText(/, 1 of \d+: ((< )?[01]\.\d{4})$/);
  await page.keyboard.press("ArrowRight");
  await expect(value).toContainText(/, 2 of \d+: /);
  await page.keyboard.press("End");
  const [, place, count] = /, (\d+) of (\d+): /.exec((await value.textContent()) ?? "") ?? [];
  expect(place).toBe(count);
  expect(Number(count)).toBeGreaterThan(100);
  await expect(cross.getByTestId("strip-words").first().locator(".pointed")).toHaveCount(1);
  // These keys are the strip's, not the player's.
  await expect(page.getByTestId("step-of")).toHaveText(step ?? "");

  // Out from behind the player at the foot.
  await strip.evaluate((strip) => strip.scrollIntoView({ block: "center" }));
  await scope.pointAt(strip, 0.01, 0.5);
  await expect(value).not.toContainText(`, ${count} of`);
  expect(await scope.overflow()).toBeLessThanOrEqual(0);
});

test("the wide map of a long source has a strip for its keys", async ({ page, scope }) => {
  await scope.openLive(`${SENTENCE}&kind=cross`);
  const keys = page.getByTestId("strip-keys");
  await expect(keys).toBeVisible();
  const sight = await inSight(keys);
  expect(sight.count).toBeGreaterThan(100);
  await labelsKeepApart(page);
  await keys.focus();
  await page.keyboard.press("End");
  expect((await inSight(keys)).last).toBe(sight.count);
  await scope.pointAt(scope.heatmap, 0.9, 0.1);
  await expect(scope.value).toHaveText(/^((< )?[01]\.\d{4})$/);
});

/** What a strip says is in sight. */
async function inSight(strip: Locator): Promise<{ first: number; last: number; count: number }> {
  const words = (await strip.getAttribute("aria-valuetext")) ?? "";
  const [first = NaN, last = NaN, count = NaN] = (words.match(/\d+/g) ?? []).map(Number);
  return { first, last, count };
}

/** The side of a cell of a map of which a part is in sight. */
async function cellSize(page: Page): Promise<number> {
  const style = (await page.locator(".map").getAttribute("style")) ?? "";
  return Number(/--cell: ([\d.]+)px/.exec(style)?.[1]);
}

async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (box === null) throw new Error("it is not on screen");
  return box;
}

/** No two labels of an axis lie over each other. */
async function labelsKeepApart(page: Page): Promise<void> {
  const labels = (axis: string) =>
    page.locator(`${axis} .map-label:not(.is-hidden)`).evaluateAll((elements) =>
      elements.map((element) => {
        const { x, y } = element.getBoundingClientRect();
        return { x, y, line: parseFloat(getComputedStyle(element).lineHeight) };
      }),
    );
  const [rows, columns] = [await labels(".map-queries"), await labels(".map-keys")];
  expect(Math.min(rows.length, columns.length)).toBeGreaterThan(1);
  const lean = Math.sin((50 * Math.PI) / 180);
  for (const [index, { y, line }] of rows.entries()) {
    if (index > 0) expect(y - (rows[index - 1]?.y ?? NaN)).toBeGreaterThanOrEqual(line - 0.5);
  }
  for (const [index, { x, line }] of columns.entries()) {
    if (index > 0) expect((x - (columns[index - 1]?.x ?? NaN)) * lean).toBeGreaterThanOrEqual(line - 0.5);
  }
}
