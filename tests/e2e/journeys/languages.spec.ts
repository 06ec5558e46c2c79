// A model of many languages, and one of several tasks, from the disk: the visitor chooses what the text begins with, and
// the first token of the translation. The tokens are those of `transformers`.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { expect, freshTest as test, type Scope } from "../scope";

const FIXTURES = join(repository, "tests/fixtures");

interface Case {
  source_language: string;
  target_language: string;
  text: string;
  source: number[];
  greedy: number[];
}

const cases: Case[] = JSON.parse(readFileSync(join(FIXTURES, "languages.json"), "utf8"));

/** Opens a tiny checkpoint, with more fields of `config.json` if they are given. */
async function opens(scope: Scope, checkpoint: string, fields: object = {}): Promise<void> {
  await scope.openLive();
  await scope.openModels();
  const files = ["config.json", "tokenizer.json", "model.safetensors"].map((name) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: readFileSync(join(FIXTURES, "tiny", checkpoint, name)),
  }));
  const config = { ...JSON.parse(files[0]!.buffer.toString()), ...fields };
  files[0]!.buffer = Buffer.from(JSON.stringify(config));
  await scope.page.getByTestId("mine-files").setInputFiles(files);
  await expect(scope.modelsSheet).toBeHidden();
  await scope.becomesLive();
}

/** The special tokens that end a text, `<s>`, `<pad>`, `</s>` and `<unk>`. */
const ENDS = 4;

/** Returns the text of pieces, without the tokens of languages. */
function spelled(ids: number[]): string {
  const file = JSON.parse(readFileSync(join(FIXTURES, "tiny/nllb-tiny/tokenizer.json"), "utf8"));
  const pieces = new Map(Object.entries<number>(file.model.vocab).map(([piece, id]) => [id, piece]));
  const added = new Set<number>(file.added_tokens.map((token: { id: number }) => token.id));
  const written = ids.filter((id) => !added.has(id)).map((id) => pieces.get(id) ?? "");
  return written.join("").replaceAll("▁", " ").trim();
}

test("the languages of text and translation are chosen, and stand in the address", async ({ page, scope }) => {
  await opens(scope, "nllb-tiny");
  const opening = page.getByLabel("Text in");
  const into = page.getByLabel("Translate into");
  await expect(opening.locator("option")).toHaveText([
    "As in the model's files",
    "English (Latin) · eng_Latn",
    "French (Latin) · fra_Latn",
    "Simplified Chinese · zho_Hans",
  ]);
  await expect(into.locator("option")).toHaveCount(4);
  for (const { source_language, target_language, text, source, greedy } of cases) {
    await scope.translate(text);
    await opening.selectOption({ label: await nameOf(opening, source_language) });
    await into.selectOption({ label: await nameOf(into, target_language) });
    await scope.becomesLive();
    await expect(page.getByTestId("result")).toHaveAttribute("data-text", text);
    const read = scope.tokens.locator(".source-list > *");
    await expect(read).toHaveCount(source.length);
    await expect(read.first()).toHaveText(source_language);
    const written = await page.getByTestId("translation").textContent();
    expect(written!.trim()).toBe(spelled(greedy));
  }
  // A link has the choice, and another text keeps it.
  await expect.poll(() => decodeURIComponent(new URL(page.url()).hash)).toMatch(/opening=zho_Hans.*into=4/);
  await scope.translate("the garden");
  await scope.becomesLive();
  await expect(scope.tokens.locator(".source-list > *").first()).toHaveText("zho_Hans");
  await expect(into).toHaveValue(String(cases[1]!.greedy[0]! - ENDS + 1));
  // The token of the language can be released like any that the visitor forces.
  await page.getByTestId("release").first().click();
  await scope.becomesLive();
  await expect(into).toHaveValue("0");
  await opening.selectOption("0");
  await scope.becomesLive();
  await expect(scope.tokens.locator(".source-list > *").first()).toHaveText("eng_Latn");
  await scope.fits(390);
});

/** Returns the option of a language. */
async function nameOf(select: ReturnType<Scope["page"]["getByLabel"]>, code: string): Promise<string> {
  const names = await select.locator("option").allTextContents();
  return names.find((name) => name.endsWith(code))!;
}

test("a model of several tasks offers their beginnings", async ({ page, scope }) => {
  const tasks = { summarization: { prefix: "summarize: " }, translation_en_to_de: { prefix: "translate to German: " } };
  await opens(scope, "t5-v1_0", { task_specific_params: tasks });
  const task = page.getByLabel("Task");
  await expect(task.locator("option")).toHaveText([
    "As in the model's files",
    "summarize:",
    "translate to German:",
  ]);
  await scope.translate("the old dog");
  await scope.becomesLive();
  const read = scope.tokens.locator(".source-list > *");
  const alone = await read.allTextContents();
  await task.selectOption("summarize:");
  await scope.becomesLive();
  await expect.poll(() => read.count()).toBeGreaterThan(alone.length);
  const begun = await read.allTextContents();
  expect(begun.slice(-alone.length)).toEqual(alone);
  await expect.poll(() => decodeURIComponent(new URL(page.url()).hash)).toMatch(/opening=summarize/);
});
