// Inspecting every head: the map of the model, exact values, three ways to see a head.

import { readMap } from "../heatmap";
import { expect, test } from "../scope";

const KINDS = ["encoder", "decoder", "cross"] as const;

test("every head of every kind has its place on the map", async ({ scope }) => {
  await scope.openLive();
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);
  for (const kind of KINDS) {
    await scope.head(kind, 3, 8).click();
    await expect(scope.figureTitle).toContainText("Layer 3, head 8");
  }
  await expect(scope.figureTitle).toContainText("Cross-attention");
});

test("hovering a head previews it, a click keeps it", async ({ page, scope }) => {
  await scope.openLive("layer=0&head=0");
  await expect(scope.figureTitle).toContainText("Layer 1, head 1");
  await scope.head("cross", 2, 5).hover();
  await expect(scope.figureTitle).toContainText("Layer 2, head 5");
  await page.mouse.move(0, 0);
  await expect(scope.figureTitle).toContainText("Layer 1, head 1");
  await scope.head("cross", 2, 5).click();
  await page.mouse.move(0, 0);
  await expect(scope.figureTitle).toContainText("Layer 2, head 5");
  await expect(page).toHaveURL(/#v=2&layer=2&head=5$/);
});

test("the pointer reads the exact value that the list of keys gives", async ({ page, scope }) => {
  await scope.openLive();
  await scope.pointAt(scope.heatmap, 0.01, 0.01);
  const pair = page.getByTestId("readout");
  const strongest = page.getByTestId("strongest-keys");
  await expect(scope.value).toHaveText(/^((< )?[01]\.\d{4})$/);
  const value = (await scope.value.textContent()) ?? "";
  const key = (await pair.locator(".as-key").textContent()) ?? "";
  const row = strongest.getByRole("row").filter({ has: page.getByRole("rowheader", { name: key }) });
  await expect(row.first()).toContainText(value);

  await scope.heatmap.click({ position: { x: 3, y: 3 } });
  await page.mouse.move(0, 0);
  await expect(scope.value).toHaveText(value);
});

test("the weights of every query sum to one", async ({ scope }) => {
  await scope.openLive();
  for (const kind of KINDS) {
    await scope.head(kind, 1, 2).click();
    const map = await readMap(scope);
    for (const row of map) {
      const sum = row.reduce((total, weight) => total + weight, 0);
      expect(Math.abs(sum - 1)).toBeLessThan(0.001);
    }
  }
});

test("the decoder does not look ahead", async ({ scope }) => {
  await scope.openLive("kind=decoder");
  const map = await readMap(scope);
  expect(map.length).toBeGreaterThan(2);
  map.forEach((row, query) => {
    expect(row.slice(query + 1).every((weight) => weight === 0)).toBe(true);
  });
});

test("the same head as lines and as a shaded sentence", async ({ page, scope }) => {
  await scope.openLive();
  await scope.choice("Inspector", "Lines").click();
  // However narrow the room, tokens can be read.
  const type = await page.locator(".lines-token").first().evaluate((token: SVGTextElement) => {
    const scale = token.getScreenCTM()?.a ?? 0;
    return scale * parseFloat(getComputedStyle(token).fontSize);
  });
  expect(type).toBeGreaterThan(11);
  await expect(page.getByTestId("lines")).toBeVisible();

  await scope.choice("Inspector", "Sentence").click();
  const sentence = page.getByTestId("sentence");
  await expect(sentence).toContainText("suis");
  await expect(sentence.locator(".current")).toHaveCount(1);
});

test("the colour scale is absolute unless the visitor normalises it", async ({ page, scope }) => {
  await scope.openLive();
  const legend = page.getByTestId("legend");
  await expect(legend).toContainText("1");
  const absolute = await legend.textContent();
  await page.getByRole("checkbox", { name: "Normalise each map" }).check();
  await expect(legend).not.toHaveText(absolute ?? "");
  await expect(page).toHaveURL(/normalised=1/);
});
