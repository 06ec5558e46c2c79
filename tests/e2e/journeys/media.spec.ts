// The page on paper, and where the system forces its colours.

import type { Locator, Page } from "@playwright/test";

import { expect, freshTest, test } from "../scope";

test.describe("on paper", () => {
  test("it is white, without controls, and maps are in their places", async ({ page, scope }) => {
    await scope.openLive("theme=dark");
    await page.emulateMedia({ media: "print" });
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    expect(await style(page.locator("body"), "background-color")).toBe("rgb(255, 255, 255)");
    for (const control of ["play-model", "step-forward", "run", "theme", "normalise", "device"]) {
      await expect(page.getByTestId(control), control).toBeHidden();
    }
    await expect(page.getByRole("tab").first()).toBeHidden();
    await expect(scope.translation).toBeVisible();
    await expect(page.getByTestId("caption")).toBeVisible();

    const view = await box(page.getByTestId("model-map"));
    for (const corner of [scope.head("encoder", 1, 1), scope.head("encoder", 3, 8), scope.head("cross", 3, 8)]) {
      const head = await box(corner);
      expect(head.x).toBeGreaterThanOrEqual(view.x - 1);
      expect(head.y).toBeGreaterThanOrEqual(view.y - 1);
      expect(head.x + head.width).toBeLessThanOrEqual(view.x + view.width + 1);
      expect(head.y + head.height).toBeLessThanOrEqual(view.y + view.height + 1);
    }

    await page.emulateMedia({ media: "screen" });
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  });

  test("nothing is wider than a sheet", async ({ page, scope }) => {
    await scope.openLive();
    for (const view of [
      "tab=heads",
      "tab=decoding",
      "tab=learn&chapter=positions&way=sinusoidal",
      "tab=learn&chapter=positions&way=rope",
      "tab=learn&chapter=follow",
      "tab=learn&chapter=heads",
    ]) {
      await page.emulateMedia({ media: "screen" });
      await page.setViewportSize({ width: 1280, height: 720 });
      await scope.show(view);
      await page.emulateMedia({ media: "print" });
      // A4 less the margins.
      await scope.fits(703);
    }
  });

  test("links are numbered, and their addresses stand at the end", async ({ page, scope }) => {
    await scope.openLive("tab=learn&chapter=positions");
    await expect(page.locator("main a[href^='http']").first()).toBeVisible();
    await page.emulateMedia({ media: "print" });
    const addresses = page.getByTestId("printed-links").locator("li");
    const first = page.locator("main a[data-note]").first();
    const number = Number(await first.getAttribute("data-note"));
    await expect(addresses.nth(number - 1)).toHaveText((await first.getAttribute("href")) ?? "");
    await page.emulateMedia({ media: "screen" });
    await expect(page.getByTestId("printed-links")).toHaveCount(0);
  });

  test("the browser makes sheets of it", async ({ page, scope }) => {
    await scope.openLive();
    const sheets = await page.pdf({ format: "A4" });
    expect(sheets.byteLength).toBeGreaterThan(20_000);
    // Afterwards the page is as it was.
    await expect(page.getByTestId("play-model")).toBeVisible();
  });
});

test.describe("in forced colours", () => {
  test.beforeEach(async ({ page }) => {
    await page.emulateMedia({ forcedColors: "active" });
  });

  test("the chosen head, bars and legend stand out", async ({ page, scope }) => {
    await scope.openLive();
    const ground = await style(page.locator("body"), "background-color");
    const chosen = scope.head("cross", 3, 4);
    await expect(chosen).toHaveAttribute("aria-pressed", "true");
    expect(await style(chosen, "outline-width")).toBe("3px");
    expect(await style(chosen, "outline-color")).not.toBe(ground);
    expect(await style(scope.head("cross", 3, 5), "outline-width")).toBe("1px");
    // An outline moves nothing, as a border would.
    expect(await style(scope.head("cross", 3, 5), "border-top-width")).toBe("0px");
    expect(await style(page.locator(".legend-scale"), "background-image")).toContain("gradient");
    expect(await style(page.getByTestId("strongest-keys").locator(".bar").first(), "background-color")).not.toBe(ground);

    await scope.heatmap.focus();
    await page.keyboard.press("ArrowDown");
    expect(await style(page.locator(".mark-row"), "border-top-width")).toBe("2px");
    expect(await style(scope.heatmap, "outline-style")).toBe("solid");
  });

  test("what is selected stands out", async ({ page, scope }) => {
    await scope.openLive("tab=decoding");
    const [open, other] = [page.getByRole("tab", { selected: true }), page.getByRole("tab", { selected: false }).first()];
    expect(await style(open, "border-bottom-color")).not.toBe(await style(other, "border-bottom-color"));
    const [current, next] = [page.locator(".output-token.current"), page.getByTestId("output-token").nth(1)];
    expect(await style(current, "background-color")).not.toBe(await style(next, "background-color"));
    const pressed = page.locator(".segmented button[aria-pressed=true]").first();
    const free = page.locator(".segmented button[aria-pressed=false]").first();
    expect(await style(pressed, "background-color")).not.toBe(await style(free, "background-color"));
    // Words keep their shades: they are what is shown.
    const shades = await page.getByTestId("step-cross").locator(".word").evaluateAll((words) =>
      words.map((word) => getComputedStyle(word).backgroundColor),
    );
    expect(new Set(shades).size).toBeGreaterThan(1);
  });
});

freshTest("formulas have a font of their own, which is asked for when one is shown", async ({ page, scope }) => {
  const fonts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "font") fonts.push(request.url());
  });
  await scope.openLive();
  expect(fonts).toEqual([]);
  await scope.open("tab=learn&chapter=follow");
  await expect(page.locator("math").first()).toBeVisible();
  await expect.poll(() => fonts.length).toBe(1);
  expect(fonts[0]).toMatch(/stix-two-math\.\w+\.woff2$/);
  await expect.poll(() => isLoaded(page)).toBe(true);
});

async function isLoaded(page: Page): Promise<boolean> {
  return page.evaluate(() => document.fonts.check('16px "STIX Two Math"'));
}

/** The value of a property as it is in effect. */
async function style(element: Locator, property: string): Promise<string> {
  return element.evaluate((node, name) => getComputedStyle(node).getPropertyValue(name), property);
}

async function box(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("it is not on the page");
  return box;
}
