// Languages, themes, screen sizes.

import type { Page } from "@playwright/test";

import { expect, files, freshTest, test } from "../scope";

freshTest("the page speaks Chinese at a click and back", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await page.getByRole("button", { name: "切换到中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await expect(page.getByRole("tab").first()).toHaveText(/探索/);
  await expect(page).toHaveURL(/lang=zh/);
  await page.getByTestId("language").click();
  await expect(page.getByRole("tab", { name: "Explore" })).toBeVisible();
});

test("no text stays in English when the page is in Chinese", async ({ page, scope }) => {
  for (const view of ["tab=heads", "tab=decoding", "tab=learn&chapter=positions"]) {
    await scope.openLive(`lang=zh&${view}`);
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

  freshTest("the page begins in Chinese", async ({ page, scope }) => {
    await scope.open();
    await expect(page.getByRole("button", { name: "English" })).toBeVisible();
    await expect(page).toHaveURL(/lang=zh/);
  });

  freshTest("a link from an English page is in English, and a click changes it", async ({ page, scope }) => {
    await scope.open("lang=en");
    await expect(page.getByRole("tab", { name: "Explore" })).toBeVisible();
    await page.getByTestId("language").click();
    await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  });
});

freshTest("the theme can be chosen", async ({ page, scope }) => {
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

freshTest("language and theme are remembered, and a link's theme comes first", async ({ page, scope }) => {
  await scope.open();
  await page.getByTestId("theme").click();
  await page.getByTestId("theme").click();
  await page.getByTestId("language").click();
  await expect(page).toHaveURL(/lang=zh/);
  await scope.open();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await scope.open("lang=en&theme=light");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});

freshTest("a link is read in its sender's language until the reader chooses one", async ({ page, scope }) => {
  await scope.open("lang=zh");
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await page.getByTestId("language").click();
  await expect(page.getByRole("tab", { name: "Explore" })).toBeVisible();
  // From now on the reader's choice holds, in links, in bare addresses and on the way back.
  await scope.open("lang=zh&tab=learn");
  await expect(page.getByRole("tab", { name: "Learn" })).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/lang=en/);
  await page.evaluate(() => (location.hash = "lang=zh"));
  await expect(page.getByRole("tab", { name: "Explore" })).toHaveAttribute("aria-selected", "true");
});

test.describe("where the system is dark", () => {
  test.use({ colorScheme: "dark" });

  freshTest("the page is dark from the start", async ({ page, scope }) => {
    await page.route(files.pageScript, () => {});
    await page.goto("./", { waitUntil: "commit" });
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await scope.open("theme=light");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  });
});

test("a formula that is wider than the screen scrolls by itself, by keyboard too", async ({ page, scope }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await scope.open("tab=learn&chapter=norms");
  const formulas = page.getByTestId("chapter").locator(".display-math");
  await expect(formulas.first()).toBeVisible();
  for (const formula of await formulas.all()) {
    const [width, room] = await formula.evaluate((element) => [element.clientWidth, document.documentElement.clientWidth]);
    expect(width).toBeLessThanOrEqual(room ?? 0);
    await expect(formula).toHaveAttribute("tabindex", "0");
  }
});

test("tabs, heads and the map are within reach of the keyboard", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  // The first keys of all lead past the header.
  await page.keyboard.press("Tab");
  await expect(page.getByTestId("skip-to-text")).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(scope.text).toBeFocused();
  await page.getByTestId("skip-to-contents").focus();
  await page.keyboard.press("Enter");
  await expect(scope.heatmap).toBeFocused();
  await page.getByRole("tab", { name: "Explore" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Learn" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await scope.head("decoder", 1, 1).focus();
  await page.keyboard.press("ArrowUp");
  await expect(scope.figureTitle).toContainText("Layer 1, head 1 · Cross-attention");
  await expect(scope.head("cross", 1, 1)).toBeFocused();
});

async function background(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}
