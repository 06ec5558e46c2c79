// The chapter on masks: none, causal and padding, switched on the visitor's sentence.

import type { Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, test, type Scope } from "../scope";

const chapter = "tab=learn&chapter=masks";

test("an encoder with a causal mask sees nothing later, and in its first layer the last row stays", async ({
  page,
  scope,
}) => {
  await scope.openLive(`${chapter}&kind=encoder&layer=0&head=0`);
  const size = 5;
  const [plain, masked] = [await map(page, "mask-plain", size), await map(page, "mask-masked", size)];
  for (const [query, row] of masked.entries()) {
    expect(row.slice(query + 1)).toEqual(Array(size - query - 1).fill(0));
    expect(Math.abs(row.reduce((sum, weight) => sum + weight, 0) - 1)).toBeLessThan(0.03);
  }
  expect(masked[0]?.[0]).toBe(1);
  expect(masked.at(-1)).toEqual(plain.at(-1));
  const prompt = page.locator('[data-prompt="ask-rows"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText(/those of end by up to (0\.0000|< 0\.0001)/);
  await expect(page.getByTestId("mask-change")).toHaveAttribute("aria-label", /Je: 0\.[0-9]*[1-9]/);
});

test("in the last layer too a causal mask leaves no weight on later tokens", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&kind=encoder&layer=2&head=0`);
  const masked = await map(page, "mask-masked", 5);
  for (const [query, row] of masked.entries()) {
    expect(row.slice(query + 1).every((weight) => weight === 0)).toBe(true);
  }
});

test("padding has no weight in any row, and the address keeps how much there is", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&kind=encoder&layer=1&head=3`);
  await scope.choice("Mask", "Padding").click();
  await expect(page).toHaveURL(/mask=padding/);
  await page.getByTestId("mask-padding").fill("2");
  await expect(page).toHaveURL(/mask-padding=2/);
  await expect
    .poll(async () => (await map(page, "mask-masked", 5)).every((row) => row[3] === 0 && row[4] === 0))
    .toBe(true);
  const heads = page.getByTestId("mask-heads").locator("tbody tr");
  await expect(heads).toHaveCount(8);
  await expect(heads.first()).toContainText("→");
});

test("a decoder without its mask looks ahead", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&kind=decoder&layer=0&head=0`);
  await expect(page.getByTestId("mask-note")).toContainText("how the model was trained");
  const size = 7;
  const trained = await map(page, "mask-masked", size);
  expect(trained[0]?.slice(1)).toEqual(Array(size - 1).fill(0));
  await scope.choice("Mask", "None").click();
  await expect(page.getByTestId("mask-note")).toHaveText("");
  await expect
    .poll(async () => (await map(page, "mask-masked", size))[0]?.some((weight, key) => key > 0 && weight > 0))
    .toBe(true);
});

test("the mask is switched by keyboard, and the numbers of the last one go", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  await expect(page.getByTestId("mask-note")).toContainText("how the model was trained");
  await scope.choice("Mask", "None").focus();
  await page.keyboard.press("Enter");
  await expect(scope.choice("Mask", "None")).toBeFocused();
  await isComplete(scope);
});

/** All figures of the chapter have their numbers. */
async function isComplete({ page }: Scope): Promise<void> {
  await expect(page.getByTestId("mask-change").locator("svg")).toBeVisible();
  await expect(page.locator('[data-matrix="mask-masked"] svg')).toBeVisible();
  await expect(page.getByText(/on their way|数据正在路上/)).toHaveCount(0);
}

/** The numbers of a square matrix, row by row. */
async function map(page: Page, id: string, size: number): Promise<number[][]> {
  const texts = page.locator(`[data-matrix="${id}"] svg text`);
  await expect(texts).toHaveCount(size * size);
  const numbers = (await texts.allTextContents()).map(share);
  return Array.from({ length: size }, (_, row) => numbers.slice(row * size, (row + 1) * size));
}
