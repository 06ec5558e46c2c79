// A figure is taken along: the files of a head say what the page says of it, read by other programs.

import { writeFileSync } from "node:fs";
import { inflateSync } from "node:zlib";

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { Resvg } from "@resvg/resvg-js";

import { csv, exported, saved, savedBytes } from "../exported";
import { readMap } from "../heatmap";
import { expect, test } from "../scope";

const HEAD = "v=2&kind=cross&layer=2&head=3";

/** Half of the last decimal that the page shows. */
const ROUNDED = 5e-5;

test("SVG, CSV, JSON and TikZ of a head have the numbers of the page", async ({ page, scope }) => {
  await scope.openLive(HEAD);
  const shown = await readMap(scope);
  const keys = await names(page, "keys");
  await openExport(page);

  const [header, ...rows] = csv(await saved(page, "csv"));
  expect(header?.slice(1)).toEqual(keys);
  const numbers = rows.map((row) => row.slice(1).map(Number));
  expectNear(numbers, shown);

  const json = JSON.parse(await saved(page, "json"));
  // Every number is the same one, to the last bit.
  expect(json.values).toEqual(numbers);
  expect(json.columns.labels).toEqual(keys);
  expect(json.rows.name).toBe("Query");
  expect(json.caption).toContain("Je suis étudiant");

  const tikz = await saved(page, "tikz");
  const cells = [...tikz.matchAll(/^\s+(\d+) (\d+) (\S+)\\\\$/gm)];
  const drawn = numbers.map((row) => row.map(() => NaN));
  for (const [, x, y, weight] of cells) (drawn[Number(y)] ?? [])[Number(x)] = Number(weight);
  expect(drawn).toEqual(numbers);

  const svg = await saved(page, "svg");
  const read = await page.evaluate(readSvg, svg);
  expect(read.errors).toBe(0);
  expect(read.width).toBe("85mm");
  for (const key of keys) expect(read.texts).toContain(key);
  // The darkest colour is that of the largest weight.
  const flat = numbers.flat();
  expect(flat.indexOf(Math.max(...flat))).toBe(darkest(read.rects, numbers.length, keys.length));
  expectDrawn(svg, read);
});

/** Another program draws each cell in its colour. */
function expectDrawn(svg: string, { rects, units }: Pick<Svg, "rects" | "units">): void {
  const { pixels, width } = new Resvg(svg, { fitTo: { mode: "width", value: 1200 } }).render();
  expect(rects.length).toBeGreaterThan(10);
  for (const { x, y, width: wide, height, fill } of rects) {
    const [column, row] = [x + wide / 2, y + height / 2].map((place) => Math.floor((place * width) / units)) as [number, number];
    const at = 4 * (row * width + column);
    const drawn = [...pixels.subarray(at, at + 3)].map((channel) => channel.toString(16).padStart(2, "0"));
    expect(`#${drawn.join("")}`, `the cell at ${x}, ${y}`).toBe(fill.toLowerCase());
  }
}

test("PNG has the pixels of its scale, and a transparent ground if that is wanted", async ({ page, scope }) => {
  await scope.openLive(HEAD);
  await openExport(page);
  await page.getByTestId("export-scale").selectOption({ index: 1 });
  const opaque = png(await savedBytes(page, "png"));
  // 85 mm at 192 pixels for an inch.
  expect(opaque.width).toBe(Math.round((85 / 25.4) * 96) * 2);
  expect(opaque.corner).toEqual([255, 255, 255, 255]);
  await page.getByTestId("export-transparent").check();
  expect(png(await savedBytes(page, "png")).corner[3]).toBe(0);
  await page.getByTestId("export-width").selectOption({ index: 1 });
  await expect(page.getByTestId("export-preview").locator("svg")).toHaveAttribute("width", "175mm");
  // The choices last.
  await page.getByTestId("export-close").click();
  await openExport(page);
  await expect(page.getByTestId("export-width")).toHaveValue("1");
  await expect(page.getByTestId("export-transparent")).toBeChecked();
  await page.getByTestId("export-transparent").uncheck();
  await page.getByTestId("export-width").selectOption({ index: 0 });
  await page.getByTestId("export-scale").selectOption({ index: 3 });
});

test("the sheet is reached and left by keys, and has no fault that axe finds", async ({ page, scope }) => {
  await scope.openLive(HEAD);
  const button = page.getByTestId("figure").getByTestId("export");
  await expect(button).toHaveAccessibleName("Export: Heatmap");
  await button.focus();
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: "Export this figure" });
  await expect(sheet).toBeVisible();
  await expect(page.getByTestId("export-svg")).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include("[data-testid=export-sheet]").analyze();
  expect(violations).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await expect(button).toBeFocused();
});

test("caption and Python name what is on screen, edits included", async ({ page, scope }) => {
  await scope.openLive(`${HEAD}&off=cross.2.1`);
  await openExport(page);
  const caption = page.getByTestId("export-caption");
  for (const part of ["head 3", "Je suis étudiant", "layer 2, head 1", "#v=2&"]) {
    await expect(caption).toHaveValue(new RegExp(part.replace(/[?.]/g, "\\$&"), "i"));
  }
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByTestId("export-python").click();
  await expect(page.getByTestId("export-python")).toHaveText("Copied");
  const code = await page.evaluate(() => navigator.clipboard.readText());
  expect(code).toContain('from_pretrained(\n    "assets/models/translator"');
  expect(code).toContain("change_head(model.model.decoder.layers[1].encoder_attn.out_proj, 32, 0,");
  expect(code).toContain("weights = output.cross_attentions[1][0, 2]");
});

test("PDF: the figure alone is printed, on a sheet of its size", async ({ page, scope }) => {
  await scope.openLive(HEAD);
  await openExport(page);
  await page.evaluate(() => (window.print = () => {}));
  await page.getByTestId("export-pdf").click();
  await expect(page.locator("#printed-figure svg")).toHaveCount(1);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  const [, width = ""] = /\/MediaBox \[0 0 ([\d.]+)/.exec(pdf.toString("latin1")) ?? [];
  // In points.
  expect(Math.abs(Number(width) - (85 / 25.4) * 72)).toBeLessThan(1);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await expect(page.locator("#printed-figure")).toHaveCount(0);
});

test("every kind of figure has the menu: lines, all heads, matrices, curves, bars", async ({ page, scope }) => {
  await scope.openLive(HEAD);
  await scope.inspect("Lines");
  await openExport(page);
  expect((await saved(page, "svg")).match(/<path d="M/g)?.length).toBeGreaterThan(3);
  await page.getByTestId("export-close").click();

  await page.locator(".map-controls").getByTestId("export").click();
  const sheet = JSON.parse(await saved(page, "json"));
  expect(sheet.groups.flatMap((group: { heads: unknown[] }) => group.heads)).toHaveLength(72);
  await expect(page.getByTestId("export-tikz")).toHaveCount(0);
  await page.getByTestId("export-close").click();

  for (const [chapter, kind, figure] of [
    ["hand", "map", "[data-testid=matrix]"],
    ["positions", "curves", ".plot-figure:has(.plot)"],
    ["scale", "bars", ".figure-beside"],
  ] as const) {
    await scope.openLive(`v=2&tab=learn&chapter=${chapter}`);
    await exported(page, page.locator(figure).first(), async () => {
      expect(JSON.parse(await saved(page, "json")).figure).toBe(kind);
    });
  }
});

test("an SVG file with its font draws its text in it, without a network", async ({ page, scope, browser }, info) => {
  await scope.openLive(HEAD);
  await openExport(page);
  await page.getByTestId("export-font").selectOption({ index: 1 });
  const svg = await saved(page, "svg");
  await page.getByTestId("export-font").selectOption({ index: 0 });
  expect(await saved(page, "svg")).not.toContain("@font-face");
  // One part of the font: the text has Latin letters alone.
  expect(svg.match(/@font-face/g)).toHaveLength(1);
  // Systems have fonts of this name and width. By another name it is the file's own, and the next one that of typewriters.
  const narrow = svg.replace("font-family:Arimo;", "font-family:Own;").replace("font-family:Arimo,", "font-family:Own,monospace,");
  expect(narrow).not.toContain("Arimo");
  const without = narrow.replace(/@font-face\{[^}]*\}/, "");
  const context = await browser.newContext({ offline: true });
  const reader = await context.newPage();
  const widths: number[] = [];
  for (const [name, document] of Object.entries({ narrow, without })) {
    const path = info.outputPath(`${name}.svg`);
    writeFileSync(path, document);
    await reader.goto(`file://${path}`);
    widths.push(await reader.evaluate(widthOfQuery));
  }
  await context.close();
  // Q, u, e, r and y of Helvetica are 0.778, 0.556, 0.556, 0.333 and 0.5 of their size wide; a typewriter's are 0.6.
  const [own = NaN, typewriter = NaN] = widths;
  expect(Math.abs(own - 2.723)).toBeLessThan(0.05);
  expect(typewriter).toBeGreaterThan(2.9);
});

/** Runs in the SVG document: the width of the word "Query" in sizes of its type. */
async function widthOfQuery(): Promise<number> {
  await document.fonts.ready;
  const texts = [...document.querySelectorAll("text")];
  const query = texts.find((text) => text.textContent === "Query");
  return (query?.getComputedTextLength() ?? NaN) / Number(query?.getAttribute("font-size"));
}

async function openExport(page: Page): Promise<void> {
  await page.getByTestId("figure").getByTestId("export").click();
  await expect(page.getByTestId("export-svg")).toBeVisible();
}

/** The tokens on an axis of the map, as the page names them. */
async function names(page: Page, axis: "queries" | "keys"): Promise<string[]> {
  return page.locator(`.map-${axis} .map-label:not(.is-hidden) .token`).allTextContents();
}

function expectNear(found: number[][], expected: number[][]): void {
  expect(found.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  for (const [row, weights] of found.entries())
    for (const [column, weight] of weights.entries())
      expect(Math.abs(weight - (expected[row]?.[column] ?? NaN))).toBeLessThanOrEqual(ROUNDED + 1e-6);
}

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
  fill: string;
}

interface Svg {
  errors: number;
  width: string;
  /** The width in units of the document. */
  units: number;
  texts: string[];
  rects: Rect[];
}

/** Runs on the page: the browser's reading of an SVG document. */
function readSvg(svg: string): Svg {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  const number = (element: Element, name: string): number => Number(element.getAttribute(name));
  return {
    errors: parsed.querySelectorAll("parsererror").length,
    width: parsed.documentElement.getAttribute("width") ?? "",
    units: Number(parsed.documentElement.getAttribute("viewBox")?.split(/\s+/)[2]),
    texts: [...parsed.querySelectorAll("text")].map((text) => text.textContent ?? ""),
    rects: [...parsed.querySelectorAll("g > rect")].map((rect) => ({
      x: number(rect, "x"),
      y: number(rect, "y"),
      width: number(rect, "width"),
      height: number(rect, "height"),
      fill: rect.getAttribute("fill") ?? "",
    })),
  };
}

/** The index of the darkest cell of a map, row by row. */
function darkest(rects: Rect[], rows: number, columns: number): number {
  const light = ({ fill }: Rect): number =>
    [1, 3, 5].reduce((sum, at) => sum + Number.parseInt(fill.slice(at, at + 2), 16), 0);
  const [dark] = [...rects].sort((one, other) => light(one) - light(other));
  const left = Math.min(...rects.map(({ x }) => x));
  const top = Math.min(...rects.map(({ y }) => y));
  const right = Math.max(...rects.map(({ x, width }) => x + width));
  const bottom = Math.max(...rects.map(({ y, height }) => y + height));
  const row = Math.round((((dark?.y ?? 0) - top) / (bottom - top)) * rows);
  const column = Math.round((((dark?.x ?? 0) - left) / (right - left)) * columns);
  return row * columns + column;
}

/** The size of a PNG file of 8 bits with alpha, and its upper left pixel. */
function png(bytes: Buffer): { width: number; height: number; corner: number[] } {
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  const [width, height, type] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes.readUInt8(25)];
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const length = bytes.readUInt32BE(at);
    if (bytes.subarray(at + 4, at + 8).toString() === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + length));
  }
  // The first pixel is written as it is, whatever the filter of its row.
  const pixels = inflateSync(Buffer.concat(data));
  const colours = [...pixels.subarray(1, type === 6 ? 5 : 4)];
  return { width, height, corner: type === 6 ? colours : [...colours, 255] };
}

