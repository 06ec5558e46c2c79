// The browser's reader of `tokenizer.json` next to the library that the models were trained with: the same numbers for
// every text of `tests/fixtures/tokens.json`, and the same text back; the same numbers for the texts of the tiny
// checkpoints. `cargo xtask test --only e2e` runs this.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
/** As the build serves them: names and files of `static_files` in xtask/src/bundle/dist.rs. */
const SERVED = {
  "segmenter.js": "app/worker/js/segmenter.js",
  "stretches.js": "app/worker/js/stretches.js",
  "tokenizers.js": "xtask/node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs",
};
const TINY = join(repository, "tests/fixtures/tiny");
const fixture = JSON.parse(await readFile(join(repository, "tests/fixtures/tokens.json"), "utf8"));

/** @type {string} */
let directory;
/** @type {any} */
let Segmenter;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "segmenter-"));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  for (const [name, file] of Object.entries(SERVED)) await copyFile(join(repository, file), join(directory, name));
  ({ Segmenter } = await import(pathToFileURL(join(directory, "segmenter.js")).href));
});
after(() => rm(directory, { recursive: true }));

for (const [model, expected] of Object.entries(fixture.models)) {
  const read = () => readFile(join(repository, "assets/models", model, "tokenizer.json"), "utf8");

  test(`${model}: the fixture is that of the tokenizer that is shipped`, async () => {
    const sha256 = createHash("sha256").update(await read()).digest("hex");
    assert.equal(sha256, expected.sha256, "run `python tests/fixtures/tokens.py`");
    assert.ok(fixture.texts.length > 100);
    assert.equal(expected.ids.length, fixture.texts.length);
  });

  test(`${model}: every text has the same numbers`, async () => {
    const segmenter = new Segmenter(await read());
    for (const [index, text] of fixture.texts.entries()) {
      assert.deepEqual(segmenter.encode(text), expected.ids[index], JSON.stringify(text));
    }
  });

  test(`${model}: the numbers give the same text back`, async () => {
    const segmenter = new Segmenter(await read());
    for (const [index, ids] of expected.ids.entries()) {
      assert.equal(segmenter.decode(Uint32Array.from(ids)), expected.decoded[index], JSON.stringify(ids));
    }
    assert.equal(segmenter.decode(new Uint32Array()), "");
  });

  test(`${model}: pieces and numbers belong together`, async () => {
    const json = await read();
    const segmenter = new Segmenter(json);
    const { vocab } = JSON.parse(json).model;
    assert.equal(segmenter.vocabulary(), Object.keys(vocab).length);
    for (const [piece, id] of Object.entries(vocab)) {
      assert.equal(segmenter.id(piece), id);
      assert.equal(segmenter.piece(id), piece);
    }
    assert.equal(segmenter.id("no such piece"), undefined);
    // Rows of a model beyond its tokenizer's pieces, which the engine then shows by their numbers.
    for (const row of [0, 1, 408, 2 ** 31]) assert.equal(segmenter.piece(segmenter.vocabulary() + row), undefined);
  });

  // By this the engine puts such rows in their places in a text: `Tokenizer::decode` in `model/src/tokenizer.rs`.
  test(`${model}: what more numbers add stands at the end of the text`, async () => {
    const segmenter = new Segmenter(await read());
    for (const ids of expected.ids) {
      const whole = segmenter.decode(Uint32Array.from(ids));
      for (let count = 1; count < ids.length; count += 3) {
        const text = segmenter.decode(Uint32Array.from(ids.slice(0, count)));
        assert.ok(whole.startsWith(text), JSON.stringify([text, whole]));
      }
    }
  });
}

/** What the script beside a tiny checkpoint wrote of its texts: in the header of a safetensors file. */
async function described(checkpoint) {
  const file = await readFile(join(TINY, checkpoint, "expected.safetensors"));
  const header = JSON.parse(file.toString("utf8", 8, 8 + Number(file.readBigUInt64LE(0))));
  return JSON.parse(header.__metadata__.fixture);
}

// Byte pairs as GPT-2 cuts them, BERT's words in pieces, T5's end of a text: what the shipped models have not. A GGUF file
// holds its tokenizer itself: `tests/parity/src/gguf.rs` reads it, and the journeys of models in the browser. Conversations
// of `llama-chat` are in `tests/fixtures/chat.json`.
for (const checkpoint of await readdir(TINY)) {
  const has = (name) => existsSync(join(TINY, checkpoint, name));
  if (has("model.gguf") || !has("expected.safetensors")) continue;
  const { cases } = await described(checkpoint);
  if (cases === undefined) continue;

  test(`${checkpoint}: every text has the numbers that Python's library gives it`, async () => {
    const json = await readFile(join(TINY, checkpoint, "tokenizer.json"), "utf8");
    const segmenter = new Segmenter(json);
    const { model_type } = JSON.parse(await readFile(join(TINY, checkpoint, "config.json"), "utf8"));
    // The engine puts the languages of M2M-100 and NLLB around a text itself: `model/src/tokenizer/languages.rs`.
    const around =
      model_type === "m2m_100"
        ? Object.values(JSON.parse(json).post_processor.special_tokens).flatMap(({ ids }) => ids)
        : [];
    const compared = (ids) => Array.from(ids).filter((id) => !around.includes(id));
    // Of two texts that are read together the engine knows nothing.
    const texts = cases.filter(({ text }) => typeof text === "string" || text?.length === 1);
    assert.ok(texts.length > 3);
    for (const { text, source, target } of texts) {
      const ids = source.length === 0 ? target : source;
      assert.deepEqual(compared(segmenter.encode(String(text))), compared(ids), JSON.stringify(text));
    }
  });
}

const labels = JSON.parse(await readFile(join(repository, "tests/fixtures/labels.json"), "utf8"));

/** What is compared of a stretch: JavaScript keeps a letter and its marks together, where Python parts them. */
const bare = (stretch) => stretch.normalize("NFD").replace(/\p{M}/gu, "").trim();

for (const { name, description, unknown } of labels.tokenizers) {
  test(`${name}: unknown tokens stand for the stretches that Python's offsets have`, () => {
    const segmenter = new Segmenter(JSON.stringify(description));
    for (const [index, text] of labels.texts.entries()) {
      assert.deepEqual(segmenter.stretches(text, 0).map(bare), unknown[index].map(bare), JSON.stringify(text));
    }
  });
}

/** A tokenizer of three letters with these entries besides. */
const small = (entries) =>
  new Segmenter(
    JSON.stringify({
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: "WhitespaceSplit" },
      post_processor: null,
      decoder: null,
      model: { type: "BPE", unk_token: "<unk>", vocab: { "<unk>": 0, a: 1, b: 2, $: 3 }, merges: [] },
      ...entries,
    }),
  );

test("padding and truncation of the file are not used", () => {
  const padding = { strategy: { Fixed: 32 }, direction: "Right", pad_id: 0, pad_type_id: 0, pad_token: "<unk>" };
  const truncation = { max_length: 1, strategy: "LongestFirst", stride: 9, direction: "Right" };
  assert.deepEqual(small({ padding, truncation }).encode("a b a"), [1, 2, 1]);
});

test("a normalizer that makes much of little is named", () => {
  const replace = (pattern, content) => ({ type: "Replace", pattern, content });
  const doubling = Array.from({ length: 40 }, () => replace({ String: "b" }, "bb"));
  for (const normalizer of [
    replace({ String: "a" }, "b".repeat(1_000_000)),
    replace({ Regex: "" }, "b".repeat(100_000)),
    { type: "Prepend", prepend: "a".repeat(10_000_000) },
    { type: "Sequence", normalizers: doubling },
  ]) {
    assert.throws(() => small({ normalizer }).encode("a b"), /its normalizer makes more than/);
  }
  const added_tokens = [{ id: 9, content: "a", normalized: true }];
  assert.throws(() => small({ normalizer: replace({ String: "a" }, "b".repeat(1e6)), added_tokens }), /its normalizer/);
  assert.deepEqual(small({ normalizer: replace({ String: "b" }, "$") }).encode("a b"), [1, 3]);
});

test("numbers may lie far apart", () => {
  const vocab = { "<unk>": 0, a: 4_000_000_000 };
  const segmenter = small({ model: { type: "BPE", unk_token: "<unk>", vocab, merges: [] } });
  assert.deepEqual(segmenter.encode("a b"), [4_000_000_000, 0]);
  assert.equal(segmenter.piece(4_000_000_000), "a");
  assert.equal(segmenter.vocabulary(), 2);
});

test("no account is kept of texts that are read after one that was refused", (context) => {
  const segmenter = small({ normalizer: { type: "Replace", pattern: { String: "b" }, content: "b".repeat(1e6) } });
  assert.throws(() => segmenter.stretches("a b", 0), /its normalizer/);
  const { push } = Array.prototype;
  context.after(() => (Array.prototype.push = push));
  let sections = 0;
  Array.prototype.push = function (...items) {
    sections += items.filter((item) => item?.section !== undefined).length;
    return push.apply(this, items);
  };
  segmenter.encode("a");
  assert.equal(sections, 0);
});

// For each character through all of them it is minutes.
test("of many unknown characters each is normalised once", { timeout: 60_000 }, async () => {
  const { stretches } = await import(pathToFileURL(join(directory, "stretches.js")).href);
  const section = "x".repeat(200_000);
  const sections = [{ section, normalised: section, words: [{ word: section, tokens: [...section] }] }];
  let normalised = 0;
  const normalise = (text) => {
    ++normalised;
    return text;
  };
  const tokenizer = { isUnknown: () => true, piece: "<unk>", written: String, normalise };
  assert.equal(stretches(section, sections, tokenizer).join(""), section);
  assert.equal(normalised, section.length);
});

test("what is no tokenizer.json is refused", () => {
  assert.throws(() => new Segmenter("{"), SyntaxError);
  assert.throws(() => new Segmenter("{}"), /must contain a "model" property/);
});
