// The browser's reader of `tokenizer.json` next to the library that the models were trained with: the same numbers for
// every text of `tests/fixtures/tokens.json`, and the same text back; the same numbers for the texts of the tiny
// checkpoints. `cargo xtask test --only e2e` runs this.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
/** As the build serves them: names and files of `static_files` in xtask/src/bundle/dist.rs. */
const SERVED = {
  "segmenter.js": "app/worker/js/segmenter.js",
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

// Byte pairs as GPT-2 cuts them, BERT's words in pieces, T5's end of a text: what the shipped models have not.
for (const checkpoint of await readdir(TINY)) {
  const { cases } = await described(checkpoint);
  if (cases === undefined) continue;

  test(`${checkpoint}: every text has the numbers that Python's library gives it`, async () => {
    const segmenter = new Segmenter(await readFile(join(TINY, checkpoint, "tokenizer.json"), "utf8"));
    // Of two texts that are read together the engine knows nothing.
    const texts = cases.filter(({ text }) => typeof text === "string" || text?.length === 1);
    assert.ok(texts.length > 3);
    for (const { text, source, target } of texts) {
      const ids = source.length === 0 ? target : source;
      assert.deepEqual(segmenter.encode(String(text)), ids, JSON.stringify(text));
    }
  });
}

test("what is no tokenizer.json is refused", () => {
  assert.throws(() => new Segmenter("{"), SyntaxError);
  assert.throws(() => new Segmenter("{}"), /must contain a "model" property/);
});
