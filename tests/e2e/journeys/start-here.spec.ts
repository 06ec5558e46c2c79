// "Start here": ten screens from black box to word, walked by keyboard; each has one thing to move.

import type { Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, test, type Scope } from "../scope";

const chapter = "tab=learn&chapter=start";

const SCREENS = [
  "translate",
  "tokens",
  "vectors",
  "average",
  "weights",
  "head",
  "heads",
  "layers",
  "decoder",
  "training",
];

for (const language of ["en", "zh"] as const) {
  test(`from the first screen to the last by keyboard, in ${language}`, async ({ page, scope }) => {
    await scope.openLive(`tab=learn&lang=${language}`);
    const lit: string[] = [];
    for (const [index, name] of SCREENS.entries()) {
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await isComplete(scope, name);
        await scope.fits(width);
      }
      if (index > 0) await expect(page).toHaveURL(new RegExp(`stage=${index + 1}`));
      lit.push(await page.getByTestId("here").innerText());
      await page.keyboard.press("ArrowRight");
    }
    await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", "training");
    // The map's place goes along with the screens.
    expect(new Set(lit).size).toBeGreaterThanOrEqual(6);
  });
}

test("a text is predicted word by word", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await expect(page.getByTestId("start-read")).toContainText("étudi");
  await expect(page.getByTestId("start-written")).toHaveText("");
  await page.getByTestId("start-step").focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("start-written")).toHaveText(/^\s*I\s*$/);
  await expect(page.getByTestId("start-candidates")).toHaveAttribute("aria-label", /am: 0\.\d/);
});

test("the chosen token is the same on every screen, and in the address", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&stage=1`);
  const tokens = page.getByTestId("screen").getByRole("group").getByRole("button");
  await tokens.first().focus();
  await page.keyboard.press("Enter");
  await expect(tokens.first()).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByTestId("token-is")).toContainText("at place 1");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", "vectors");
  await expect(page.locator('[data-matrix="start-vector"]')).toContainText("1 × 256");
  await expect(tokens.first()).toHaveAttribute("aria-pressed", "true");
});

test("with all of the weight the average is the token itself", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&stage=3&cell=1.0&start-share=100`);
  // The second token's likeness is 1.
  await expect(page.getByTestId("start-average")).toHaveAttribute("aria-label", /suis: 1\.000.*suis: 1\.000/);
  await page.getByTestId("start-share").fill("25");
  await expect(page).toHaveURL(/start-share=25/);
  await expect(page.getByTestId("start-average")).toHaveAttribute("aria-label", /suis: 0\.250/);
});

test("weights are the softmax of the scores", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&stage=4`);
  const scores = await cells(page, "start-scores");
  const weights = await cells(page, "start-weights");
  const powers = scores.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  expect(weights.length).toBe(scores.length);
  for (const [index, weight] of weights.entries()) {
    // Cells show two or three digits.
    expect(Math.abs(weight - powers[index]! / total)).toBeLessThan(0.02);
  }
});

test("a head is chosen by keyboard, the same as everywhere on the page", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&stage=5&layer=0&head=0`);
  await page.getByTestId("start-head").focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("head-takes")).toContainText("takes most from");
  await page.getByTestId("here").click();
  await expect(scope.figureTitle).toContainText(/Layer 1, head 2/);
});

test("layers change how like two tokens are", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&stage=7`);
  const bars = page.getByTestId("start-layer-likeness");
  await expect(bars).toHaveAttribute("aria-label", /before the first layer.*after layer 1/);
  const first = await bars.getAttribute("aria-label");
  await page.getByTestId("start-layers").fill("3");
  await expect(bars).toHaveAttribute("aria-label", /after layer 3/);
  expect(await bars.getAttribute("aria-label")).not.toBe(first);
});

test("the right word's logit is raised, all others are lowered", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&stage=9&start-right=2`);
  const rows = page.getByTestId("start-gradient").locator("tbody tr");
  await expect(rows).toHaveCount(6);
  for (const [index, row] of (await rows.all()).entries()) {
    const [, , push, effect] = await row.getByRole("cell").allTextContents();
    expect(share(push ?? "") <= 0).toBe(index === 2);
    expect(effect).toBe(index === 2 ? "raised" : "lowered");
  }
  await expect(page.getByTestId("start-loss")).toContainText(/−ln 0\.\d+ = \d/);
});

test("a model that goes on with a text has screens of its own", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  const stages = page.getByTestId("stages");
  await expect(stages).toHaveAttribute("data-stage", "continue");
  await expect(page.getByTestId("start-read")).toContainText("told");
  // It goes on: there is more than one word to move to.
  await expect(page.getByTestId("start-step")).toHaveAttribute("max", /^[2-9]$/);
  for (let screen = 1; screen < SCREENS.length; screen += 1) {
    await page.getByTestId("step-forward").click();
    await expect(page.getByText("on their way")).toHaveCount(0);
  }
  await expect(page.getByTestId("step-of")).toHaveText("Stage 10 of 10");
  await page.getByTestId("step-back").click();
  await expect(stages).toHaveAttribute("data-stage", "decoder-only");
});

test("an address from before the chapter opens what it opened", async ({ page, scope }) => {
  await scope.open("tab=learn&stage=2&follow=thinking-machines");
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "follow");
  await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", "softmax");
});

/** The screen is there: its text with what to take away, and its figure with all numbers. */
async function isComplete(scope: Scope, name: string): Promise<void> {
  const { page } = scope;
  await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", name);
  await expect(page.locator(".stage-text blockquote")).toBeVisible();
  await expect(page.locator(".stage-text")).not.toContainText("{{");
  const screen = page.getByTestId("screen");
  await expect(screen.getByText(/on their way|数据正在路上/)).toHaveCount(0);
  for (const matrix of await screen.getByTestId("matrix").all()) {
    await expect(matrix.locator("svg")).toBeVisible();
  }
  for (const bars of await screen.locator(".bar-figure").all()) {
    await expect(bars.locator("svg")).toBeVisible();
  }
  const controls = screen.locator("input[type=range], .token-choice button");
  await expect(controls.first()).toBeVisible();
}

/** Nothing makes the page scroll sideways. */

/** The numbers in the cells of a matrix. */
async function cells(page: Page, id: string): Promise<number[]> {
  const texts = page.locator(`[data-matrix="${id}"] svg text`);
  await expect(texts.first()).toBeVisible();
  return (await texts.allTextContents()).map(share);
}
