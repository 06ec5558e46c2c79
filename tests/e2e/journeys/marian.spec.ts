// A Marian checkpoint as it is published, with `source.spm`, `target.spm` and `vocab.json` in place of `tokenizer.json`.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { expect, freshTest as test } from "../scope";

const MARIAN = join(repository, "tests/fixtures/marian-spm");
const FILES = ["config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json"];

interface Text {
  name: string;
  text: string;
  source: number[];
  greedy: number[];
  written: string;
}

const texts: Text[] = JSON.parse(readFileSync(join(MARIAN, "texts.json"), "utf8"));

test("a checkpoint with separate vocabularies opens, and writes as transformers does", async ({ page, scope }) => {
  const folder = join(repository, "tests/fixtures/marian-separate");
  await scope.openLive();
  await scope.openModels();
  const files = [...FILES, "target_vocab.json"].map((name) => join(folder, name));
  await page.getByTestId("mine-files").setInputFiles(files);
  await scope.becomesLive();
  const all: Text[] = JSON.parse(readFileSync(join(folder, "texts.json"), "utf8"));
  const { text, source, greedy, written } = all.find(({ name }) => name === "sentence")!;
  await page.getByLabel("New tokens, at most").fill(String(greedy.length));
  await page.getByLabel("New tokens, at most").press("Enter");
  await scope.translate(text);
  await scope.becomesLive();
  await expect(scope.tokens.locator(".source-list > *")).toHaveCount(source.length);
  expect((await page.getByTestId("translation").textContent())!.trim()).toBe(written);
});

test("a published Marian checkpoint opens, reads and writes as transformers does", async ({ page, scope }) => {
  await scope.openLive();
  await scope.openModels();
  const files = FILES.map((name) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: readFileSync(join(MARIAN, name)),
  }));
  // Without one of its three files the tokenizer is missing.
  await page.getByTestId("mine-files").setInputFiles(files.filter(({ name }) => name !== "target.spm"));
  await expect(scope.modelsSheet).toContainText("tokenizer.json");
  await page.getByTestId("mine-files").setInputFiles(files);
  await expect(scope.modelsSheet).toBeHidden();
  await scope.becomesLive();
  const pairs = texts.filter(({ name }) => name === "sentence" || name === "unknown code");
  expect(pairs.length).toBeGreaterThan(0);
  await page.getByLabel("New tokens, at most").fill(String(pairs[0]!.greedy.length));
  await page.getByLabel("New tokens, at most").press("Enter");
  for (const { text, source, written } of pairs) {
    await scope.translate(text);
    await scope.becomesLive();
    await expect(page.getByTestId("result")).toHaveAttribute("data-text", text);
    await expect(scope.tokens.locator(".source-list > *")).toHaveCount(source.length);
    expect((await page.getByTestId("translation").textContent())!.trim()).toBe(written);
  }

  // The codes of target languages are in the vocabulary.
  const coded = texts.find(({ name }) => name === "code")!;
  await scope.translate(coded.text.replace(">>deu<< ", ""));
  await page.getByLabel("Translate into").selectOption({ label: "German · deu" });
  await scope.becomesLive();
  await expect(scope.tokens.locator(".source-list > *").first()).toHaveText(">>deu<<");
  expect((await page.getByTestId("translation").textContent())!.trim()).toBe(coded.written);
});
