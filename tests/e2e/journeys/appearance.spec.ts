// Languages, themes, screen sizes.

import type { Page } from "@playwright/test";

import { expect, files, test } from "../scope";

test("the page speaks Chinese at a click and back", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await page.getByRole("button", { name: "切换到中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await expect(page.getByRole("tab").first()).toHaveText(/模型/);
  await expect(page).toHaveURL(/lang=zh/);
  await page.getByTestId("language").click();
  await expect(page.getByRole("tab", { name: "Model" })).toBeVisible();
});

test("no text stays in English when the page is in Chinese", async ({ page, scope }) => {
  for (const tab of ["heads", "decoding", "positions"]) {
    await scope.openLive(`lang=zh&tab=${tab}`);
    // What the model reads and writes stays as it is.
    const names = page.getByRole("tabpanel").locator("h2, h3, label, .hint, button:not(:has(.token))");
    const latin = (await names.allInnerTexts()).filter((text) =>
      /\b(the|of|and|is|layer|head|step|position)\b/i.test(text),
    );
    expect(latin).toEqual([]);
  }
});

test.describe("in a Chinese browser", () => {
  test.use({ locale: "zh-CN" });

  test("the page begins in Chinese", async ({ page, scope }) => {
    await scope.open();
    await expect(page.getByRole("button", { name: "English" })).toBeVisible();
  });
});

test("the theme can be chosen", async ({ page, scope }) => {
  await scope.open();
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-theme", "light");
  const light = await background(page);
  await page.getByRole("button", { name: /^Theme/ }).click();
  await expect(page).toHaveURL(/theme=light/);
  await page.getByRole("button", { name: /^Theme/ }).click();
  await expect(root).toHaveAttribute("data-theme", "dark");
  expect(await background(page)).not.toBe(light);
});

test.describe("where the system is dark", () => {
  test.use({ colorScheme: "dark" });

  test("the page is dark from the start", async ({ page, scope }) => {
    await page.route(files.pageScript, () => {});
    await page.goto("./", { waitUntil: "commit" });
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await scope.open("theme=light");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  });
});

for (const [name, width, height] of [
  ["phone", 360, 740],
  ["tablet", 768, 1024],
  ["projector", 1920, 1080],
] as const) {
  test(`nothing sticks out on a ${name}`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    for (const tab of ["heads", "decoding", "positions"]) {
      await scope.open(`tab=${tab}`);
      await expect(scope.origin).toBeVisible();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, tab).toBeLessThanOrEqual(0);
    }
  });
}

test("tabs, heads and the map are within reach of the keyboard", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await page.getByRole("tab", { name: "Model" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Decoding steps" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await scope.head("decoder", 1, 1).focus();
  await page.keyboard.press("ArrowUp");
  await expect(scope.figureTitle).toContainText("Layer 1, head 1 · Cross-attention");
  await expect(scope.head("cross", 1, 1)).toBeFocused();
});

async function background(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}
