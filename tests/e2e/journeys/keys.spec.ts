// The keys that the page says it knows, and type as large as a projector needs it.

import type { Page } from "@playwright/test";

import { expect, test } from "../scope";

test("a key lists the keys, in both languages", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await page.keyboard.press("?");
  await expect(page.getByTestId("key-list")).toBeVisible();
  await expect(page.getByTestId("key-list")).toContainText("large type, and back");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("key-list")).toBeHidden();
  await page.getByTestId("language").click();
  await page.keyboard.press("?");
  await expect(page.getByTestId("key-list")).toContainText("切换大字号");
  await page.keyboard.press("?");
  await expect(page.getByTestId("key-list")).toBeHidden();
});

test("the list has the keys of the view in sight, and no others", async ({ page, scope }) => {
  const list = page.getByTestId("key-list");
  await scope.open();
  await scope.isDrawn();
  await page.keyboard.press("?");
  await expect(list).toContainText("On the map of the model");
  await expect(list).toContainText("pin the query to this key");
  await expect(list).not.toContainText("In presenter mode");
  await scope.open("tab=learn&chapter=follow");
  await expect(page.getByTestId("stages")).toBeVisible();
  await page.keyboard.press("?");
  await expect(list).toContainText("The stages of the figure");
  await expect(list).not.toContainText("On the map of the model");
  await expect(list).not.toContainText("On the picture");
});

test("letters that are typed are no keys of the page", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await scope.text.fill("");
  await scope.text.pressSequentially("l?");
  await expect(scope.text).toHaveValue("l?");
  await expect(page.locator("html")).toHaveAttribute("data-type", "usual");
  await expect(page.getByTestId("key-list")).toBeHidden();
});

test("space plays the steps, also while the heatmap has the focus", async ({ page, scope }) => {
  await scope.openLive();
  await scope.heatmap.focus();
  await page.keyboard.press("Space");
  await expect(page.getByTestId("play")).toHaveAccessibleName("Pause");
  await page.keyboard.press("Space");
  await expect(page.getByTestId("play")).toHaveAccessibleName("Play");
});

test("arrows that read a plot do not step", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=positions&way=rope");
  const plot = page.getByRole("slider", { name: "Random queries and keys" });
  const before = (await plot.getAttribute("aria-valuetext")) ?? "";
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(plot).not.toHaveAttribute("aria-valuetext", before);
  await expect(page).not.toHaveURL(/step=/);
});

test("a key makes type large; it is remembered, and in the address", async ({ page, scope }) => {
  await scope.openLive();
  const before = await typeSize(page);
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/large=1/);
  await expect.poll(() => typeSize(page)).toBeCloseTo(before * 1.35, 1);
  await scope.open();
  await scope.isDrawn();
  await expect(page.locator("html")).toHaveAttribute("data-type", "large");
  await page.keyboard.press("?");
  await page.getByTestId("large-type").uncheck();
  await expect(page).not.toHaveURL(/large=1/);
  await scope.open();
  await expect(page.locator("html")).toHaveAttribute("data-type", "usual");
  // A link's own comes first.
  await scope.open("large=1");
  await expect(page.locator("html")).toHaveAttribute("data-type", "large");
});

test("the figures' labels are larger too", async ({ page, scope }) => {
  const label = page.locator(".map-queries .map-label").first();
  const height = async (): Promise<number> => label.evaluate((one) => parseFloat(getComputedStyle(one).fontSize));
  const text = "text=" + "je+suis+là+".repeat(12);
  await scope.openLive(text);
  const before = await height();
  await page.keyboard.press("l");
  await expect.poll(height).toBeGreaterThan(before);
  // The chapter on positions, at what the translator does.
  await scope.zoomIn();
  await page.getByTestId("map-embedding").first().click();
  const plot = page.locator(".plot-drawing svg").first();
  const drawn = async (): Promise<number> => Number((await plot.getAttribute("viewBox"))?.split(" ")[2]);
  const large = await drawn();
  await page.keyboard.press("l");
  await expect.poll(drawn).toBeGreaterThan(large);
});

test("in large type nothing sticks out of a phone, a screen or a projector", async ({ scope }) => {
  await scope.openLive();
  for (const view of [
    "tab=heads&with=1.4&rows=1.2",
    "tab=heads&off=cross.1.3-encoder.0.2&importance=1",
    "show=claim&off=cross.1.3-encoder.0.2",
    "tab=decoding",
    "tab=learn&chapter=positions&way=sinusoidal",
    "tab=learn&chapter=positions&way=rope",
    "tab=heads&lang=zh",
  ]) {
    await scope.show(`${view}&large=1`);
    await scope.fits(1440, 1920, 390);
  }
});

async function typeSize(page: Page): Promise<number> {
  return page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
}
