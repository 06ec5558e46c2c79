// The front door: the whole model on one screen, from the model to a head to a cell, and the sentence on its way.

import { expect, freshTest, test } from "../scope";

test("the whole model and the chosen head are on one screen", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive();
  const scrolls = await page.evaluate(
    () => document.documentElement.scrollHeight - document.documentElement.clientHeight,
  );
  expect(scrolls).toBeLessThanOrEqual(0);
  for (const place of [
    scope.head("encoder", 1, 1),
    scope.head("decoder", 3, 8),
    scope.heatmap,
    page.getByTestId("caption"),
    page.getByTestId("map-words"),
    page.getByTestId("step-forward"),
  ]) {
    await expect(place).toBeInViewport({ ratio: 0.9 });
  }
});

test("the caption says in words what the numbers say", async ({ page, scope }) => {
  await scope.openLive();
  const caption = page.getByTestId("caption");
  const strongest = page.getByTestId("strongest-keys").getByRole("row").first();
  for (const step of [1, 2, 3]) {
    await expect(page.getByTestId("step-of")).toHaveText(new RegExp(`^Step ${step} of`));
    const key = (await strongest.getByRole("rowheader").textContent()) ?? "";
    const weight = Number(await strongest.locator("td.number").textContent());
    const next = await page.getByTestId("output-token").nth(step - 1).locator(".token").textContent();
    await expect(caption).toContainText(`To write “${next}” after`);
    await expect(caption).toContainText(`from “${key}”`);
    if (weight < 0.99) await expect(caption).toContainText(`${Math.round(weight * 100)} %`);
    await page.getByTestId("step-forward").click();
  }
  // What it was measured to do, and of a head that looks back that this is not to write the word.
  await expect(page.getByTestId("caption-measured")).toContainText("finds where the word being written comes from");
  await scope.head("cross", 2, 4).click();
  await page.mouse.move(0, 0);
  await expect(caption).toContainText("Having read");
  await expect(page.getByTestId("caption-measured")).toContainText("where the word just read came from");
});

test("by keyboard from the model to a head, its cells, and back", async ({ page, scope }) => {
  await scope.openLive();
  await scope.head("cross", 2, 4).focus();
  await page.keyboard.press("ArrowUp");
  await expect(scope.head("decoder", 3, 4)).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(scope.figureTitle).toContainText("Layer 3, head 5");
  // The head is chosen: Enter goes closer.
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("map-cells")).toBeVisible();
  await expect(page.getByTestId("map-cells").locator("text").first()).toHaveText(/^<?\d\.\d\d$/);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("map-cells")).toHaveCount(0);
  await expect(page.getByTestId("zoom-back")).toHaveCount(0);
});

test("the wheel goes closer to what is under the pointer", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive();
  // In the middle of the map: near its edge the map stops before it shows what is beyond.
  const head = scope.head("encoder", 2, 4);
  const before = await head.boundingBox();
  if (before === null) throw new Error("the head is not on screen");
  // A wheel event holds whole pixels.
  const [x, y] = [Math.round(before.x + before.width / 2), Math.round(before.y + before.height / 2)];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -800);
  await expect.poll(async () => (await head.boundingBox())?.width ?? 0).toBeGreaterThan(2 * before.width);
  const after = await head.boundingBox();
  if (after === null) throw new Error("the head is gone");
  // The same point of the head is under the pointer.
  const scale = after.width / before.width;
  expect(Math.abs(x - after.x - scale * (x - before.x))).toBeLessThan(1);
  expect(Math.abs(y - after.y - scale * (y - before.y))).toBeLessThan(1);
  await page.getByTestId("zoom-back").click();
  await expect.poll(async () => Math.round((await head.boundingBox())?.width ?? 0)).toBe(Math.round(before.width));
});

test("close by, the map can be dragged, and a drag is no click", async ({ page, scope }) => {
  await scope.openLive();
  await scope.zoomIn();
  await page.getByTestId("zoom-in").click();
  const title = (await scope.figureTitle.textContent()) ?? "";
  const head = scope.head("cross", 2, 4);
  const view = await page.getByTestId("model-map").boundingBox();
  const before = await head.boundingBox();
  if (before === null || view === null) throw new Error("the map is not on screen");
  const [x, y] = [view.x + view.width / 2, view.y + view.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 20, y - 12, { steps: 4 });
  await page.mouse.move(x - 40, y - 24, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(0, 0);
  const after = await head.boundingBox();
  // The first pixels are the slack that makes a press a drag.
  expect(before.x - (after?.x ?? NaN)).toBeGreaterThan(30);
  expect(before.x - (after?.x ?? NaN)).toBeLessThanOrEqual(41);
  await expect(scope.figureTitle).toHaveText(title);
});

test("play sends the sentence through, token by token", async ({ page, scope }) => {
  await scope.openLive();
  await page.getByTestId("play-model").click();
  await expect(page.locator(".map-block.is-reached")).toHaveCount(1);
  await expect(page.getByTestId("step-of")).toHaveText(/^Step 2 of/, { timeout: 20_000 });
  await page.getByTestId("play-model").click();
  await expect(page.getByTestId("play-model")).toContainText("Play");
});

test("a token of the map is selected with a click", async ({ page, scope }) => {
  await scope.openLive();
  await page.locator(".map-chip").filter({ hasText: "suis" }).click();
  await expect(page.getByTestId("strongest-readers").locator("caption")).toContainText("suis");
});

freshTest("text that has not run is marked, and is in no link", async ({ page, scope, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await scope.openLive();
  await scope.text.fill("Je ne sais pas encore");
  await expect(scope.origin).toHaveText("Edited: press Run");
  await page.getByTestId("share-menu").locator("> summary").click();
  await page.getByTestId("share").click();
  await expect(page.getByTestId("share")).toHaveText("Link copied");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(decodeURIComponent(link)).not.toContain("encore");
  await scope.text.press("Enter");
  await expect(scope.origin).toHaveText("Live");
});

test("the keys step wherever the page says they do, also after a click on a tab", async ({ page, scope }) => {
  await scope.openLive("tab=learn");
  await page.getByRole("tab", { name: "Explore" }).click();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("step-of")).toHaveText(/^Step 2 of/);
  await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute("aria-selected", "true");
  await page.goBack();
  await expect(page.getByRole("tab", { name: "Learn" })).toHaveAttribute("aria-selected", "true");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the steps are at hand wherever one scrolls", async ({ page, scope }) => {
    await scope.openLive();
    await expect(page.getByRole("heading", { name: "Attention Scope" })).toBeVisible();
    // A finger hits every head, and the chosen one is in sight.
    const sides = await scope.thumbnails.evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().width));
    expect(Math.min(...sides)).toBeGreaterThanOrEqual(24);
    const chosen = scope.head("cross", 3, 4);
    await expect(chosen).toHaveAttribute("aria-pressed", "true");
    const [middle] = await chosen.evaluate((head) => {
      const box = head.getBoundingClientRect();
      return [box.left + box.width / 2];
    });
    expect(middle).toBeGreaterThan(0);
    expect(middle).toBeLessThan(390);
    await scope.heatmap.scrollIntoViewIfNeeded();
    await expect(page.getByTestId("step-forward")).toBeInViewport();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

test("a link restores what part of the map was in sight, in a window of another size too", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive();
  const head = scope.head("encoder", 2, 3);
  await head.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("map-cells")).toBeVisible();
  await expect(page).toHaveURL(/map=head/);
  const there = page.url();
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1100, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    await page.goto("about:blank");
    await page.goto(there);
    await scope.becomesLive();
    const [view, box] = [await page.getByTestId("model-map").boundingBox(), await head.boundingBox()];
    if (view === null || box === null) throw new Error("the map is not on screen");
    expect(Math.abs(box.x + box.width / 2 - view.x - view.width / 2)).toBeLessThan(view.width / 8);
    expect(box.width).toBeGreaterThan(view.height / 3);
  }
  // Lines keep their width, names stand beside the head, and the way back is in sight.
  const [names, frame] = [await page.getByTestId("map-queries").boundingBox(), await head.boundingBox()];
  if (names === null || frame === null) throw new Error("the head is not on screen");
  expect(names.x + names.width).toBeLessThanOrEqual(frame.x + 1);
  const line = await page.locator(".map-cells-field").evaluate((field) => {
    const zoom = field.getBoundingClientRect().width / Number(field.getAttribute("width"));
    return zoom * parseFloat(getComputedStyle(field).strokeWidth);
  });
  expect(line).toBeGreaterThan(1);
  expect(line).toBeLessThan(5);
  await page.getByTestId("zoom-back").click();
  await expect(page.getByTestId("zoom-back")).toHaveCount(0);
  await expect(page).not.toHaveURL(/map=/);
});

test("the model in small says where one is and leads there", async ({ page, scope }) => {
  await scope.openLive();
  const here = page.getByTestId("here");
  // Beside the map itself it would say nothing.
  await expect(here).toHaveCount(0);
  await scope.zoomIn();
  await page.getByTestId("map-embedding").first().click();
  await expect(here).toHaveAccessibleName(/Embedding \+ positions/);
  await expect(here.locator(".is-here")).toHaveCount(2);
  await page.goto("./#tab=learn&chapter=follow&kind=cross&layer=2&head=3");
  await expect(here).toHaveAccessibleName(/Layer 3, head 4 · Cross-attention/);
  await here.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("tab-explore")).toHaveAttribute("aria-selected", "true");
  await expect(scope.head("cross", 3, 4)).toBeInViewport();
});
