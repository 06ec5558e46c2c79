// The one way in which every engine is measured. An engine lives in a worker and measures its own
// calls there; the page decides how many there are and when.

import { Ours } from "./ours.js";
import { Theirs } from "./theirs.js";

/**
 * @typedef {object} Engine
 * @property {() => Promise<Loaded>} load
 * @property {() => Promise<Pass>} forward one pass, all logits and attention read to the host
 * @property {(count: number) => Promise<Decoded>} decode greedy, with a cache
 * @property {() => Promise<void>} keep uploads the outputs of one more pass
 *
 * @typedef {object} Loaded
 * @property {number} boot_ms from starting the worker until it listens
 * @property {number} load_ms from the request to the answer, download from the local server included
 * @property {number | null} fetch_ms the part of it that is download, where it can be told apart
 * @property {Record<string, unknown>} about
 *
 * @typedef {object} Pass
 * @property {number} pass_ms measured in the worker, until all outputs are arrays of the host
 * @property {number} round_trip_ms from the page's message until it holds the outputs
 *
 * @typedef {object} Decoded
 * @property {number} decode_ms prompt included
 * @property {number[]} tokens what was appended
 *
 * @typedef {object} Budget limits by count and by time; a slow case makes fewer passes
 * @property {number} early passes after the first that count as early
 * @property {number} warm_up passes before the steady ones, the first and the early ones included
 * @property {number} warm_up_ms time that warming up takes at least
 * @property {number} warm_up_limit_ms time after which warming up ends
 * @property {number} steady steady passes
 * @property {number} steady_limit_ms time after which no further steady pass begins
 * @property {number} steady_least steady passes made whatever they take
 *
 * @typedef {object} Work
 * @property {"ours" | "ort" | "transformers.js"} engine
 * @property {"forward" | "decode"} kind
 * @property {string} model address of its directory
 * @property {"cpu-1" | "cpu-threads" | "webgpu"} device
 * @property {number} threads
 * @property {string} script the engine's worker
 * @property {string} text what ours reads
 * @property {number[]} source encoder input, or the prompt
 * @property {number[]} target decoder input of an encoder–decoder
 * @property {number[]} forced what the search is forced to, for an encoder–decoder's whole pass
 * @property {Record<string, any>} described the model's bench.json
 * @property {number} new_tokens
 * @property {string} keep where the outputs are uploaded to
 * @property {Budget} budget
 */

/** @param {Engine} engine @param {Work} work */
async function passes(engine, { budget }) {
  /** @type {Pass[]} */
  const made = [];
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  do {
    made.push(await engine.forward());
  } while (
    made.length <= budget.early ||
    ((made.length < budget.warm_up || elapsed() < budget.warm_up_ms) && elapsed() < budget.warm_up_limit_ms)
  );
  const warm_up = made.length;
  const warm = performance.now();
  while (
    made.length - warm_up < budget.steady_least ||
    (made.length - warm_up < budget.steady && performance.now() - warm < budget.steady_limit_ms)
  ) {
    made.push(await engine.forward());
  }
  return {
    warm_up,
    pass_ms: made.map((pass) => pass.pass_ms),
    round_trip_ms: made.map((pass) => pass.round_trip_ms),
  };
}

/**
 * The rate is that of the tokens after the first: what reading the prompt takes is measured apart, by
 * decodings that end after one token.
 *
 * @param {Engine} engine @param {Work} work
 */
async function decoding(engine, { budget, new_tokens }) {
  const first = await engine.decode(new_tokens);
  const began = performance.now();
  let warm_up = 1;
  while (performance.now() - began < budget.warm_up_ms) {
    await engine.decode(new_tokens);
    warm_up += 1;
  }
  const prompt_ms = [];
  const decode_ms = [];
  const warm = performance.now();
  while (
    decode_ms.length < budget.steady_least ||
    (decode_ms.length < budget.steady && performance.now() - warm < budget.steady_limit_ms)
  ) {
    prompt_ms.push((await engine.decode(1)).decode_ms);
    decode_ms.push((await engine.decode(new_tokens)).decode_ms);
  }
  return { warm_up, first_decode_ms: first.decode_ms, prompt_ms, decode_ms, tokens: first.tokens };
}

/** @type {Engine | undefined} */
let current;

Object.assign(window, {
  /** @param {Work} work */
  async bench(work) {
    current = work.engine === "ours" ? new Ours(work) : new Theirs(work);
    const loaded = await current.load();
    const measured = work.kind === "forward" ? await passes(current, work) : await decoding(current, work);
    return { ...loaded, ...measured };
  },
  /** After memory was read, since keeping outputs takes some. */
  async keep() {
    return current?.keep();
  },
});
