// transformers.js: the library that people decode with.

import { answer } from "./answer.js";

/** @import { Work } from "./measure.js" */

/** @type {any} */
let library;
/** @type {any} */
let model;

/** @param {Work} work */
async function load(work) {
  const began = performance.now();
  library = await import(/* @type {string} */ `${"/transformers/"}transformers.min.js`);
  const { env, LlamaForCausalLM } = library;
  const [root, name] = work.model.split(/([^/]+)\/$/);
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: root });
  // Each run is a first visit, for every engine.
  Object.assign(env, { useBrowserCache: false, useWasmCache: false });
  Object.assign(env.backends.onnx.wasm, { wasmPaths: "/transformers-ort/", numThreads: work.threads });
  model = await LlamaForCausalLM.from_pretrained(name, {
    dtype: "fp32",
    device: work.device === "webgpu" ? "webgpu" : "wasm",
  });
  return { load_ms: performance.now() - began, fetch_ms: null, about: { transformers: env.version } };
}

/** @param {Work} work @param {number} count */
async function decode({ source }, count) {
  const began = performance.now();
  const ids = BigInt64Array.from(source, BigInt);
  const inputs = new library.Tensor("int64", ids, [1, ids.length]);
  const found = await model.generate({ inputs, max_new_tokens: count, do_sample: false });
  const decode_ms = performance.now() - began;
  const tokens = Array.from(found.data, Number).slice(ids.length);
  return { decode_ms, tokens };
}

answer({ load, decode });
