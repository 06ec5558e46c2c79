// The reader of traces: docs/trace-format.md.

import { TraceError, check } from "./errors.js";
import { isCount, isObject, readHeader } from "./header.js";

/** The newest version of the format that is read. */
const FORMAT = 1;

/** The kinds of attention, in the order of computation: block, and the sides of queries and keys. */
const KINDS = {
  encoder_self: { stack: "encoder", sublayer: "self", queries: "source", keys: "source" },
  decoder_self: { stack: "decoder", sublayer: "self", queries: "target", keys: "target" },
  cross: { stack: "decoder", sublayer: "cross", queries: "target", keys: "source" },
};

/**
 * Reads a trace, compressed with gzip or not.
 * @param {ArrayBuffer | Uint8Array} contents
 */
export async function readTrace(contents) {
  const bytes = contents instanceof Uint8Array ? contents : new Uint8Array(contents);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return traceOf(isGzip ? await unzipped(bytes) : bytes);
}

async function unzipped(bytes) {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw new TraceError("compressed", { reason: error.message });
  }
}

/** Reads the bytes of a safetensors file. */
export function traceOf(bytes) {
  const { entries, arrays } = readHeader(bytes);
  const version = entries.get("format") ?? "1";
  const isKnown = /^[0-9]+$/.test(version) && Number(version) >= 1 && Number(version) <= FORMAT;
  check(isKnown, "version", { found: version, known: FORMAT });
  check(entries.has("trace"), "not_a_trace");
  const meta = entry(entries, "trace", checkMeta);
  const trace = {
    ...meta,
    decoding: entry(entries, "decoding", (json, fits) => checkDecoding(json, meta, fits)),
    guesses: entry(entries, "guesses", (json, fits) => checkGuesses(json, meta, fits)) ?? [],
    edits: entry(entries, "edits", (json, fits) => fits(isList(json, isObject), "not a list of edits")) ?? [],
    lens: entry(entries, "lens", (json, fits) => checkLens(json, meta, fits)),
    origin: entry(entries, "origin", checkOrigin) ?? {},
  };
  return { ...trace, kinds: kindsOf(meta, arrays) };
}

/** Returns an entry of the metadata that passes its check; `null` if there is none. */
function entry(entries, name, checked) {
  if (!entries.has(name)) return null;
  const fits = (condition, reason) => check(condition, "entry", { entry: name, reason });
  let json;
  try {
    json = JSON.parse(entries.get(name));
  } catch (error) {
    fits(false, error.message);
  }
  checked(json, fits);
  return json;
}

const isList = (value, fits) => Array.isArray(value) && value.every(fits);
const isNumber = (value) => typeof value === "number";
const isToken = (value) => isObject(value) && isCount(value.id) && typeof value.text === "string";
const isCandidate = (value) => isObject(value) && isToken(value.token) && isNumber(value.log_probability) && isNumber(value.logit);
const isStack = (value) => isObject(value) && isCount(value.layers) && isCount(value.heads);

function checkMeta(json, fits) {
  fits(isObject(json) && isObject(json.spec), "it has no `spec`");
  const { encoder, decoder, model_type: type } = json.spec;
  fits(typeof type === "string", "`model_type` is not text");
  fits(encoder == null || isStack(encoder), "`encoder` has no layers and heads");
  fits(decoder == null || isStack(decoder), "`decoder` has no layers and heads");
  fits(isList(json.source, isToken), "`source` is not a list of tokens");
  fits(isList(json.target, isToken), "`target` is not a list of tokens");
}

/** Checks that a place lies within a number of tokens. */
function checkPlace(place, tokens, entry) {
  check(place < tokens, "place", { entry, place, tokens });
}

function checkDecoding(json, { target }, fits) {
  fits(isObject(json) && isList(json.steps, isObject), "it has no `steps`");
  for (const step of json.steps) {
    fits(isCount(step.row) && isCandidate(step.chosen), "a step has no `row` or `chosen`");
    fits(isList(step.candidates, isCandidate), "`candidates` is not a list of candidates");
    checkPlace(step.row, target.length, "decoding");
  }
}

function checkGuesses(json, { source }, fits) {
  const isGuess = (guess) => isObject(guess) && isCount(guess.place) && isList(guess.candidates, isCandidate);
  fits(isList(json, isGuess), "not a list of guesses");
  for (const { place } of json) checkPlace(place, source.length, "guesses");
}

function checkLens(json, { spec, source, target }, fits) {
  const isWord = (word) => isObject(word) && isToken(word.token) && isNumber(word.probability);
  const isReading = (reading) =>
    isObject(reading) && isList(reading.words, isWord) && isCount(reading.rank) && isNumber(reading.probability);
  fits(isObject(json) && isList(json.answers, isToken), "it has no `answers`");
  fits(isList(json.layers, (layer) => isList(layer, isReading)), "`layers` is not a list of readings");
  const tokens = (spec.decoder ? target : source).length;
  for (const { length } of [json.answers, ...json.layers]) {
    check(length === tokens, "lens", { found: length, tokens });
  }
}

function checkOrigin(json, fits) {
  const texts = isObject(json) ? ["program", "version", "model", "text"].map((name) => json[name]) : [null];
  fits(isObject(json) && texts.every((text) => text == null || typeof text === "string"), "its fields are not text");
}

/** Returns each kind of attention that has weights: its tokens, heads, and the weights of each layer. */
function kindsOf(meta, arrays) {
  const patterns = new Map();
  for (const array of arrays) {
    checkName(array);
    if (array.name.endsWith(".pattern")) patterns.set(array.name, array);
  }
  const kinds = new Map();
  for (const [kind, place] of Object.entries(KINDS)) {
    const stack = meta.spec[place.stack];
    const layers = layersOf(stack?.layers ?? 0, place, patterns);
    if (layers.length === 0) continue;
    const [queries, keys] = [meta[place.queries], meta[place.keys]];
    const shape = [stack.heads, queries.length, keys.length];
    const weights = layers.map((array) => weightsOf(array, shape));
    kinds.set(kind, { kind, ...place, heads: stack.heads, queryTokens: queries, keyTokens: keys, layers: weights });
  }
  const unknown = patterns.keys().next();
  check(unknown.done, "layer", { name: unknown.value });
  check(kinds.size > 0, "no_weights");
  return kinds;
}

const NAME = /^((encoder|decoder)(\.(0|[1-9][0-9]*)\.(self|cross|mlp))?\.)?[a-z][a-z_]*$/;

function checkName({ name, dtype }) {
  check(NAME.test(name), "name", { name });
  check(dtype === "F32", "type", { name });
}

/** Takes the weights of all layers out of those that were found: of every layer or of none. */
function layersOf(count, { stack, sublayer }, patterns) {
  const name = (layer) => `${stack}.${layer}.${sublayer}.pattern`;
  const prefix = `${stack}.`;
  const isOfKind = (found) => found.startsWith(prefix) && found.endsWith(`.${sublayer}.pattern`);
  if (![...patterns.keys()].some((found) => isOfKind(found) && Number(found.split(".")[1]) < count)) return [];
  const layers = [];
  for (let layer = 0; layer < count; layer += 1) {
    const array = patterns.get(name(layer));
    check(array !== undefined, "missing", { name: name(layer) });
    patterns.delete(name(layer));
    layers.push(array);
  }
  return layers;
}

/** Returns the weights of a layer after checking their shape and that they are numbers. */
function weightsOf({ name, shape, bytes }, expected) {
  const fits = shape.length === 3 && shape.every((length, axis) => length === expected[axis]);
  check(fits, "shape", { name, found: shape.join(", "), expected: expected.join(", ") });
  const count = expected[0] * expected[1] * expected[2];
  check(bytes.length === 4 * count, "container", { reason: `\`${name}\` does not fill its shape` });
  const weights = floats(bytes);
  check(weights.every(Number.isFinite), "not_finite", { name });
  return weights;
}

/** Little-endian floats, in place where they lie on a boundary of four bytes. */
function floats(bytes) {
  const isPlain = new Uint8Array(new Float32Array([1]).buffer)[3] === 0x3f;
  if (isPlain && bytes.byteOffset % 4 === 0) {
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}
