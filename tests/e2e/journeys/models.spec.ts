// The sheet of models: served ones in their groups, and one from the visitor's disk.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "../browser";
import { expected } from "../checkpoint";
import { expect, freshTest, type Scope, test } from "../scope";
import { put } from "../worker";

/** A checkpoint of a family that the page serves none of: two layers of three heads. */
const GPT2 = join(repository, "tests/fixtures/tiny/gpt2-tiny");
const FILES = ["config.json", "tokenizer.json", "model.safetensors"];

/** The files of a checkpoint as a file field takes them, some of them replaced or left out. */
function checkpoint(replaced: Record<string, string | Buffer | null> = {}): { name: string; mimeType: string; buffer: Buffer }[] {
  const contents = new Map<string, string | Buffer | null>(FILES.map((name) => [name, readFileSync(join(GPT2, name))]));
  for (const [name, content] of Object.entries(replaced)) contents.set(name, content);
  return [...contents].flatMap(([name, content]) =>
    content === null ? [] : [{ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) }],
  );
}

async function chooses(scope: Scope, files: Parameters<ReturnType<Page["getByTestId"]>["setInputFiles"]>[0]): Promise<void> {
  await scope.openModels();
  await scope.page.getByTestId("mine-files").setInputFiles(files);
}

/** The model from the disk has answered. */
async function runs(scope: Scope): Promise<void> {
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.page).toHaveURL(/model=mine-[0-9a-f]{12}/);
  await expect(scope.thumbnails).toHaveCount(2 * 3);
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
}

test("one button opens the sheet, by pointer and keyboard, and the focus comes back", async ({ page, scope }) => {
  await scope.openLive();
  await expect(scope.modelsButton).toContainText("French, Chinese → English");
  await scope.openModels();
  await expect(scope.model("translator")).toHaveAttribute("aria-pressed", "true");
  for (const group of ["Translators", "Language models", "Position and verse models", "Before the Transformer", "Mine"]) {
    await expect(scope.modelsSheet.getByRole("heading", { name: group, exact: true })).toBeVisible();
  }
  await page.keyboard.press("Escape");
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.modelsButton).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(scope.modelsSheet).toBeVisible();
  await page.getByTestId("models-close").click();
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.modelsButton).toBeFocused();
});

test("an entry says what the model weighs and scored, and its example runs", async ({ page, scope }) => {
  await scope.openLive();
  await scope.openModels();
  const entry = scope.modelsSheet.getByRole("article").filter({ has: page.getByTestId("model-to-french") });
  await expect(entry).toContainText("7,585,600");
  await expect(entry).toContainText("CC BY 2.0");
  await expect(entry).toContainText("English → French: 38.0 BLEU");
  await page.getByTestId("model-example-sentences").click();
  await expect(scope.modelsSheet).toBeHidden();
  await expect(page).toHaveURL(/model=sentences/);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(4 * 6);
  await expect(scope.modelsButton).toContainText("Sentence model");
});

test("variants keep the text and what is said follows them", async ({ page, scope }) => {
  await scope.openLive("model=to-french&text=Hello.");
  await scope.chooseModel("to-chinese");
  await expect(page).toHaveURL(/model=to-chinese.*text=Hello/);
  await scope.becomesLive();
  await expect(scope.translation).toHaveText(/\p{Script=Han}/u);
  await scope.openModels();
  const entry = scope.modelsSheet.getByRole("article").filter({ has: page.getByTestId("model-to-chinese") });
  await expect(entry).toContainText("English → Chinese: 30.5 BLEU");
});

for (const [width, height, language] of [
  [390, 844, "zh"],
  [1280, 720, "en"],
] as const) {
  test(`the sheet fits ${width} × ${height} in ${language}`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await scope.openLive(`lang=${language}`);
    await scope.openModels();
    expect(await scope.overflow()).toBeLessThanOrEqual(0);
    const inside = await scope.modelsSheet.evaluate((sheet) => sheet.scrollWidth - sheet.clientWidth);
    expect(inside).toBeLessThanOrEqual(0);
    const box = await scope.modelsSheet.boundingBox();
    expect(box).not.toBeNull();
    expect(box!.x).toBeGreaterThanOrEqual(0);
    expect(box!.x + box!.width).toBeLessThanOrEqual(width);
    await expect(page.getByTestId("models-close")).toBeInViewport();
  });
}

test("the sentence model opens on an unfinished text, answers, and is sampled in one click", async ({ page, scope }) => {
  await scope.openLive();
  await scope.chooseModel("sentences");
  await scope.becomesLive();
  await expect(scope.text).not.toHaveValue(/[.!?]\s*$/);
  await expect(page.getByTestId("output-token").first()).toBeVisible();
  await expect(scope.translation).not.toBeEmpty();
  await scope.search("Sampling");
  await expect(page).toHaveURL(/sampling=/);
});

freshTest("three files from the disk are a model, which nothing but this tab reads", async ({ page, scope }) => {
  await scope.openLive();
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET" || request.postData() !== null) sent.push(request.url());
  });
  await chooses(scope, FILES.map((name) => join(GPT2, name)));
  await runs(scope);
  await expect(scope.modelsButton).toContainText("Your own model");
  await scope.translate("abc");
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", "abc");
  await scope.becomesLive();
  expect(sent).toEqual([]);

  // What lies on the disk and the served ones take turns.
  await scope.chooseModel("translator");
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);
  await scope.openModels();
  await expect(page.getByTestId("mine-about")).toContainText("gpt2");
  await scope.model("mine").click();
  await runs(scope);
});

/** A safetensors file with some of the tensors of another. */
function partOf(file: Buffer, isIn: (index: number) => boolean): Buffer {
  const start = 8 + Number(file.readBigUInt64LE(0));
  const tensors = Object.entries<{ data_offsets: [number, number] }>(JSON.parse(file.toString("utf8", 8, start)));
  let end = 0;
  const data: Buffer[] = [];
  const header = tensors.filter(([name], index) => name !== "__metadata__" && isIn(index)).map(([name, tensor]) => {
    const [from, to] = tensor.data_offsets;
    data.push(file.subarray(start + from, start + to));
    end += to - from;
    return [name, { ...tensor, data_offsets: [end - to + from, end] }];
  });
  const json = Buffer.from(JSON.stringify(Object.fromEntries(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...data]);
}

test("weights in several files are one model, whatever order they are chosen in", async ({ page, scope }) => {
  const weights = readFileSync(join(GPT2, "model.safetensors"));
  const part = (number: number) => `model-0000${number}-of-00003.safetensors`;
  const parts = Object.fromEntries([3, 1, 2].map((number) => [part(number), partOf(weights, (index) => index % 3 === number - 1)]));
  await scope.openLive();
  await chooses(scope, checkpoint({ "model.safetensors": null, ...parts }));
  await runs(scope);
  await scope.translate("abc");
  await scope.becomesLive();
  const whole = (await scope.translation.textContent()) ?? "";
  await chooses(scope, checkpoint());
  await runs(scope);
  await scope.translate("abc");
  await scope.becomesLive();
  await expect(scope.translation).toHaveText(whole.trim());
  await chooses(scope, checkpoint({ "model.safetensors": null, ...parts, [part(2)]: null }));
  await expect(page.getByTestId("mine-problem")).toContainText("Missing: model.safetensors");
});

test("a GGUF file is a model, described before it is read, and gives it its name", async ({ page, scope }, info) => {
  const file = join(info.outputDir, "Tiny llama.Q8_0.gguf");
  mkdirSync(info.outputDir, { recursive: true });
  writeFileSync(file, readFileSync(join(repository, "tests/fixtures/tiny/gguf-llama/model.gguf")));
  await scope.openLive();
  await chooses(scope, file);
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.modelsButton).toContainText("Tiny llama.Q8_0");
  await scope.becomesLive();
  await scope.translate("the old dog sits in the garden");
  await scope.becomesLive();
  await expect(scope.tokens).toContainText("the");
  await scope.openModels();
  await expect(page.getByTestId("mine-about")).toContainText("llama, ");
  await expect(page.getByTestId("mine-about")).toContainText(/\(Q4_1 69\.6\s%, Q8_0 29\.9\s%, F32 0\.5\s%\)/);
});

test("a file that was changed since it was chosen is named", async ({ scope }, info) => {
  const file = join(info.outputDir, "Tiny llama.gguf");
  const contents = readFileSync(join(repository, "tests/fixtures/tiny/gguf-llama/model.gguf"));
  mkdirSync(info.outputDir, { recursive: true });
  writeFileSync(file, contents);
  await scope.openLive();
  await chooses(scope, file);
  await expect(scope.modelsButton).toContainText("Tiny llama");
  await scope.becomesLive();
  await scope.chooseModel("translator");
  await scope.becomesLive();
  writeFileSync(file, Buffer.concat([contents, Buffer.alloc(32)]));
  await scope.openModels();
  await scope.model("mine").click();
  await expect(scope.problem).toContainText("Tiny llama.gguf cannot be read from the disk");
});

for (const [what, damaged, said] of [
  ["cut short", (file: Buffer) => file.subarray(0, -1000), /ends at byte \d+, and the file has \d+/],
  ["another file", () => Buffer.from("no model at all"), /does not begin with the letters GGUF/],
  ["of another version", (file: Buffer) => Buffer.concat([file.subarray(0, 4), Buffer.from([9]), file.subarray(5)]), /version: 9 is not implemented/],
] as [string, (file: Buffer) => Buffer, RegExp][]) {
  test(`a GGUF file that is ${what} is refused with the reason, and the model stays`, async ({ page, scope }) => {
    const buffer = damaged(readFileSync(join(repository, "tests/fixtures/tiny/gguf-llama/model.gguf")));
    await scope.openLive();
    await chooses(scope, [{ name: "a.gguf", mimeType: "application/octet-stream", buffer }]);
    await expect(page.getByTestId("mine-problem")).toContainText(said);
    await page.keyboard.press("Escape");
    await expect(scope.modelsButton).toContainText("French, Chinese → English");
  });
}

test("a folder is a model and gives it its name", async ({ page, scope }, info) => {
  const folder = join(info.outputDir, "My GPT");
  mkdirSync(folder, { recursive: true });
  for (const { name, buffer } of checkpoint({ "generation_config.json": '{"eos_token_id": 1}', "README.md": "#" })) {
    writeFileSync(join(folder, name), buffer);
  }
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-folder").setInputFiles(folder);
  await runs(scope);
  await expect(scope.modelsButton).toContainText("My GPT");
  await expect(page).toHaveURL(/folder=My\+GPT/);

  // The link leads to those who have the files.
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(scope.problem).toContainText("“My GPT”");
  await scope.isDrawn();
  await scope.problem.getByTestId("open-models").click();
  await page.getByTestId("mine-folder").setInputFiles(folder);
  await runs(scope);
  expect(page.url()).toBe(link);
});

test("files that are dropped on the page are a model", async ({ page, scope }) => {
  await scope.openLive();
  const files = checkpoint().map(({ name, buffer }) => [name, buffer.toString("base64")] as const);
  const dropped = await page.evaluateHandle(async (files) => {
    const data = new DataTransfer();
    for (const [name, base64] of files) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      data.items.add(new File([bytes], name));
    }
    return data;
  }, files);
  await page.dispatchEvent("body", "dragover", { dataTransfer: dropped });
  await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
  await runs(scope);
});

/** A file that `torch.save` wrote. */
const PICKLES = (name: string): Buffer => readFileSync(join(repository, "tests/fixtures/pytorch", name));

const FAULTS: [string, Parameters<typeof checkpoint>[0], RegExp][] = [
  ["no weights", { "model.safetensors": null }, /Missing: model\.safetensors/],
  ["weights of another kind", { "model.safetensors": null, "flax_model.msgpack": "x" }, /There is flax_model\.msgpack/],
  ["weights that would execute", { "model.safetensors": null, "pytorch_model.bin": PICKLES("command.bin") }, /pytorch_model\.bin: data\.pkl: it asks to call posix\.system/],
  ["weights of PyTorch that are none", { "model.safetensors": null, "pytorch_model.bin": "x" }, /pytorch_model\.bin: it is not a file of torch\.save/],
  ["a broken configuration", { "config.json": "{" }, /config\.json is not valid JSON/],
  ["another architecture", { "config.json": '{"model_type": "mamba"}' }, /“mamba”, which does not run here.*llama/],
  ["weights that are none", { "model.safetensors": "version https://git-lfs.github.com/spec/v1" }, /does not begin as a safetensors file does/],
  ["weights that are too many", { "model.safetensors": header([40_000, 40_000]) }, /needs [\d.]+ MB of memory/],
];

/** The beginning of a safetensors file of one tensor. */
function header(shape: number[]): Buffer {
  const bytes = 4 * shape.reduce((count, axis) => count * axis, 1);
  const json = JSON.stringify({ weight: { dtype: "F32", shape, data_offsets: [0, bytes] } });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, Buffer.from(json)]);
}

test("weights as PyTorch stores them are a model", async ({ page, scope }) => {
  await scope.openLive();
  const directory = join(repository, "tests/fixtures/tiny/padded-vocabulary");
  const files = ["config.json", "tokenizer.json"].map((name) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: readFileSync(join(directory, name)),
  }));
  const weights = { name: "pytorch_model.bin", mimeType: "application/octet-stream", buffer: PICKLES("whole.bin") };
  await chooses(scope, [...files, weights]);
  await expect(scope.modelsSheet).toBeHidden();
  await expect(page).toHaveURL(/model=mine-[0-9a-f]{12}/);
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  const [first] = JSON.parse(expected("padded-vocabulary").metadata.fixture ?? "").cases;
  await scope.translate(first.text);
  await scope.inspect("Next word");
  const chosen = page.locator("[data-testid=candidate].chosen");
  for (const token of first.greedy.slice(0, 4)) {
    await expect(chosen).toHaveAttribute("data-token", String(token));
    await page.getByTestId("step-forward").click();
  }
});

test("what is no model is said in the sheet, each fault in its words, and what runs goes on", async ({ page, scope }) => {
  await scope.openLive();
  await scope.openModels();
  for (const [what, files, words] of FAULTS) {
    await test.step(what, async () => {
      await page.getByTestId("mine-files").setInputFiles(checkpoint(files));
      await expect(page.getByTestId("mine-problem")).toContainText(words);
      await expect(scope.modelsSheet).toBeVisible();
    });
  }
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/model=/);
  await scope.translate("Il pleut.");
  await expect(scope.translation).toContainText(/raining/);
  await expect(scope.problem).toBeHidden();
});

for (const [what, files, words] of [
  ["a broken tokenizer", { "tokenizer.json": "{" }, /tokenizer\.json is not valid JSON/],
  ["weights of another model", { "model.safetensors": header([1, 1]) }, /These files make no model that runs here/],
] as const) {
  test(`${what}: the page says so, and the models are a click away`, async ({ page, scope }) => {
    await scope.openLive();
    await chooses(scope, checkpoint(files));
    await expect(scope.problem).toContainText(words);
    // What was on screen stays.
    await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);
    await scope.problem.getByTestId("open-models").click();
    await scope.model("translator").click();
    await scope.becomesLive();
    await expect(scope.problem).toBeHidden();
    await expect(page).not.toHaveURL(/model=/);
  });
}

freshTest("a model is read in parts, with its progress in bytes and Cancel", async ({ page, scope }) => {
  // A disk that answers once and then never: on a busy machine any delay could end before the click on Cancel.
  await put(page, `
    const slice = Blob.prototype.slice;
    let parts = 0;
    Blob.prototype.slice = function (...range) {
      const part = slice.apply(this, range);
      if (parts++ > 0) part.arrayBuffer = () => new Promise(() => {});
      return part;
    };`, Infinity);
  await scope.openLive();
  await chooses(scope, checkpoint());
  const loading = page.getByTestId("loading");
  await expect(loading).toContainText("of 0.1 MB");
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);
  await page.getByTestId("cancel-loading").click();
  await expect(page.getByTestId("stopped")).toContainText("cancelled");
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);
  await scope.chooseModel("translator");
  await scope.becomesLive();
});

test("a link that names no model offers the sheet", async ({ page, scope }) => {
  await scope.openLive("model=gpt2");
  const notice = page.getByTestId("address-notice");
  await expect(notice).toContainText("model=gpt2");
  await notice.getByTestId("open-models").click();
  await expect(scope.modelsSheet).toBeVisible();
});
