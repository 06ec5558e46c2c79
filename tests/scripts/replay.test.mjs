// The replay's reader of traces, its selection and its strings. `cargo xtask test --only e2e` runs this.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** @type {string} */
let directory;
let readTrace, traceOf, decoded, selection, words, tokens, edits;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "replay-"));
  await cp(join(repository, "assets/replay"), directory, { recursive: true });
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  const imported = (name) => import(pathToFileURL(join(directory, name)).href);
  ({ readTrace, traceOf } = await imported("trace.js"));
  ({ decoded } = await imported("decoded.js"));
  [selection, words, tokens, edits] = await Promise.all(["selection.js", "words.js", "tokens.js", "edits.js"].map(imported));
});
after(() => rm(directory, { recursive: true }));

const stack = (layers, cross) => ({ layers, heads: 2, key_value_heads: 2, head_width: 4, causal: cross, cross_attention: cross });
const token = (text, id = 1) => ({ id, text });

function meta() {
  const spec = { model_type: "marian", width: 8, vocabulary: 9, encoder: stack(1, false), decoder: stack(2, true) };
  return { spec, source: [token("▁a"), token("</s>")], target: [token("<pad>"), token("▁b"), token("<0xE4>")] };
}

/** The arrays of a trace by name: shape and values. */
function arrays() {
  const values = (count) => Array.from({ length: count }, (_, index) => index / 16);
  return {
    "decoder.0.cross.pattern": [[2, 3, 2], values(12)],
    "decoder.1.cross.pattern": [[2, 3, 2], values(12)],
    "encoder.0.self.pattern": [[2, 2, 2], values(8)],
    logits: [[1, 2], [0, 1]],
  };
}

/** The bytes of a file; `changed` may change its header before it is written. */
function file(entries = { trace: meta() }, contents = arrays(), changed = () => {}) {
  const header = { __metadata__: Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)])) };
  const data = [];
  let at = 0;
  for (const [name, [shape, values]] of Object.entries(contents)) {
    const bytes = new Uint8Array(new Float32Array(values).buffer);
    header[name] = { dtype: "F32", shape, data_offsets: [at, at + bytes.length] };
    data.push(bytes);
    at += bytes.length;
  }
  changed(header);
  const json = new TextEncoder().encode(JSON.stringify(header));
  const length = new Uint8Array(new BigUint64Array([BigInt(json.length)]).buffer);
  return Buffer.concat([length, json, ...data]);
}

const refusal = (bytes) => {
  try {
    traceOf(new Uint8Array(bytes));
  } catch (error) {
    assert.equal(error.name, "TraceError");
    return error.message;
  }
  return assert.fail("the file was read");
};

test("a trace is read, compressed or not", async () => {
  for (const bytes of [file(), gzipSync(file())]) {
    const trace = await readTrace(bytes);
    assert.deepEqual([...trace.kinds.keys()], ["encoder_self", "cross"]);
    const cross = trace.kinds.get("cross");
    assert.equal(cross.layers.length, 2);
    assert.deepEqual([...cross.layers[1].subarray(0, 3)], [0, 1 / 16, 2 / 16]);
  }
});

test("base64 is read by the browser's function or without it", () => {
  const own = Uint8Array.fromBase64;
  for (const count of [0, 1, 2, 3, 4, 196_607, 196_608, 196_609, 500_000]) {
    const bytes = Uint8Array.from({ length: count }, (_, index) => (index * 31) % 256);
    const text = Buffer.from(bytes).toString("base64");
    Uint8Array.fromBase64 = undefined;
    assert.deepEqual(decoded(text), bytes, `${count} bytes`);
    Uint8Array.fromBase64 = (given) => [given];
    assert.deepEqual(decoded(text), [text]);
  }
  Uint8Array.fromBase64 = own;
});

test("the stored examples, which have no version, are read", async () => {
  for (const name of ["je-suis-etudiant", "thinking-machines"]) {
    const trace = await readTrace(await readFile(join(repository, `assets/examples/${name}.safetensors`)));
    for (const { layers, heads, queryTokens, keyTokens } of trace.kinds.values()) {
      for (const weights of layers) assert.equal(weights.length, heads * queryTokens.length * keyTokens.length);
    }
  }
});

test("a newer version is refused with both versions", () => {
  assert.equal(refusal(file({ format: "2", trace: meta() })), "the trace has format version 2, and this program reads versions up to 1");
  for (const format of ["0", "1.5", "x", "", "9".repeat(400)]) {
    assert.match(refusal(file({ format, trace: meta() })), /format version/);
  }
  traceOf(new Uint8Array(file({ format: "1", trace: meta() })));
});

test("lengths and offsets that lie are refused before they are used", () => {
  const whole = file();
  for (const length of [0, 7, whole.length - 1]) assert.match(refusal(whole.subarray(0, length)), /not a valid safetensors file/);
  assert.match(refusal(Buffer.concat([whole, Buffer.alloc(1)])), /do not fill the file/);
  const longer = Buffer.from(whole);
  longer.writeBigUInt64LE(2n ** 63n, 0);
  assert.match(refusal(longer), /header too large/);
  longer.writeBigUInt64LE(99_999_999n, 0);
  assert.match(refusal(longer), /invalid header length/);
  for (const offsets of [[0, 40], [8, 56], [48, 0], [-8, 40], [0, 2 ** 60], [0.5, 48.5], ["0", "48"], [0], null]) {
    const bytes = file(undefined, undefined, (header) => (header["decoder.0.cross.pattern"].data_offsets = offsets));
    assert.match(refusal(bytes), /not a valid safetensors file/, String(offsets));
  }
  const overlapping = file(undefined, undefined, (header) => (header["decoder.1.cross.pattern"].data_offsets = [0, 48]));
  assert.match(refusal(overlapping), /overlaps or leaves a gap/);
});

test("a file of 2 GB is refused by its length", () => {
  const large = { length: 2 ** 31, byteOffset: 0, byteLength: 2 ** 31, buffer: null };
  assert.throws(() => traceOf(large), /has 2147483648 bytes, and at most 2147483647 are read/);
});

test("shapes that do not fit heads and tokens are refused by name", () => {
  for (const shape of [[2, 2, 3], [1, 3, 4], [12], [2, 3, 2, 1]]) {
    const bytes = file(undefined, undefined, (header) => (header["decoder.0.cross.pattern"].shape = shape));
    assert.equal(refusal(bytes), `array \`decoder.0.cross.pattern\` has the shape [${shape.join(", ")}], and heads and tokens make [2, 3, 2]`);
  }
});

test("arrays that are missing, unknown, of another type or not finite are refused by name", () => {
  const without = (name) => Object.fromEntries(Object.entries(arrays()).filter(([other]) => other !== name));
  assert.equal(refusal(file(undefined, without("decoder.1.cross.pattern"))), "array `decoder.1.cross.pattern` is missing, although other layers have theirs");
  assert.equal(refusal(file(undefined, { logits: [[1], [0]] })), "the trace has no attention weights (`pattern`)");
  const more = (name) => file(undefined, { ...arrays(), [name]: [[1], [0]] });
  assert.equal(refusal(more("decoder.2.cross.pattern")), "array `decoder.2.cross.pattern` is of a layer that the model does not have");
  assert.equal(refusal(more("decoder.0.mlp.pattern")), "array `decoder.0.mlp.pattern` is of a layer that the model does not have");
  assert.equal(refusal(more("decoder.00.self.z")), "`decoder.00.self.z` names no place of a model");
  const halves = file(undefined, undefined, (header) => (header.logits.dtype = "F16"));
  assert.equal(refusal(halves), "array `logits` is not made of 32-bit floats");
  for (const value of [NaN, Infinity, -Infinity]) {
    const contents = arrays();
    contents["encoder.0.self.pattern"][1][5] = value;
    assert.equal(refusal(file(undefined, contents)), "array `encoder.0.self.pattern` has a weight that is not a finite number");
  }
  const lying = { ...meta() };
  lying.spec.decoder.layers = 2 ** 40;
  assert.match(refusal(file({ trace: lying })), /`decoder\.2\.cross\.pattern` is missing/);
});

test("entries that cannot be read are named", () => {
  assert.match(refusal(file({})), /no `trace` entry/);
  for (const [entry, value] of [
    ["trace", "{"],
    ["trace", {}],
    ["trace", { ...meta(), source: [{ id: 1, text: 7 }] }],
    ["trace", { ...meta(), spec: { ...meta().spec, encoder: { layers: -1, heads: 2 } } }],
    ["decoding", { steps: [{ row: 0 }] }],
    ["guesses", [{ place: "0", candidates: [] }]],
    ["edits", ["off"]],
    ["lens", { answers: [], layers: [[{}]] }],
    ["origin", { text: 7 }],
    ["origin", []],
  ]) {
    const start = `the trace's entry \`${entry}\` cannot be read: `;
    assert.ok(refusal(file({ trace: meta(), [entry]: value })).startsWith(start), `${entry} ${JSON.stringify(value)}`);
  }
  const chosen = { token: token("▁b"), logit: 1, log_probability: -1 };
  const decoding = { steps: [{ row: 3, chosen, forced: false, candidates: [] }] };
  assert.equal(refusal(file({ trace: meta(), decoding })), "the trace's entry `decoding` names place 3, beyond the tokens (3)");
  const lens = { answers: [token("▁b")], layers: [] };
  assert.equal(refusal(file({ trace: meta(), lens })), "the trace's entry `lens` has 1 readings of a layer, not one for each token (3)");
});

test("a step chooses its row, and several heads or queries are means", () => {
  const chosen = { token: token("▁b"), logit: 1, log_probability: -1 };
  const step = (row) => ({ row, chosen, forced: false, candidates: [] });
  const trace = traceOf(new Uint8Array(file({ trace: meta(), decoding: { steps: [step(1), step(2)] } })));
  let chosenNow = selection.firstSelection(trace);
  assert.deepEqual(chosenNow, { kind: "cross", layer: 1, heads: [0], tokens: [1], step: 0 });
  chosenNow = selection.selected(trace, chosenNow, { token: 2 });
  assert.equal(chosenNow.step, 1);
  assert.equal(selection.selected(trace, chosenNow, { token: 0 }).step, null);
  chosenNow = selection.selected(trace, chosenNow, { heads: [0, 1], tokens: [0, 1] });
  const map = selection.mapOf(trace, chosenNow);
  assert.deepEqual([...map], [3, 4, 5, 6, 7, 8].map((sixteenths) => sixteenths / 16));
  assert.deepEqual([...selection.rowOf(map, 2, [0, 1])], [4 / 16, 5 / 16]);
  for (const wanted of [{ layer: 2 }, { head: -1 }, { heads: [] }, { token: 3 }, { step: 2 }, { kind: "decoder_self" }, { layer: "1" }]) {
    assert.throws(() => selection.selected(trace, chosenNow, wanted), RangeError, JSON.stringify(wanted));
  }
  const self = selection.selected(trace, chosenNow, { kind: "encoder_self" });
  assert.deepEqual([self.layer, self.tokens], [0, [0]]);
});

test("a thumbnail holds the largest weight of every block", () => {
  const map = Float32Array.from({ length: 24 }, (_, index) => index);
  assert.deepEqual([...selection.reduced(map, 4, 6, 2).values], [8, 11, 20, 23]);
});

test("every language has every string with the same places", () => {
  const [[, english], ...others] = words.KEYS;
  const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const [language, strings] of others) {
    assert.deepEqual(strings.map(([key]) => key).sort(), english.map(([key]) => key).sort(), language);
    for (const [key, text] of strings) assert.deepEqual(places(text), places(Object.fromEntries(english)[key]), `${language} ${key}`);
  }
});

test("tokens and numbers are written as on the page", () => {
  const say = words.speaker("en");
  const names = ["▁Je", "</s>", "<pad>", "<0xE4><0xBD>", "a▁b", "▁", "x".repeat(30)].map((text) => tokens.tokenName(token(text), say));
  assert.deepEqual(names, ["Je", "end", "start", "⟨E4⟩⟨BD⟩", "a▁b", "▁", `${"x".repeat(23)}…`]);
  assert.deepEqual([0.43021, 0.00001, 0, 1].map((weight) => tokens.weightText(weight, say)), ["0.4302", "< 0.0001", "0.0000", "1.0000"]);
  assert.deepEqual([0.905, 0.0234, 0.0001].map((share) => tokens.shareText(share, "zh")), ["91%", "2.3%", "< 0.1%"]);
});

test("every kind of edit has words, and those that are not known are named", () => {
  const trace = traceOf(new Uint8Array(file()));
  const written = (edit) => edits.editText(edit, trace, words.speaker("en"));
  assert.equal(written({ kind: "scale_head", attention: "decoder.1.cross", head: 1, factor: 0 }), "Cross-attention, layer 2, head 2 off");
  assert.equal(
    written({ kind: "set_weight", attention: "decoder.0.cross", head: 0, query: 1, key: 0, weight: 0.5 }),
    "Cross-attention, layer 1, head 1: query “b” → key “a” has weight 0.5",
  );
  assert.equal(written({ kind: "uniform", attention: "encoder.0.self" }), "uniform weights: Encoder self-attention, layer 1");
  assert.equal(written({ kind: "permute", order: [1, 0] }), "tokens in another order: 2, 1");
  assert.equal(written({ kind: "constructor" }), "an edit of the kind `constructor`");
});
