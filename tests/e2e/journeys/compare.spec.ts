// The chapter that sets two results side by side: two heads, two texts, two models, before and after the edits.

import type { Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=compare&kind=encoder&layer=1&head=3";

/** The three numbers of the cell that is read: left, right, and right minus left. */
async function reading(page: Page): Promise<[number, number, number]> {
  const text = (await page.getByTestId("compare-readout").textContent()) ?? "";
  const numbers = /left ((?:[<>] )?\S+), right ((?:[<>] )?\S+), difference ((?:[<>] )?\S+?)(?=[A-Z]|\s|$)/.exec(text)?.slice(1) ?? [];
  const [left = NaN, right = NaN, difference = NaN] = numbers.map(share);
  return [left, right, difference];
}

test("two heads under one cursor: pointed at, locked, moved by keys, and the link keeps the cell", async ({
  page,
  scope,
}) => {
  await scope.openLive(chapter);
  await expect(page.getByTestId("compare-summary")).toContainText("The largest difference is at");
  await page.getByTestId("compare-other-head").selectOption({ label: "6" });
  await expect(page).toHaveURL(/compare-head=encoder\.2\.6/);
  const left = page.getByTestId("compare-left");
  await scope.pointAt(left, 0.1, 0.1);
  await expect(page.getByTestId("compare-readout")).toContainText("difference");
  const [one, other, difference] = await reading(page);
  expect(difference).toBeCloseTo(other - one, 3);
  // In the difference map the same cell is marked.
  await expect(page.getByTestId("compare-difference").locator(".compare-mark.cell")).toBeVisible();
  await page.mouse.down();
  await page.mouse.up();
  await expect(page).toHaveURL(/compare-cell=1\.1/);
  await page.mouse.move(0, 0);
  await page.getByTestId("compare-right").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/compare-cell=2\.2/);
  const read = await page.getByTestId("compare-readout").textContent();
  // A head of the grid is put on the right.
  await page.locator("[data-testid=compare-thumb][data-head='encoder.0.2']").click();
  await expect(page).toHaveURL(/compare-head=encoder\.1\.3/);
  await scope.openLive(`${chapter}&compare-head=encoder.1.5&compare-cell=1.1`);
  await expect(page.getByTestId("compare-readout")).toHaveText(read ?? "");
});

test("two texts of different lengths: tokens without a partner are marked, and a text alone says what is wrong", async ({
  page,
  scope,
}) => {
  await scope.openLive(`${chapter}&compare=texts`);
  await expect(page.getByTestId("compare-same-text")).toBeVisible();
  await page.getByTestId("compare-text").fill("Je suis un grand étudiant");
  await page.getByTestId("compare-read").click();
  await expect(page).toHaveURL(/compare-text=Je\+suis\+un\+grand/);
  await expect(page.getByTestId("compare-alignment")).toContainText(/without a partner [1-9]/);
  await expect(page.getByTestId("compare-left").locator(".compare-gap.row").first()).toBeVisible();
  await expect(page.getByTestId("compare-overview")).toBeVisible();
  const summary = await page.getByTestId("compare-summary").textContent();
  await page.reload();
  await scope.becomesLive();
  await expect(page.getByTestId("compare-summary")).toHaveText(summary ?? "");
  await page.getByTestId("compare-text").fill("");
  await page.getByTestId("compare-read").click();
  await expect(page.getByTestId("second-idle")).toContainText("Type a sentence first");
  // The last comparison stays, with the text that it is of.
  await expect(page.getByTestId("compare-summary")).toHaveText(summary ?? "");
  await expect(page.getByTestId("chapter").getByTestId("compare")).toContainText("Je suis un grand étudiant");
});

test("two models: the second is loaded when it is chosen and its worker ends with the chapter", async ({
  page,
  scope,
}) => {
  await scope.openLive("tab=learn&chapter=compare&model=positions-rope&compare=models");
  const workers = page.workers().length;
  await page.getByTestId("compare-model").selectOption("Position models · T5 bias");
  await expect(page).toHaveURL(/compare-model=positions-t5/);
  await expect(page.getByTestId("compare-summary")).toContainText("The largest difference is at");
  await expect(page.getByTestId("compare-thumb")).toHaveCount(2 * 4);
  expect(page.workers().length).toBeGreaterThan(workers);
  await page.getByTestId("compare-large").first().click();
  await expect(page).toHaveURL(/compare-cell=/);
  const [one, other, difference] = await reading(page);
  expect(difference).toBeCloseTo(other - one, 3);
  await page.getByTestId("next-chapter").click();
  await expect.poll(() => page.workers().length).toBe(workers);
});

test("before and after an edit that is made here, on a phone", async ({ page, scope }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await scope.openLive(`${chapter}&compare=edits`);
  await page.getByTestId("compare-switch-off").click();
  await expect(page).toHaveURL(/off=encoder\.2\.4/);
  // The head that is off still looks where it looked; those after it do not.
  await page.locator("[data-testid=compare-thumb][data-head='encoder.2.0']").click();
  await expect(page.getByTestId("compare-summary")).toContainText("The largest difference is at");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
