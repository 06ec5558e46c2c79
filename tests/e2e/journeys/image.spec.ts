// The chapter on attention over a picture: where a position looks, a digit that is drawn, and what attention does to the answer.

import { type Page } from "@playwright/test";

import { isKept } from "../host";
import { share } from "../numbers";
import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=image";

const weights = async (page: Page): Promise<number[]> => {
  const cells = await page.getByTestId("looks-strongest").locator("td:first-of-type").allTextContents();
  return cells.map(share);
};

test("a position is chosen by pointer and by keys, and its largest weights follow", async ({ page, scope }) => {
  await scope.open(chapter);
  const rows = page.getByTestId("looks-strongest");
  await expect(rows).toHaveCount(5);
  const first = await rows.allTextContents();
  const largest = await weights(page);
  expect(largest).toEqual([...largest].sort((a, b) => b - a));
  expect(largest[0]).toBeGreaterThanOrEqual(1 / 64);
  // The colours go up to the largest weight, until they are asked to go up to 1.
  await expect(page.getByTestId("looks-limit")).toHaveText((largest[0] ?? 0).toFixed(4));
  await page.getByTestId("image-absolute").check();
  await expect(page.getByTestId("looks-limit")).toHaveText("1");

  await scope.pointAt(page.getByTestId("looks-field"), 0.06, 0.06);
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.getByTestId("looks")).toContainText("row 1, column 1");
  await expect(page).toHaveURL(/image-cell=1(&|$)/);
  await expect.poll(() => rows.allTextContents()).not.toEqual(first);

  await page.getByTestId("picture-field").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("looks")).toContainText("row 2, column 2");
  await expect(page.getByTestId("picture-reading")).toContainText("row 2, column 2");
});

test("another test picture has other probabilities, and γ = 0 stands beside them", async ({ page, scope }) => {
  await scope.open(chapter);
  await expect(page.getByTestId("picture").locator("[data-choice]")).toHaveCount(22);
  const words = page.getByTestId("verdict-words");
  await expect(words).toHaveText(/With attention: \d \(.+%\)\. With γ = 0: \d \(.+%\)\./);
  const zero = await words.textContent();
  await page.getByRole("button", { name: /a 7$/ }).first().click();
  await expect(page.getByTestId("picture-reading")).toContainText("its writer meant 7");
  await expect(words).not.toHaveText(zero ?? "");
  await expect(page).toHaveURL(/picture=15/);
  await expect(page.getByTestId("looks-gamma")).toHaveText(/γ = −?\d\.\d{3}\./);
});

test("a digit is drawn by pointer and by keys, taken back and cleared", async ({ page, scope }) => {
  await scope.open(`${chapter}&image-tool=draw`);
  const words = page.getByTestId("verdict-words");
  await expect(words).toHaveText(/With attention/);
  await page.getByTestId("picture-clear").click();
  await expect(page.getByTestId("verdict-blank")).toBeVisible();
  await expect(page).toHaveURL(/drawn=0{64}/);
  const blank = await words.textContent();

  // A stroke down the middle, faster than the cells.
  const field = page.getByTestId("picture-field");
  await scope.pointAt(field, 0.55, 0.1);
  await page.mouse.down();
  await scope.pointAt(field, 0.55, 0.9);
  await page.mouse.up();
  await expect(page.getByTestId("verdict-blank")).toBeHidden();
  await expect(page).toHaveURL(/drawn=(0000g000){8}/);
  await expect(words).not.toHaveText(blank ?? "");
  await expect(page.getByTestId("picture-reading")).toContainText("Your own drawing.");
  const bar = await words.textContent();

  // The frame is where the stroke ended: one more cell to its left, and away with it again.
  await field.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/drawn=(0000g000){7}000gg000/);
  await expect(words).not.toHaveText(bar ?? "");
  await page.keyboard.press("Control+z");
  await expect(page).toHaveURL(/drawn=(0000g000){8}(&|$)/);
  await expect(words).toHaveText(bar ?? "");

  // A link opens the same drawing.
  await page.reload();
  await expect(words).toHaveText(bar ?? "");
  await expect(page.getByTestId("picture-undo")).toBeDisabled();
});

test("a stroke is taken back by its button, and a test picture comes again", async ({ page, scope }) => {
  await scope.open(`${chapter}&image-tool=draw&image-ink=9`);
  const words = page.getByTestId("verdict-words");
  await expect(words).toHaveText(/With attention/);
  const before = await words.textContent();
  await scope.pointAt(page.getByTestId("picture-field"), 0.06, 0.06);
  await page.mouse.down();
  await page.mouse.up();
  await expect(page).toHaveURL(/drawn=9/);
  await page.getByTestId("picture-undo").click();
  await expect(page).not.toHaveURL(/drawn=/);
  await expect(words).toHaveText(before ?? "");
});

test("predictions are checked against the numbers on screen", async ({ page, scope }) => {
  await scope.open(chapter);
  const prompt = page.locator('[data-prompt="ask-count"]');
  await prompt.getByRole("textbox").fill("4096");
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.locator(".verdict.right")).toBeVisible();
  await expect(prompt).toContainText("64² = 4096");
  const without = page.locator('[data-prompt="ask-without"]');
  await without.locator("summary").click();
  await expect(without).toContainText(/With attention it names \d, without \d\./);
});

freshTest("a broken model says so, and the rest of the page goes on", async ({ page, scope }) => {
  await page.route(/models\/digits\/model\..*safetensors/, (route) => route.fulfill({ body: "broken" }));
  await scope.open(chapter);
  await expect(page.getByTestId("lessons-problem").first()).toContainText("small model");
  await expect(page.getByTestId("picture-field")).toBeVisible();
  await page.unroute(/models\/digits\/model\..*safetensors/);
  await page.getByTestId("lessons-retry").first().click();
  await expect(page.getByTestId("verdict-words")).toHaveText(/With attention/);
});

test.describe("with the service worker", () => {
  test.use({ serviceWorkers: "allow" });

  freshTest("after one visit the model of pictures answers without a network", async ({ context, page, scope }) => {
    await scope.openLive(chapter);
    await isKept(page);
    await expect(page.getByTestId("verdict-words")).toHaveText(/With attention/);
    await context.setOffline(true);
    await scope.open(`${chapter}&picture=5`);
    await expect(page.getByTestId("verdict-words")).toHaveText(/With attention/);
  });
});

test("a digit is written cell by cell, and each cell says where a head looked to write it", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(chapter);
  await page.getByTestId("use-digit-writer").click();
  const writer = page.getByTestId("writer");
  await expect(writer.getByTestId("step-of")).toContainText("of 64");
  await writer.getByRole("button", { name: "3", exact: true }).click();
  await expect(page).toHaveURL(/text=3(&|$)/);
  await expect(writer.getByRole("button", { name: "3", exact: true })).toHaveAttribute("aria-pressed", "true");
  await scope.becomesLive();

  // To write the first cell there is only the prompt to look at.
  await expect(writer.getByTestId("writer-looks")).toContainText("1.000");
  const field = writer.getByTestId("writer-field");
  await field.focus();
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/step=9/);
  await expect(writer.getByTestId("writer-level")).toHaveText(/^row 2, column 1: level [0-4] of 0 to 4, with probability 0\.\d\d/);
  const looks = (await writer.getByTestId("writer-looks").textContent()) ?? "";
  const [largest = 0, before = 0] = [...looks.matchAll(/\d\.\d{3}/g)].map(Number);
  expect(largest + before).toBeLessThanOrEqual(1.001);
  // Eight cells share what the prompt leaves.
  expect(largest).toBeGreaterThanOrEqual((1 - before) / 8 - 0.001);

  const picture = async (): Promise<string> => (await scope.translation.textContent()) ?? "";
  const probable = await picture();
  await writer.getByTestId("draw-anew").click();
  await expect(page).toHaveURL(/sampling=100\.0\.100\.1/);
  await expect.poll(picture).not.toBe(probable);
  await writer.getByTestId("draw-anew").click();
  await expect(page).toHaveURL(/sampling=100\.0\.100\.2/);
  await writer.getByTestId("most-probable").click();
  await expect.poll(picture).toBe(probable);
  await expect(writer.getByTestId("most-probable")).toBeDisabled();
});
