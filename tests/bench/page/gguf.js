// Our engine and wllama on the same GGUF file: the time to open it, to read a prompt, and for each token after it.

import { head } from "./arrays.js";
import { Ours } from "./ours.js";

/**
 * @typedef {object} GgufWork
 * @property {"ours" | "wllama"} engine
 * @property {number} threads
 * @property {string} script our worker
 * @property {string} file address of the GGUF file
 * @property {string} text the prompt
 * @property {number} new_tokens tokens written after the first one
 * @property {number} repeats decodings after the first, which is not counted
 *
 * @typedef {object} Written
 * @property {number} prompt_tokens
 * @property {number} prompt_ms until the first new token
 * @property {number} token_ms for each token after it
 * @property {string} text
 *
 * @typedef {object} GgufEngine
 * @property {(file: Blob) => Promise<void>} open
 * @property {() => Promise<Written>} write greedy
 * @property {() => Promise<number | null>} traced milliseconds of a pass that records every attention map; `null` if
 *   the engine has none
 */

/** @implements {GgufEngine} */
class OurGguf {
  /** @param {GgufWork} work */
  constructor(work) {
    this.work = work;
    this.engine = new Ours(/** @type {any} */ (work));
  }

  /** @param {Blob} file */
  async open(file) {
    const { engine } = this;
    engine.worker = new Worker(this.work.script, { type: "module" });
    await engine.answer(0, ["booted"]);
    engine.id += 1;
    const ready = engine.answer(engine.id, ["ready"]);
    const request = { open: { names: ["model.gguf"], allow_fallback_adapter: false } };
    engine.worker.postMessage({ id: engine.id, header: JSON.stringify(request), files: [file] });
    await ready;
  }

  /** @param {number} count @param {string[]} quantities */
  run(count, quantities) {
    const { text } = this.work;
    const run = { text, search: { kind: "greedy" }, prefix: [], max_new_tokens: count, quantities };
    return this.engine.ask({ run });
  }

  async write() {
    const { new_tokens } = this.work;
    const first = await this.run(1, []);
    const all = await this.run(1 + new_tokens, []);
    const { trace, decoding } = head(all.buffer).metadata;
    const [{ tokens, text }] = JSON.parse(decoding).hypotheses;
    return {
      prompt_tokens: JSON.parse(trace).target.length - tokens.length + 1,
      prompt_ms: first.fields.decode_ms,
      token_ms: (all.fields.decode_ms - first.fields.decode_ms) / new_tokens,
      text,
    };
  }

  async traced() {
    const { fields } = await this.run(0, ["pattern"]);
    return fields.forward_ms;
  }
}

/** @implements {GgufEngine} */
class TheirGguf {
  /** @param {GgufWork} work */
  constructor(work) {
    this.work = work;
    /** @type {any} */
    this.wllama = undefined;
  }

  /** @param {Blob} file */
  async open(file) {
    const address = "/wllama/index.min.js";
    const { Wllama } = await import(address);
    this.wllama = new Wllama({ default: "/wllama/wasm/wllama.wasm" }, { suppressNativeLog: true });
    await this.wllama.loadModel([file], { n_ctx: 512, n_threads: this.work.threads, n_gpu_layers: 0 });
  }

  async write() {
    const { text: prompt, new_tokens } = this.work;
    const written = await this.wllama.createCompletion({
      prompt,
      max_tokens: 1 + new_tokens,
      temperature: 0,
      cache_prompt: false,
    });
    const { prompt_n, prompt_ms, predicted_n, predicted_ms } = written.timings;
    // The first token comes with the prompt.
    const token_ms = predicted_ms / (predicted_n - 1);
    return { prompt_tokens: prompt_n, prompt_ms, token_ms, text: written.choices[0].text };
  }

  async traced() {
    return null;
  }
}

Object.assign(window, {
  /** @param {GgufWork} work */
  async gguf(work) {
    const file = await (await fetch(work.file)).blob();
    const engine = work.engine === "ours" ? new OurGguf(work) : new TheirGguf(work);
    const began = performance.now();
    await engine.open(file);
    const open_ms = performance.now() - began;
    const first = await engine.write();
    const [prompt_ms, token_ms, traced_ms] = [[], [], []].map(() => /** @type {number[]} */ ([]));
    for (let count = 0; count < work.repeats; count += 1) {
      const written = await engine.write();
      prompt_ms.push(written.prompt_ms);
      token_ms.push(written.token_ms);
      const traced = await engine.traced();
      if (traced !== null) traced_ms.push(traced);
    }
    const { prompt_tokens, text } = first;
    return { open_ms, prompt_tokens, first_prompt_ms: first.prompt_ms, prompt_ms, token_ms, traced_ms, text };
  },
});
