// The chapter on the Universal Transformer: halting by hand, and on the visitor's sentence where the model halts.

import type { Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=universal";
const french = "text=Je+ne+sais+pas+ce+que+tu+veux.";

/** The numbers of cells, without those that are not there. */
async function numbers(page: Page, testId: string): Promise<number[]> {
  const cells = await page.getByTestId(testId).allInnerTexts();
  return cells.map(share);
}

async function predict(page: Page, question: string, answer: string): Promise<void> {
  const prompt = page.locator(`[data-prompt="${question}"]`);
  await prompt.getByRole("textbox").fill(answer);
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.getByTestId("prediction-verdict").locator(".right")).toBeVisible();
}

test("a position halts by hand, and its address keeps it", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const words = page.getByTestId("ponder-words");
  await expect(words).toContainText("N = 3");
  await expect(words).toContainText("R = 0.50");
  await expect(words).toContainText("2.30 would be handed on");
  expect(await numbers(page, "ponder-weight")).toEqual([0.2, 0.3, 0.5, 0]);
  await predict(page, "ask-cost", "3.5");
  await page.getByTestId("ponder-1").fill("100");
  await expect(words).toContainText("N = 1");
  await expect(page).toHaveURL(/ponder=100\.30\.60\.50/);
  await page.getByTestId("ponder-epsilon").fill("50");
  await expect(page).toHaveURL(/ponder-epsilon=50/);
});

test("a model that does not halt is said not to, and the one that does reads the same text", async ({ page, scope }) => {
  await scope.openLive(`${french}&${chapter}`);
  await expect(page.getByTestId("lacking")).toContainText("whose positions halt");
  await expect(page.getByTestId("passes")).toHaveCount(0);
  await page.getByTestId("use-universal").click();
  await expect(page.getByTestId("asked")).toContainText("Je ne sais pas");
  await expect(page.getByTestId("lacking")).toHaveCount(0);
  await expect(page.getByTestId("depths-encoder").locator("tbody tr").first()).toBeVisible();
});

test("depths, states, passes and what is written follow where positions halt", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(`model=universal&${french}&${chapter}`);
  const encoder = page.getByTestId("depths-encoder");
  await expect(encoder.locator("thead th")).toHaveCount(6);
  await expect(page.getByTestId("halting-said")).toContainText("as in training");
  await expect(page.getByTestId("halt-own")).toBeDisabled();

  // The weights of a token sum to one, and its states are averaged by them.
  const words = page.getByTestId("token-words");
  await expect(words).toContainText("= 1.000");
  const used = Number(/N = (\d)/.exec((await words.textContent()) ?? "")?.[1]);
  const states = page.locator('[data-matrix="states"]');
  await expect(states).toContainText(`${used + 1} × `);
  await states.getByRole("application").focus();
  await page.keyboard.press("End");
  await expect(page.getByTestId("state-made")).toContainText(/state counts|=/);

  // The same head on four passes.
  for (const pass of [1, 2, 3, 4]) {
    await expect(page.locator(`[data-matrix="pass-${pass}"]`)).toBeVisible();
  }
  await expect(page.getByTestId("passes-moved")).toContainText("of its weight");
  await page.getByTestId("passes-head").selectOption("3");

  // Cut after the first depth, every token uses one, and the text is read anew.
  const totals = page.getByTestId("halting-totals");
  await expect(totals).toContainText("Σ log p");
  const [own, same] = sums(await totals.textContent());
  expect(own).toBe(same);
  await page.getByTestId("halt-depths").fill("1");
  await expect(page).toHaveURL(/halt-depths=1/);
  await expect(page.getByTestId("halting-said")).toContainText("was not trained");
  await expect(encoder.locator("thead th")).toHaveCount(3);
  await expect(page.locator('[data-matrix="pass-2"]')).toHaveCount(0);
  await expect(words).toContainText("N = 1");
  await expect.poll(async () => sums(await totals.textContent())[1]).not.toBe(own);
  await page.getByTestId("halt-own").click();
  await expect(page).not.toHaveURL(/halt-depths/);
  await expect(encoder.locator("thead th")).toHaveCount(6);
});

/** The sums of log p as trained and by the settings. */
function sums(words: string | null): number[] {
  const found = (words ?? "").match(/[−-][\d.]+\d/g) ?? [];
  return found.map((number) => Number(number.replace("−", "-")));
}

test("the prediction of the deepest token is held to the table", async ({ page, scope }) => {
  await scope.openLive(`model=universal&${french}&${chapter}`);
  const rows = page.getByTestId("depths-encoder").locator("tbody tr");
  await expect(rows.first()).toBeVisible();
  const depths = (await rows.locator(".depth-used").allInnerTexts()).map(Number);
  const most = Math.max(...depths);
  const prompt = page.locator('[data-prompt="ask-deepest"]');
  await prompt.locator("summary").click();
  await expect(prompt).toContainText(`: ${most}. The fewest that any token takes are ${Math.min(...depths)}.`);
});

test("the model is in the sheet of models, and the map shows its depths", async ({ page, scope }) => {
  await scope.openLive(french);
  await scope.chooseModel("universal");
  await scope.becomesLive();
  await expect(page.getByTestId("depths-same")).toContainText("up to 4 times");
});
