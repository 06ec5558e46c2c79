// onnxruntime-web with a graph's bytes and nothing between: the strictest way to use it.

import { answer, largest } from "./answer.js";
import { keep as upload } from "./arrays.js";

/** @import { Work } from "./measure.js" */
/** @import { NamedArray } from "./arrays.js" */
/** @import * as Ort from "onnxruntime-web" */

/** @type {typeof Ort} */
let ort;
/** @type {Ort.InferenceSession[]} */
let sessions = [];

/** @param {Work} work */
async function load(work) {
  const webgpu = work.device === "webgpu";
  const began = performance.now();
  ort = await import(webgpu ? "/ort/ort.webgpu.min.mjs" : "/ort/ort.wasm.min.mjs");
  ort.env.wasm.wasmPaths = "/ort/";
  ort.env.wasm.numThreads = work.threads;
  let fetch_ms = 0;
  for (const file of files(work)) {
    const asked = performance.now();
    const bytes = new Uint8Array(await (await fetch(work.model + file)).arrayBuffer());
    fetch_ms += performance.now() - asked;
    sessions.push(await ort.InferenceSession.create(bytes, options(work, webgpu)));
  }
  return { load_ms: performance.now() - began, fetch_ms, about: { ort: ort.env.versions.web } };
}

/** The graphs that the work needs. @param {Work} work */
function files({ kind, described }) {
  if (kind === "forward") return ["forward.onnx"];
  return described.family === "marian" ? ["encoder.onnx", "decoder.onnx"] : ["onnx/model.onnx"];
}

/** @param {Work} work @param {boolean} webgpu @returns {Ort.InferenceSession.SessionOptions} */
function options(work, webgpu) {
  const options = {
    executionProviders: [webgpu ? "webgpu" : "wasm"],
    graphOptimizationLevel: /** @type {const} */ ("all"),
  };
  if (!webgpu || work.kind === "forward") return options;
  // The cache stays on the GPU, as transformers.js has it too.
  const names = ["present", "memory"].flatMap((of) => caches(of, work.described.decoder_layers));
  return {
    ...options,
    preferredOutputLocation: Object.fromEntries(names.map((name) => [name, /** @type {const} */ ("gpu-buffer")])),
  };
}

/** @param {string} of @param {number} layers */
function caches(of, layers) {
  return Array.from({ length: layers }, (_, layer) => [`${of}.${layer}.key`, `${of}.${layer}.value`]).flat();
}

/** @param {number[]} tokens */
function row(tokens) {
  return new ort.Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
}

/** @param {Work} work */
async function pass({ source, target }) {
  /** @type {Record<string, Ort.Tensor>} */
  const feeds = { input_ids: row(source) };
  if (target.length) feeds.decoder_input_ids = row(target);
  return sessions[0].run(feeds);
}

/** @param {Work} work */
async function forward(work) {
  const began = performance.now();
  const outputs = await pass(work);
  const arrays = Object.values(outputs).map((output) => /** @type {Float32Array} */ (output.data));
  const pass_ms = performance.now() - began;
  return { pass_ms, transfer: arrays.map((array) => array.buffer) };
}

/** @param {Work} work @param {number} count */
async function decode(work, count) {
  const began = performance.now();
  const tokens = work.described.family === "marian" ? await translate(work, count) : await go_on(work, count);
  return { decode_ms: performance.now() - began, tokens };
}

/** @param {Work} work @param {number} count */
function go_on({ source, described }, count) {
  return steps(sessions[0], source, "past_key_values", {}, described, count);
}

/** @param {Work} work @param {number} count */
async function translate({ source, described }, count) {
  const memory = await sessions[0].run({ input_ids: row(source) });
  const tokens = await steps(sessions[1], [described.start], "past", memory, described, count);
  for (const tensor of Object.values(memory)) tensor.dispose();
  return tokens;
}

/**
 * Greedy decoding: the prompt in one pass, then a token at a time, every logit read on the host.
 *
 * @param {Ort.InferenceSession} session
 * @param {number[]} prompt
 * @param {string} past the cache's name among the inputs
 * @param {Record<string, Ort.Tensor>} memory inputs that stay
 * @param {Record<string, any>} described
 * @param {number} count
 */
async function steps(session, prompt, past, memory, described, count) {
  const { decoder_layers, heads, head_dim, end, forced_end, banned = [] } = described;
  const empty = () => new ort.Tensor("float32", new Float32Array(0), [1, heads, 0, head_dim]);
  const inputs = caches(past, decoder_layers);
  const presents = caches("present", decoder_layers);
  /** @type {Record<string, Ort.Tensor>} */
  let cache = Object.fromEntries(inputs.map((name) => [name, empty()]));
  const tokens = [];
  let read = prompt;
  while (tokens.length < count && tokens.at(-1) !== end) {
    const outputs = await session.run({ input_ids: row(read), ...memory, ...cache });
    for (const tensor of Object.values(cache)) tensor.dispose();
    cache = Object.fromEntries(inputs.map((name, index) => [name, outputs[presents[index]]]));
    /** @type {number} */
    const best = largest(/** @type {Float32Array} */ (outputs.logits.data), banned);
    // As `forced_eos_token_id` has it: at the limit the text ends, whatever the logits are.
    /** @type {number} */
    const token = tokens.length + 1 === count ? (forced_end ?? best) : best;
    tokens.push(token);
    read = [token];
  }
  for (const tensor of Object.values(cache)) tensor.dispose();
  return tokens;
}

/** Uploads the outputs of one more pass. @param {Work} work */
async function keep(work) {
  /** @type {Map<string, NamedArray>} */
  const arrays = new Map();
  for (const [name, { data, dims }] of Object.entries(await pass(work))) {
    arrays.set(name, { shape: dims, data: /** @type {Float32Array<ArrayBuffer>} */ (data) });
  }
  await upload(work.keep, arrays);
}

answer({ load, forward, decode, keep });
