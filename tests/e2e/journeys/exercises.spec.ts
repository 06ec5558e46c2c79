// Homework in code: the page checks an answer against what it computes from the sentence on screen.

import type { Page } from "@playwright/test";

import { expect, freshTest, test } from "../scope";

const chapter = "v=2&tab=learn&chapter=scale&kind=encoder&layer=3&head=1&answers=homework";

/** The given list with this name. */
async function given(page: Page, name: string): Promise<number[]> {
  const text = await page.getByTestId("exercise-given").textContent();
  const [, list = ""] = new RegExp(`${name} = \\[([^\\]]*)\\]`).exec(text ?? "") ?? [];
  return list.split(",").map(Number);
}

function softmax(scores: number[]): number[] {
  const powers = scores.map((score) => Math.exp(score));
  const sum = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / sum);
}

async function answer(page: Page, typed: string): Promise<void> {
  await page.getByTestId("exercise-typed").fill(typed);
  await page.getByTestId("exercise-check").click();
}

test("an answer is right, wrong by a known mistake, wrong, empty or no number", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const verdict = page.getByTestId("exercise-verdict");
  await expect(page.getByTestId("exercise-given")).toContainText("scores = [");
  const scores = await given(page, "scores");
  const width = Number(/d_k = (\d+)/.exec((await page.getByTestId("exercise-given").textContent()) ?? "")?.[1]);
  const right = Math.max(...softmax(scores));
  const scaled = Math.max(...softmax(scores.map((score) => score / Math.sqrt(width))));
  await answer(page, "");
  await expect(verdict).toHaveText("Type a number first.");
  await answer(page, "plenty");
  await expect(verdict).toContainText("“plenty” is not a number");
  await answer(page, scaled.toFixed(4));
  await expect(verdict).toContainText("were divided by √d_k");
  await answer(page, "77");
  await expect(verdict).toContainText("Not yet");
  await page.getByTestId("exercise-typed").fill(right.toFixed(4));
  await expect(verdict).toHaveText("");
  await page.keyboard.press("Enter");
  await expect(verdict).toHaveText("Right.");
  await expect(page).toHaveURL(/predicted=exercise_/);
  await page.reload();
  await expect(verdict).toHaveText("Right.");
});

test("the solution is a program with the same numbers", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const shown = page.getByTestId("exercise-given");
  await expect(shown).toContainText("scores = [");
  await page.getByTestId("exercise-solution").locator("summary").click();
  const code = page.getByTestId("exercise-code");
  await expect(code).toContainText("import numpy as np");
  await expect(code).toContainText(((await shown.textContent()) ?? "").trim());
  await expect(page.getByTestId("exercise-solution")).toContainText(/It prints \d/);
});

const chapters = ["start", "hand", "follow", "scale", "heads", "positions", "masks", "norms", "search", "training"];
const second = ["layers", "embedding"];

for (const name of [...chapters, ...second]) {
  test(`chapter ${name} has an exercise with numbers`, async ({ page, scope }) => {
    await scope.openLive(`tab=learn&chapter=${name}&answers=homework`);
    await expect(page.getByTestId("exercise")).toHaveCount(1);
    await expect(page.getByTestId("exercise-given")).toContainText(/= /);
    await expect(page.getByTestId("exercise-given")).not.toContainText("NaN");
  });
}

freshTest("in Chinese and at 390 px the exercise fits", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`./#${chapter}&lang=zh`);
  await expect(page.getByTestId("exercise").locator("summary").first()).toHaveText("编程作业");
  await expect(page.getByTestId("exercise-given")).toContainText("scores = [");
  await answer(page, "很多");
  await expect(page.getByTestId("exercise-verdict")).toHaveText("“很多”不是数。可以写 0.25、0,25 或 2.5e-1。");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
