// Several heads and several tokens at once: their mean, by pointer, by keyboard and out of a link.

import { expect, freshTest, type Scope, test } from "../scope";

test("heads that are clicked together are one mean", async ({ page, scope }) => {
  await scope.openLive("cell=0.1");
  const one = await valueOf(scope, "Layer 2, head 4");
  await scope.head("cross", 2, 5).click({ modifiers: ["Control"] });
  const mean = await valueOf(scope, "Mean of 2 heads · Cross-attention");
  await expect(page).toHaveURL(/with=2\.5/);
  await expect(scope.head("cross", 2, 4)).toHaveAttribute("aria-pressed", "true");
  await expect(scope.head("cross", 2, 5)).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByTestId("caption")).toContainText("the mean of 2 heads");

  await scope.head("cross", 2, 5).click();
  const other = await valueOf(scope, "Layer 2, head 5");
  // Each is written to four decimals.
  expect(Math.abs(mean - (one + other) / 2)).toBeLessThan(1.01e-4);
  await expect(page).not.toHaveURL(/with=/);
});

test("a head is taken out, and one of another kind begins anew", async ({ page, scope }) => {
  await scope.openLive("layer=1&head=3");
  const chosen = page.getByTestId("chosen-heads");
  await expect(chosen).toHaveCount(0);
  for (const number of [5, 6]) await scope.head("cross", 2, number).click({ modifiers: ["Shift"] });
  await page.mouse.move(0, 0);
  await expect(chosen.getByTestId("take-out")).toHaveCount(3);
  await chosen.getByRole("button", { name: "Take out L2 H4" }).click();
  await expect(scope.figureTitle).toHaveText("Mean of 2 heads · Cross-attention");
  await chosen.getByTestId("one-head").click();
  await expect(scope.figureTitle).toContainText("Layer 2, head 5");
  await expect(chosen).toHaveCount(0);

  await scope.head("cross", 2, 6).click({ modifiers: ["Control"] });
  await scope.head("decoder", 1, 1).click({ modifiers: ["Control"] });
  await page.mouse.move(0, 0);
  await expect(scope.figureTitle).toContainText("Layer 1, head 1 · Decoder");
});

test("heads are added by keyboard", async ({ page, scope }) => {
  await scope.openLive("layer=1&head=3");
  await scope.head("cross", 2, 4).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect(scope.head("cross", 2, 5)).toBeFocused();
  await expect(scope.figureTitle).toHaveText("Mean of 2 heads · Cross-attention");
  // Past the heads of other kinds.
  await page.keyboard.press("Shift+ArrowUp");
  await expect(scope.head("cross", 3, 5)).toBeFocused();
  await expect(scope.figureTitle).toHaveText("Mean of 3 heads · Cross-attention");
  await page.keyboard.press("Escape");
  await expect(scope.figureTitle).toContainText("Layer 2, head 4");

  // Without Shift, once the switch says so.
  await page.getByTestId("several").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("several")).toHaveAttribute("aria-pressed", "true");
  await scope.head("cross", 2, 4).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(scope.head("cross", 2, 6)).toBeFocused();
  await expect(scope.figureTitle).toContainText("Layer 2, head 4");
  await page.keyboard.press("Enter");
  await expect(scope.figureTitle).toHaveText("Mean of 2 heads · Cross-attention");
});

test("the focus stays in reach when what had it is taken out", async ({ page, scope }) => {
  await scope.openLive("with=1.4");
  const out = page.getByTestId("chosen-heads").getByTestId("take-out");
  await out.last().focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("chosen-heads")).toHaveCount(0);
  await expect(scope.head("cross", 2, 4)).toBeFocused();
});

test("tokens that are dragged over are read together", async ({ page, scope }) => {
  await scope.openLive();
  await drag(scope, 1, 3);
  await expect(page.getByTestId("chosen-tokens").getByTestId("take-out")).toHaveCount(3);
  await expect(page.getByTestId("caption")).toHaveText(/^These 3 tokens (take|spread)/);
  await expect(page.getByTestId("strongest-keys").locator("caption")).toContainText("3 tokens (mean)");
  await expect(page).toHaveURL(/rows=2\.3\.4/);
  await expect(page.locator(".map-queries .in-sight")).toHaveCount(3);

  // One more, one less.
  const [x, y] = await tokenOf(scope, 0);
  await page.keyboard.down("Control");
  await page.mouse.click(x, y);
  await page.keyboard.up("Control");
  await page.mouse.move(0, 0);
  await expect(page).toHaveURL(/rows=1\.2\.3\.4/);
  await page.getByTestId("chosen-tokens").getByTestId("take-out").first().click();
  await expect(page).toHaveURL(/rows=2\.3\.4/);

  // Another step is read alone.
  await page.getByTestId("step-forward").click();
  await expect(page.getByTestId("chosen-tokens")).toHaveCount(0);
  await expect(page.getByTestId("caption")).toContainText("To write");
});

test("by keyboard, what tokens take together is the mean of what each takes", async ({ page, scope }) => {
  await scope.openLive("show=sentence");
  const sentence = page.getByTestId("sentence");
  await sentence.focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/cell=2\./);
  const first = await weights(scope);
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/cell=3\./);
  const second = await weights(scope);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(sentence.locator(".current")).toHaveCount(2);
  const mean = await weights(scope);
  expect(mean.length).toBe(first.length);
  mean.forEach((weight, key) => {
    expect(Math.abs(weight - ((first[key] ?? NaN) + (second[key] ?? NaN)) / 2)).toBeLessThan(1.01e-4);
  });
  expect(Math.abs(mean.reduce((sum, weight) => sum + weight, 0) - 1)).toBeLessThan(0.002);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/rows=/);
});

test("rows are added in the heatmap by keyboard", async ({ page, scope }) => {
  await scope.openLive("cell=1.0");
  await scope.heatmap.focus();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await expect(page).toHaveURL(/rows=2\.3\.4/);
  await page.keyboard.press("Shift+ArrowUp");
  await expect(page).toHaveURL(/rows=2\.3(?!\.)/);
});

test("in self-attention, whom tokens read stands beside who reads them", async ({ page, scope }) => {
  await scope.openLive("kind=encoder&rows=0.1");
  await expect(page.getByTestId("strongest-keys").locator("caption")).toContainText("2 tokens (mean)");
  await expect(page.getByTestId("strongest-readers").locator("caption")).toContainText("2 tokens (sum)");
  await page.getByTestId("one-token").click();
  await page.mouse.move(0, 0);
  const name = await page.getByTestId("strongest-keys").locator("caption .token").textContent();
  await expect(page.getByTestId("strongest-readers").locator("caption .token")).toHaveText(name ?? "");
});

test("a link restores the choice, in both languages", async ({ page, scope }) => {
  await scope.openLive("with=1.4.0.2&rows=1.2.3&lang=en");
  await expect(scope.figureTitle).toHaveText("Mean of 3 heads · Cross-attention");
  await expect(page.getByTestId("chosen-heads").getByTestId("take-out")).toHaveCount(3);
  await expect(page.getByTestId("chosen-tokens").getByTestId("take-out")).toHaveCount(3);
  await expect(page.getByTestId("caption")).toContainText("the mean of 3 heads");
  await scope.openLive("with=1.4.0.2&rows=1.2.3&lang=zh");
  await expect(scope.figureTitle).toHaveText("3 个头的平均 · 交叉注意力");
  await expect(page.getByTestId("caption")).toContainText("3 个头的平均注意力");
  await expect(page.getByTestId("caption")).toContainText("这 3 个词元");
});

test("lines are those of the chosen tokens", async ({ page, scope }) => {
  await scope.openLive("show=lines&rows=1.2");
  const shown = page.locator(".lines-strokes path:not(.hidden)");
  await expect(shown.first()).toBeAttached();
  const queries = await shown.evaluateAll((lines) => lines.map((line) => line.getAttribute("data-query")));
  expect([...new Set(queries)].sort()).toEqual(["1", "2"]);
});

test.describe("by touch", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  freshTest("a switch has taps add to the choice, and nothing sticks out", async ({ page, scope }) => {
    await scope.openLive();
    await page.getByTestId("several").tap();
    await scope.head("cross", 2, 5).tap();
    await expect(scope.figureTitle).toHaveText("Mean of 2 heads · Cross-attention");
    const [x, y] = await tokenOf(scope, 2);
    await page.touchscreen.tap(x, y);
    await expect(page.getByTestId("chosen-tokens")).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

/** The locked cell's value, once the figure shows what its title is to say. */
async function valueOf(scope: Scope, title: string): Promise<number> {
  await scope.page.mouse.move(0, 0);
  await expect(scope.figureTitle).toContainText(title);
  return scope.number(scope.value);
}

/** Where the token of a row of the heatmap is. */
async function tokenOf(scope: Scope, row: number): Promise<[number, number]> {
  const tokens = scope.page.locator(".map-queries");
  await tokens.scrollIntoViewIfNeeded();
  const box = await tokens.boundingBox();
  if (box === null) throw new Error("the map is not on screen");
  const style = (await scope.page.locator(".map").getAttribute("style")) ?? "";
  const rows = Number(/--rows: (\d+)/.exec(style)?.[1]);
  return [box.x + box.width / 2, box.y + ((row + 0.5) * box.height) / rows];
}

/** Drags the pointer over the tokens of rows. */
async function drag(scope: Scope, from: number, to: number): Promise<void> {
  const { mouse } = scope.page;
  await mouse.move(...(await tokenOf(scope, from)));
  await mouse.down();
  await mouse.move(...(await tokenOf(scope, to)), { steps: 8 });
  await mouse.up();
  await mouse.move(0, 0);
}

/** The weights of all keys in the shaded sentence. */
async function weights(scope: Scope): Promise<number[]> {
  const words = scope.page.getByTestId("sentence").locator("[data-weight]");
  return words.evaluateAll((all) => all.map((word) => Number(word.getAttribute("data-weight"))));
}
