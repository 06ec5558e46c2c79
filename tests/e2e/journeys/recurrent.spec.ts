// Recurrent translators: the chapter from one vector to attention, and every view of a model that is no Transformer.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "../browser";
import { CHAPTERS } from "../chapters";
import { share } from "../numbers";
import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=recurrent";
const french = "text=Je+ne+sais+pas+ce+que+tu+veux.";

/** Chapters that do not look into a Transformer. */
const FOR_ALL = ["embedding", "universal", "recurrent", "image", "forcing", "search", "judging", "training", "recall", "kinds"];

/** Chapters that take any attention: what they lack of a model without it is told of the model. */
const OF_ATTENTION = ["roles", "explanation", "derived", "alignment", "compare"];

/** What stands in the place of a translation that is not there. */
const UNWRITTEN = /^(Translate|.*on their way.*|)$/;

interface Bin {
  from: number;
  to: number;
  is_joined: boolean;
}

interface Scores {
  bins: Bin[];
  models: Record<string, { bleu: number; pairs: number }[]>;
}

const scores = JSON.parse(
  readFileSync(join(repository, "assets/models/recurrent/by-length.json"), "utf8"),
) as Scores;

/** How many pairs the models were scored on in a bin: the fewest and the most, where these differ. */
function pairsOf(bin: number): string {
  const counts = Object.values(scores.models).map((bins) => bins[bin]?.pairs ?? NaN);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  return fewest === most ? `${most}` : `${fewest}–${most}`;
}

test("from one vector to an alignment, and back to every model", async ({ page, scope }) => {
  await scope.openLive(`model=recurrent-fixed&${french}&${chapter}`);
  await expect(page.getByTestId("vector-words")).toContainText("256 numbers");
  await expect(page.locator('[data-matrix="vector"]')).toContainText("4 × 64");
  await expect(page.getByTestId("lacking")).toContainText("no attention");
  await predict(page, "ask-vector", "256");

  const written = page.getByTestId("written-by");
  const row = (model: string) => written.locator(`tr[data-model="${model}"]`);
  const text = (model: string) => row(model).getByTestId("written-text");
  await expect(text("recurrent-fixed")).not.toHaveText(UNWRITTEN);
  for (const model of ["recurrent-luong", "translator", "recurrent-bahdanau"]) {
    await row(model).getByTestId("ask-model").click();
    await expect(text(model)).not.toHaveText(UNWRITTEN, { timeout: 60_000 });
  }
  // What was written before is still there.
  await expect(text("recurrent-fixed")).not.toHaveText(UNWRITTEN);

  await alignsStepByStep(page);
});

/** The grey picture shows a row for each step that was made, and the table below it is the step's. */
async function alignsStepByStep(page: Page): Promise<void> {
  const alignment = page.getByTestId("alignment");
  const rows = alignment.getByTestId("alignment-row");
  const count = await rows.count();
  expect(count).toBeGreaterThan(3);
  await expect(alignment.locator(".is-to-come")).toHaveCount(count - 1);
  await alignment.getByTestId("step-forward").click();
  await expect(alignment.locator(".is-to-come")).toHaveCount(count - 2);
  await rows.nth(2).getByRole("button").click();
  await expect(page.getByTestId("row-title")).toContainText("Step 3");
  await expect(page.getByTestId("row-sum")).toContainText(/sum to 1\.000|sum to 0\.999|sum to 1\.001/);

  const weights = await page.getByTestId("row-weight").allInnerTexts();
  const cells = await rows.nth(2).getByTestId("alignment-cell").allInnerTexts();
  expect(cells.map((cell) => cell.trim())).toEqual(weights);
  const sum = weights.reduce((total, weight) => total + share(weight), 0);
  expect(Math.abs(sum - 1)).toBeLessThan(0.01);

  await page.locator('[data-matrix="context"]').getByRole("application").focus();
  await expect(page.getByTestId("context-made")).toHaveText(/^Number 1: .+ · .+ = /);
}

async function predict(page: Page, question: string, answer: string): Promise<void> {
  const prompt = page.locator(`[data-prompt="${question}"]`);
  await prompt.getByRole("textbox").fill(answer);
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.getByTestId("prediction-verdict").locator(".right")).toBeVisible();
}

test("the window of local attention, on the page and in the address", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&local-window=1&local-centre=10`);
  const words = page.getByTestId("window-words");
  await expect(words).toContainText("With the centre at 1.0 and D = 1, 3 of");
  await page.getByTestId("local-centre").fill("15");
  await expect(words).toContainText("With the centre at 1.5 and D = 1, 2 of");
  await expect(page).toHaveURL(/local-centre=15/);
  await predict(page, "ask-edge", "0.135");

  // The alignment on screen in a window: what local attention would give for the same scores.
  const localised = page.getByTestId("localised-words");
  const sum = async () => Number(/sum to (\d\.\d+)/.exec((await localised.textContent()) ?? "")?.[1]);
  await expect.poll(sum).toBeLessThan(0.999);
  await page.getByRole("button", { name: "local-m" }).click();
  await expect(page).toHaveURL(/local-kind=monotonic/);
  await expect.poll(sum).toBeCloseTo(1, 2);
  await expect(page.getByTestId("local-centre")).toHaveCount(0);
});

test("BLEU by length is the file's, and what is kept between two lengths", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&length-bin=1&length-other=3`);
  const words = (slider: string) => page.locator("label").filter({ has: page.getByTestId(slider) }).locator("output");
  const of = ({ from, to }: Bin) => `${from}–${to} words`;
  await expect(words("length-other")).toContainText(of(scores.bins[3]!));
  for (const [index, bin] of scores.bins.entries()) {
    await page.getByTestId("length-bin").fill(String(index));
    const held = bin.is_joined ? ", each of several joined test pairs" : " a model";
    await expect(words("length-bin")).toContainText(`${of(bin)}: ${pairsOf(index)} pairs${held}`);
  }
  await page.getByTestId("length-bin").fill("1");
  const last = scores.bins.length - 1;
  await page.getByTestId("length-other").fill(String(last));
  await expect(words("length-other")).toContainText("joined");
  await expect(page).toHaveURL(new RegExp(`length-other=${last + 1}`));
  const table = page.getByTestId("length-table");
  for (const [model, name] of [
    ["recurrent-fixed", "fixed"],
    ["recurrent-bahdanau", "bahdanau"],
    ["recurrent-luong", "luong"],
    ["translator", "translator"],
  ] as const) {
    const cells = await table.locator(`tr[data-model="${model}"] td`).allInnerTexts();
    const expected = (scores.models[name] ?? []).map(({ bleu }) => bleu);
    expect(cells).toHaveLength(expected.length + 1);
    for (const [index, score] of expected.entries()) {
      expect(Math.abs(Number(cells[index]) - score)).toBeLessThan(0.051);
    }
    const kept = (expected[last] ?? NaN) / (expected[1] ?? NaN);
    expect(Math.abs(Number(cells.at(-1)?.replace("%", "")) - 100 * kept)).toBeLessThan(0.51);
  }
});

test("a long text and a short one give the decoder as many numbers", async ({ page, scope }) => {
  await scope.openLive(`model=recurrent-fixed&${chapter}`);
  const tokens = async () => Number(/^(\d+) tokens/.exec((await page.getByTestId("vector-words").textContent()) ?? "")?.[1]);
  await page.getByTestId("short-text").click();
  await expect(page.getByTestId("vector-words")).toContainText("256 numbers");
  const short = await tokens();
  await page.getByTestId("long-text").click();
  await expect.poll(tokens).toBeGreaterThan(5 * short);
  await expect(page.getByTestId("vector-words")).toContainText("256 numbers");
});

for (const [model, heads, text] of [
  ["fixed", 0, french],
  ["bahdanau", 1, french],
  ["luong", 1, french],
  ["chinese", 1, "text=Where+is+the+library%3F"],
] as const) {
  test(`map, head and decoding of the model "${model}"`, async ({ page, scope }) => {
    await scope.openLive(`model=recurrent-${model}&${text}`);
    await expect(scope.thumbnails).toHaveCount(heads);
    await expect(page.getByTestId("map-recurrence")).toHaveCount(2);
    await expect(page.getByTestId("map-feed-forward")).toHaveCount(0);
    const wires = page.locator(".map-wires .hands-over");
    await expect(wires).toHaveCount(1 + heads);
    if (heads === 0) {
      await expect(page.getByTestId("lacking")).toContainText("no attention");
      await expect(page.getByTestId("heatmap")).toHaveCount(0);
      await expect(page.getByTestId("several")).toHaveCount(0);
    } else {
      await expect(page.getByTestId("heatmap")).toBeVisible();
      await expect(page.getByTestId("caption")).toContainText("%");
    }
    await scope.inspect("Next word");
    await expect(page.getByTestId("candidates")).toBeVisible();
    await expect(page.getByTestId("step-cross")).toHaveCount(heads);
    await expect(page.getByTestId("step-self")).toHaveCount(0);
    await expect(page.getByTestId("lacking")).toHaveCount(1 - heads);
  });
}

test("a chapter about what a recurrent model lacks says so and offers the Transformer", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(`model=recurrent-fixed&${french}&${chapter}`);
  for (const name of CHAPTERS) {
    await scope.openChapter(name);
    const words = OF_ATTENTION.includes(name) ? "This model has no attention" : /This (needs|is about)/;
    const lacking = page.getByTestId("lacking").filter({ hasText: words });
    await expect(lacking).toHaveCount(FOR_ALL.includes(name) ? 0 : 1);
    await expect(page.getByTestId("problem")).toHaveCount(0);
  }
  await scope.openChapter("heads");
  await page.getByTestId("use-translator").click();
  await expect(page).not.toHaveURL(/model=/);
  await expect(page.getByTestId("lacking")).toHaveCount(0);
});

test("they are one entry of the sheet of models, and keep a text that they read", async ({ page, scope }) => {
  await scope.openLive();
  await scope.chooseModel("recurrent-bahdanau");
  await scope.becomesLive();
  await scope.translate("Je vois un chat.");
  await expect(page).toHaveURL(/text=Je/);
  await scope.chooseModel("recurrent-fixed");
  await scope.becomesLive();
  await expect(page.getByTestId("lacking")).toBeVisible();
  await expect(page).toHaveURL(/text=Je/);
  await scope.chooseModel("recurrent-chinese");
  await expect(page).not.toHaveURL(/text=Je/);
  await scope.becomesLive();
  await expect(page.getByTestId("translation")).toHaveText(/\p{Script=Han}/u);
});

test("the lecture's sentence in Chinese: the words that are given, the model's own, the Transformer's", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await page.getByTestId("lecture-given").click();
  const given = page.getByTestId("alignment-given");
  await expect(given).toContainText("今天 天 下 三 分 。");
  // Every row is there, each a distribution over the words of the source.
  const alignment = page.getByTestId("alignment");
  const rows = alignment.getByTestId("alignment-row");
  await expect(rows.first()).toContainText("今天");
  await expect(alignment.locator(".is-to-come")).toHaveCount(0);
  for (const row of await rows.all()) {
    const weights = await row.getByTestId("alignment-cell").allInnerTexts();
    const sum = weights.reduce((total, weight) => total + share(weight), 0);
    expect(Math.abs(sum - 1)).toBeLessThan(0.01);
  }
  // ▁Today ▁the ▁emp ire …: 今天 looks at the first, 天 and 下 at the third.
  for (const [row, column] of [[0, 0], [1, 2], [2, 2]] as const) {
    const weight = await rows.nth(row).getByTestId("alignment-cell").nth(column).innerText();
    expect(share(weight)).toBeGreaterThan(0.5);
  }
  await page.getByTestId("lecture-own").click();
  await expect(given).toBeEmpty();
  await page.getByTestId("lecture-example").click();
  await scope.becomesLive();
  await expect(page.getByTestId("translation")).toHaveText(/\p{Script=Han}/u);
});

test("a weight of the alignment is changed, and the context moves", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=recurrent&model=recurrent-bahdanau&step=2");
  const row = page.getByTestId("alignment-of-step");
  await row.getByTestId("row-key").first().click();
  const editor = row.getByTestId("cell-editor");
  await editor.getByRole("button", { name: "Pin" }).click();
  await expect(row.getByTestId("row-weight").first()).toHaveText("1.000");
  // What follows of the row: its other weights share nothing.
  await expect(row.getByTestId("row-weight").nth(1)).toHaveText(/^0(\.0+)?$/);
  await editor.getByRole("button", { name: "The model's own" }).click();
  await expect(page).not.toHaveURL(/weights=/);
});
