// Pictures that are drawn step by step: played, stepped, scrubbed, by pointer and by keyboard, without motion where the
// visitor wants none.

import type { Locator } from "@playwright/test";

import { expect, test } from "../scope";

/** The running animations of the picture's marks. */
function moving(figure: Locator): Promise<number> {
  return figure.evaluate((element) => element.getAnimations({ subtree: true }).length);
}

test("one layer on one page, step by step", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=heads&kind=encoder&layer=2&head=3");
  const figure = page.getByTestId("whole-layer");
  await expect(figure).toHaveAttribute("data-step", "1");
  await expect(figure.getByRole("img")).toHaveAttribute("aria-label", /^Step 1 of 9: x, the vector of/);
  await figure.getByTestId("step-forward").click();
  await expect(page).toHaveURL(/heads-step=2/);
  await expect(figure.locator(".staged-vector.is-new")).toHaveCount(24);
  await figure.getByTestId("scrubber").fill("3");
  await expect(figure.getByTestId("step-of")).toHaveText(/Head 3 takes most from “.+”: \d+ ?%\.$/);
  await page.keyboard.press("End");
  await expect(figure).toHaveAttribute("data-step", "9");
  await expect(figure.locator(".is-later")).toHaveCount(0);
  await figure.getByTestId("export").click();
  await expect(page.getByTestId("export-preview")).toBeVisible();
  await page.getByTestId("export-close").click();
});

test("what a step brings arrives with motion, or at once", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=heads&kind=encoder&layer=2&head=3");
  const figure = page.getByTestId("whole-layer");
  await figure.getByTestId("step-forward").click();
  await expect(figure.locator(".is-new").first()).toBeAttached();
  expect(await moving(figure)).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await figure.getByTestId("step-forward").click();
  await expect(figure).toHaveAttribute("data-step", "3");
  expect(await moving(figure)).toBe(0);
  await page.emulateMedia({ reducedMotion: null });
});

test("tokens exchange lines at the block of attention that is played", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive();
  await page.getByTestId("play-model").click();
  const scrubber = page.getByTestId("map-scrubber");
  // The third block of the translator is its first self-attention.
  await scrubber.fill("3");
  await expect(page.getByTestId("play-model")).toContainText("Play");
  const exchange = page.getByTestId("map-exchange");
  await expect(exchange.locator(".exchange-line").first()).toBeAttached();
  await expect(page.getByTestId("exchange-words")).toHaveText(
    /layer 1, mean over the heads \(h = 8\): “.+” takes most from “.+”, \d+ ?%\./,
  );
  await scrubber.focus();
  await page.keyboard.press("ArrowRight");
  await expect(exchange.locator(".exchange-line")).toHaveCount(0);
  await page.keyboard.press("ArrowLeft");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expect(exchange.locator(".exchange-line").first()).toBeAttached();
  expect(await moving(exchange)).toBe(0);
  await page.emulateMedia({ reducedMotion: null });
});
