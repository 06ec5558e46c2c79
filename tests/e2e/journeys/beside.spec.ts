// The layout of chapters: a figure beside its text, in sight while the text is read; on a phone above it.

import type { Locator } from "@playwright/test";

import { expect, test } from "../scope";

/** Where an element is in the window. */
async function box(element: Locator): Promise<DOMRect> {
  return element.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
}

for (const [width, height] of [
  [1280, 720],
  [1440, 900],
] as const) {
  test(`a figure stands beside its text and stays in sight at ${width} × ${height}`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await scope.openLive("tab=learn&chapter=heads&lang=en");
    const text = page.locator(".prose", { has: page.getByRole("heading", { name: "All heads on one sentence" }) });
    const figure = page.getByTestId("overlay");
    await expect(figure).toBeVisible();
    await expect.poll(async () => (await box(figure)).left >= (await box(text)).right).toBe(true);
    // While its text is read, all of it is in sight.
    const from = (await box(figure)).top;
    await page.evaluate((top) => scrollTo(0, top), from + 100);
    await expect.poll(async () => (await box(figure)).top).toBeGreaterThanOrEqual(0);
    expect((await box(figure)).top).toBeLessThan(height / 2);
    // It ends where its text does, and lies over nothing that comes after.
    await text.evaluate((element) => element.scrollIntoView({ block: "start" }));
    await expect.poll(async () => Math.abs((await box(figure)).bottom - (await box(text)).bottom)).toBeLessThan(2);
  });

  test(`each screen of Start fits into ${width} × ${height}`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await scope.openLive("tab=learn&chapter=start&lang=en");
    for (let screen = 0; screen < 10; screen += 1) {
      await page.evaluate(() => scrollTo(0, 0));
      const figure = page.getByTestId("screen");
      await expect(figure).toBeVisible();
      await expect.poll(async () => (await box(figure)).bottom, `figure of screen ${screen + 1}`).toBeLessThanOrEqual(height);
      const takeaway = page.locator(".stage-text blockquote");
      await expect.poll(async () => (await box(takeaway)).bottom, `takeaway of screen ${screen + 1}`).toBeLessThanOrEqual(height);
      await page.keyboard.press("ArrowRight");
      if (screen < 9) await expect(page).toHaveURL(new RegExp(`stage=${screen + 2}`));
    }
  });
}

test("on a phone the figure comes before its text", async ({ page, scope }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await scope.openLive("tab=learn&chapter=start&stage=1&lang=en");
  await expect.poll(async () => (await box(page.getByTestId("screen"))).top).toBeLessThan(844 / 2);
  await expect.poll(async () => (await box(page.locator(".stage-text"))).top > (await box(page.getByTestId("screen"))).top).toBe(true);
  await scope.show("tab=learn&chapter=heads&lang=en");
  const figure = page.getByTestId("overlay");
  await expect.poll(async () => (await box(page.locator(".chapter > .prose").first())).top > (await box(figure)).top).toBe(true);
  await scope.fits(390);
});
