// The chapter on self-attention by hand: the lecture's matrices, changed cell by cell, and whom "she" attends to.

import type { Locator, Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, test, type Scope } from "../scope";

const chapter = "tab=learn&chapter=hand";

test("the lecture's numbers by hand, step by step", async ({ page, scope }) => {
  await scope.open(chapter);
  expect((await rows(page, "hand-q", 5))[3]).toEqual(Array(5).fill("1.00"));
  const stages = page.getByTestId("stages");
  await expect(stages).toHaveAttribute("data-stage", "score");
  expect(await rows(page, "hand-scores", 4)).toEqual([["4.90", "3.00", "2.10", "3.50"]]);
  await forward(scope, "normalise");
  await expect(page.getByTestId("hand-weights-sum")).toContainText("1.0000");
  await forward(scope, "weigh");
  await forward(scope, "sum");
  expect(await rows(page, "hand-z", 5)).toEqual([Array(5).fill("4.40")]);
  await forward(scope, "use");
  expect(await rows(page, "hand-added", 5)).toEqual([Array(5).fill("9.40")]);
  const both = [...Array(5).fill("5.00"), ...Array(5).fill("4.40")];
  expect(await rows(page, "hand-concatenated", 10)).toEqual([both]);
});

test("formulas turn from rows to columns, on every chapter and in the address", async ({ page, scope }) => {
  await scope.open(chapter);
  const form = (name: string) => page.locator(`.display-math.in-${name}`).first();
  await expect(form("rows")).toBeVisible();
  await expect(form("columns")).toBeHidden();
  const columns = page.getByTestId("formula-columns").first();
  await columns.focus();
  await page.keyboard.press("Enter");
  await expect(columns).toHaveAttribute("aria-pressed", "true");
  await expect(form("columns")).toBeVisible();
  await expect(form("rows")).toBeHidden();
  await expect(page).toHaveURL(/columns=1/);
  await scope.open("tab=learn&chapter=masks&columns=1");
  await expect(form("columns")).toBeVisible();
  await page.getByTestId("formula-columns").first().click();
  await expect(page).not.toHaveURL(/columns/);
});

test("a changed cell changes what follows, the link keeps it, and it can be taken back", async ({ page, scope }) => {
  await scope.open(chapter);
  const reset = page.getByTestId("hand-reset");
  await expect(reset).toBeDisabled();
  // 5 × 0.5 + 5 × 0.1 in the place of 5 × 0.1 + 5 × 0.1.
  await cell(page, "hand-wq", 0, 0).fill("0.5");
  await expect.poll(async () => (await rows(page, "hand-q", 5))[3]).toEqual(["3.00", ...Array(4).fill("1.00")]);
  await expect(page).toHaveURL(/hand-cells=q\.1\.1\.50$/);
  await reset.click();
  await expect(cell(page, "hand-wq", 0, 0)).toHaveValue("0.1");
  await expect.poll(async () => (await rows(page, "hand-q", 5))[3]).toEqual(Array(5).fill("1.00"));
  await expect(page).not.toHaveURL(/hand-cells/);
});

test("what is no number is marked with the reason, and the last result stays", async ({ page, scope }) => {
  await scope.open(chapter);
  await rows(page, "hand-q", 5);
  const first = cell(page, "hand-wq", 0, 0);
  const error = editor(page, "hand-wq").getByTestId("entry-error");
  for (const [text, reason] of [
    ["abc", "is not a number"],
    ["0.125", "more than two decimals"],
    ["1000", "not between -99.99 and 99.99"],
  ] as const) {
    await first.fill(text);
    await expect(error).toContainText(reason);
    await expect(error).toContainText("The number stays 0.1");
    await expect(first).toHaveAttribute("aria-invalid", "true");
  }
  expect((await rows(page, "hand-q", 5))[3]).toEqual(Array(5).fill("1.00"));
  await first.press("Escape");
  await expect(first).toHaveValue("0.1");
  await expect(error).toBeEmpty();
  await first.fill("x");
  await page.getByTestId("hand-reset").click();
  await expect(first).toHaveValue("0.1");
});

test("cells are reached by arrow keys", async ({ page, scope }) => {
  await scope.open(chapter);
  await cell(page, "hand-x", 0, 0).focus();
  await page.keyboard.press("ArrowDown");
  await expect(cell(page, "hand-x", 1, 0)).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(cell(page, "hand-x", 1, 1)).toBeFocused();
  await page.keyboard.type("2.5");
  // The caret is behind what was typed: to the left it moves in the text first.
  await page.keyboard.press("ArrowLeft");
  await expect(cell(page, "hand-x", 1, 1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(cell(page, "hand-x", 2, 1)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(cell(page, "hand-x", 1, 1)).toHaveValue("2.5");
});

test("a row is pasted, and one that does not fit is refused", async ({ page, scope }) => {
  await scope.open(chapter);
  await paste(cell(page, "hand-x", 0, 0), "1\t2\t3\t4\t0.5");
  await expect(cell(page, "hand-x", 0, 4)).toHaveValue("0.5");
  await paste(cell(page, "hand-x", 3, 3), "1 2 3");
  await expect(editor(page, "hand-x").getByTestId("entry-error")).toContainText("1 × 3 numbers do not fit");
  await expect(cell(page, "hand-x", 3, 3)).toHaveValue("5");
});

test("the query and the divisor are switched, and the address keeps them", async ({ page, scope }) => {
  await scope.open(`${chapter}&stage=3`);
  expect(await rows(page, "hand-z", 5)).toEqual([Array(5).fill("4.40")]);
  await page.getByTestId("hand-scaled").uncheck();
  await expect(page).toHaveURL(/hand-unscaled=1/);
  await expect.poll(async () => (await rows(page, "hand-z", 5))[0]?.[0]).toBe("4.64");
  await page.getByTestId("hand-scaled").check();
  const width = page.getByTestId("hand-width");
  await width.fill("64");
  await width.press("Enter");
  await expect(page).toHaveURL(/hand-width=64/);
  await expect(page.getByTestId("hand-root")).toHaveText("√64 = 8.000");
  await page.getByTestId("hand-query").selectOption({ label: "he" });
  await expect(page).toHaveURL(/hand-query=3/);
});

test("Thinking Machines begins with words and matrices", async ({ page, scope }) => {
  await scope.open(chapter);
  await scope.choice("Example", "Thinking Machines").click();
  await expect(page).toHaveURL(/hand-of=thinking-machines/);
  await expect(cell(page, "hand-x", 1, 2)).toHaveValue("2");
  await expect.poll(() => rows(page, "hand-scores", 2)).toEqual([["112.0", "96.0"]]);
  await forward(scope, "normalise");
  expect(await rows(page, "hand-scaled", 2)).toEqual([["14.00", "12.00"]]);
  expect(await rows(page, "hand-weights", 2)).toEqual([["0.881", "0.119"]]);
});

test("a cell tells the products it is made of", async ({ page, scope }) => {
  await scope.open(chapter);
  await rows(page, "hand-q", 5);
  await page.locator('[data-matrix="hand-q"]').getByRole("application").focus();
  // 6 × 0.1 + 4 × 0.1.
  await expect(page.getByTestId("made-value").first()).toHaveText("1.0000");
  await expect(page.getByTestId("made-products").first().locator(".made-product-row td")).toHaveCount(5);
});

test("every head answers whom 她 attends to, in the whole sentence and in the shortened one", async ({
  page,
  scope,
}) => {
  await scope.openLive(chapter);
  const sentences = page.getByTestId("whom-sentence");
  await sentences.nth(0).click();
  const table = page.getByTestId("whom-table");
  await expect(table.locator("tbody tr")).toHaveCount(24);
  await expect(page.getByTestId("whom-missing")).toContainText("the other form");
  await expect(table.locator("tfoot tr").last()).toContainText(/19 → –.*15 → –/);
  await sentences.nth(1).click();
  await expect(page.getByTestId("whom-missing")).toBeEmpty();
  await expect(table.locator("tfoot tr").last()).toContainText(/19 → 13.*15 → 9/);
  const weights = table.locator("tbody tr").first().locator("td.number");
  await expect(weights.first()).toHaveText(/^(< )?[\d.]+ → (< )?[\d.]+$/);
  // The aunt is in the whole sentence alone.
  await expect(weights.nth(2)).toHaveText(/→ –$/);
  // The link holds the comparison, and which form was chosen.
  await expect(page).toHaveURL(/hand-both=1/);
  const distances = await table.locator("tfoot tr").last().textContent();
  const means = await table.locator("tfoot tr").first().textContent();
  const shortened = new URL(page.url()).hash;
  await scope.openLive(shortened.slice(1));
  await expect(table.locator("tfoot tr").last()).toHaveText(distances ?? "");
  await expect(table.locator("tfoot tr").first()).toHaveText(means ?? "");
  await expect(sentences.nth(1)).toHaveAttribute("aria-current", "page");
  expect(new URL(page.url()).hash).toBe(shortened);
  await page.getByTestId("hand-both").uncheck();
  await expect(page).not.toHaveURL(/hand-both/);
  await expect(page.getByTestId("whom-missing")).toContainText("the other form");
  await expect(table.locator("tfoot tr").last()).toContainText(/– → 13.*– → 9/);
});

test("in English the translator into French answers", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await page.getByTestId("whom-sentence").nth(3).click();
  await expect(page.getByTestId("whom-table").locator("tfoot tr").last()).toContainText(/– → 20/);
});

test("where the words of a question look, and how little that answers", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const section = page.getByTestId("question");
  await expect(section).toContainText("was trained to answer questions");
  await expect(page.getByTestId("question-table")).toHaveCount(0);
  await page.getByTestId("question-text").click();
  const rows = page.getByTestId("question-table").locator("tbody tr");
  await expect(rows).toHaveCount(24);
  // The rows that are marked are those that are counted.
  const marked = await page.getByTestId("question-table").locator("tbody tr.chosen").count();
  const reading = page.getByTestId("question-reading");
  await expect(reading).toContainText(`: ${marked} of 24`);
  const weights = await rows.locator("td.number").allTextContents();
  const mean = weights.reduce((sum, weight) => sum + share(weight), 0) / weights.length;
  const said = /Mean of all heads: ([\d.]+)\./.exec((await reading.textContent()) ?? "")?.[1];
  expect(Math.abs(Number(said) - mean)).toBeLessThan(0.001);
});

test("the chapter fits into phones and projectors, in either language", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&lang=en&stage=4`);
  for (const language of ["en", "zh"]) {
    await scope.show(`${chapter}&lang=${language}&stage=4`);
    await page.getByTestId("whom-sentence").nth(0).click();
    await expect(page.getByTestId("whom-table").locator("tbody tr")).toHaveCount(24);
    await rows(page, "hand-added", 5);
    await scope.fits(320, 390, 1920);
  }
});

function editor(page: Page, id: string): Locator {
  return page.locator(`[data-testid="editable"][data-matrix="${id}"]`);
}

function cell(page: Page, id: string, row: number, column: number): Locator {
  return editor(page, id).locator(`input[data-row="${row}"][data-column="${column}"]`);
}

/** What a matrix shows, row by row. */
async function rows(page: Page, id: string, columns: number): Promise<string[][]> {
  const texts = page.locator(`[data-testid="matrix"][data-matrix="${id}"] svg text`);
  await expect(texts.first()).toBeVisible();
  const numbers = await texts.allTextContents();
  const count = Math.ceil(numbers.length / columns);
  return Array.from({ length: count }, (_, row) => numbers.slice(row * columns, (row + 1) * columns));
}

async function forward(scope: Scope, stage: string): Promise<void> {
  await scope.page.getByTestId("step-forward").click();
  await expect(scope.page.getByTestId("stages")).toHaveAttribute("data-stage", stage);
}

/** Pastes a text into a cell, as a browser does. */
async function paste(cell: Locator, text: string): Promise<void> {
  await cell.focus();
  await cell.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
