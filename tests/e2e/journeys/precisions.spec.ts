// Two files of one model, in two precisions: the page says what `transformers` says of them, and so does `attn compare`.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { share } from "../numbers";
import { expect, freshTest as test, type Scope } from "../scope";

interface Pair {
  models: [string, string];
  heads: { attention: string; head: number; mean: number; largest: number; query: number }[];
  logits: { position: number; largest: number; divergence: number }[];
  continuations: [number[], number[]];
  parting: { step: number; probabilities: [[number, number], [number, number]] };
}

const fixtures = join(repository, "tests/fixtures");
const fixture: { text: string; pairs: Pair[] } = JSON.parse(readFileSync(join(fixtures, "precisions.json"), "utf8"));
const pair = fixture.pairs.find(({ models }) => models.join() === "q8_0,q4_0")!;
const file = (name: string): string => join(fixtures, "precisions", `${name}.gguf`);
/** The largest difference from the fixture, and half of the last digit that the page writes. */
const TOLERANCE = 1e-4 + 5e-5;

/** The model of the first file has read the fixture's text, and the second file may be chosen. */
async function opens(scope: Scope): Promise<void> {
  await scope.openLive();
  await scope.openModels();
  await scope.page.getByTestId("mine-files").setInputFiles(file("q8_0"));
  await expect(scope.modelsSheet).toBeHidden();
  await scope.translate(fixture.text);
  await expect(scope.page.getByTestId("result")).toHaveAttribute("data-text", fixture.text);
  await scope.becomesLive();
  await scope.openTab("Learn");
  await scope.openChapter("compare");
  await scope.choice("What is compared", "Two precisions").click();
  await expect(scope.page).toHaveURL(/compare=precisions/);
}

/** A head as the page names it in attributes. */
function named({ attention, head }: { attention: string; head: number }): string {
  return `${attention.replace(".self", "")}.${head}`;
}

test("every head, the parting and the logits are those of transformers", async ({ page, scope }) => {
  await opens(scope);
  await page.getByTestId("compare-files").setInputFiles(file("q4_0"));
  await expect(page).toHaveURL(/compare-model=mine-[0-9a-f]{12}.*compare-file=q4_0/);
  const rows = page.getByTestId("compare-moved").locator("tbody tr");
  await expect(rows).toHaveCount(pair.heads.length);
  const sorted = [...pair.heads].sort((one, other) => other.mean - one.mean);
  for (const [at, expected] of sorted.entries()) {
    const row = rows.nth(at);
    await expect(row).toHaveAttribute("data-head", named(expected));
    const [mean, largest, query] = await row.locator("td").allTextContents();
    expect(Math.abs(share(mean!) - expected.mean)).toBeLessThan(TOLERANCE);
    expect(Math.abs(share(largest!) - expected.largest)).toBeLessThan(TOLERANCE);
    expect(query).toMatch(new RegExp(`^${expected.query + 1}\\. `));
  }
  await expect(page.getByTestId("compare-thumb")).toHaveCount(pair.heads.length);

  // The list in another order, and a head of it for both maps.
  await scope.choice("Order of the heads", "Largest").click();
  await expect(page).toHaveURL(/compare-by=largest/);
  const widest = [...pair.heads].sort((one, other) => other.largest - one.largest)[0]!;
  await expect(rows.first()).toHaveAttribute("data-head", named(widest));
  await rows.last().getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect(rows.last().getByRole("button")).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByTestId("chapter").getByTestId("compare")).toContainText("q4_0 (Q4_0");
  await expect(page.getByTestId("compare-summary")).toContainText("The largest difference is at");

  const { step, probabilities } = pair.parting;
  await expect(page.getByTestId("compare-parting")).toHaveText(`The continuations part at token ${step + 1}.`);
  for (const side of ["left", "right"]) {
    await expect(page.getByTestId(`compare-${side}-text`).locator("mark")).toHaveCount(1);
  }
  const cells = await page.getByTestId("compare-probabilities").locator("td").allTextContents();
  const expected = [0, 1].flatMap((token) => probabilities.map((ofModel) => ofModel[token as 0 | 1]));
  expect(cells.length).toBe(expected.length);
  for (const [at, probability] of expected.entries()) {
    expect(Math.abs(share(cells[at]!) - probability)).toBeLessThan(TOLERANCE);
  }

  await page.getByTestId("compare-logits-listed").locator("summary").click();
  const logits = page.getByTestId("compare-logits-listed").locator("tbody tr");
  await expect(logits).toHaveCount(pair.logits.length);
  for (const { position, largest, divergence } of pair.logits) {
    const [nats, difference] = await logits.nth(position).locator("td").allTextContents();
    // Three digits are written, and of small numbers four decimals.
    expect(Math.abs(share(nats!) - divergence)).toBeLessThan(TOLERANCE + 0.01 * divergence);
    expect(Math.abs(share(difference!) - largest)).toBeLessThan(TOLERANCE + 0.01 * largest);
  }
});

test("a file of another model is refused by the field that differs, and the address names what to open again", async ({
  page,
  scope,
}) => {
  await opens(scope);
  await page.getByTestId("compare-files").setInputFiles(join(fixtures, "tiny/gguf-qwen3/model.gguf"));
  await expect(page.getByTestId("compare-unlike")).toContainText("decoder.key_value_heads is 2 on the left and 1 on the right");
  await expect(page.getByTestId("precisions")).toHaveCount(0);
  await page.getByTestId("compare-files").setInputFiles(join(fixtures, "README.md"));
  await expect(page.getByTestId("compare-file-problem")).toContainText("Missing");

  await page.getByTestId("compare-files").setInputFiles(file("q4_0"));
  await expect(page.getByTestId("compare-parting")).toBeVisible();
  await page.reload();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(file("q8_0"));
  await expect(scope.modelsSheet).toBeHidden();
  await expect(page.getByTestId("compare-absent")).toContainText("“q4_0”");
  await page.getByTestId("compare-files").setInputFiles(file("q4_0"));
  await expect(page.getByTestId("compare-absent")).toHaveCount(0);
  await expect(page.getByTestId("compare-parting")).toBeVisible();
});

test("it fits a phone, in Chinese", async ({ page, scope }) => {
  await opens(scope);
  await page.getByTestId("compare-files").setInputFiles(file("q4_0"));
  await expect(page.getByTestId("compare-parting")).toBeVisible();
  await scope.show(`${new URL(page.url()).hash.slice(1)}&lang=zh`);
  await expect(page.getByTestId("compare-parting")).toContainText("个词元处分开");
  await scope.fits(390);
});
