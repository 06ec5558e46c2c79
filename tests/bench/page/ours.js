// The product's own worker, through its own messages: `{ id, header, buffer }`.

import { head, keep, output_names } from "./arrays.js";

/** @import { Engine, Loaded, Work } from "./measure.js" */
/** @import { NamedArray } from "./arrays.js" */

/** @implements {Engine} */
export class Ours {
  /** @param {Work} work */
  constructor(work) {
    this.work = work;
    this.id = 0;
    /** @type {Worker | undefined} */
    this.worker = undefined;
  }

  /** @returns {Promise<Loaded>} */
  async load() {
    const began = performance.now();
    this.worker = new Worker(this.work.script, { type: "module" });
    await this.answer(0, ["booted"]);
    const booted = performance.now();
    const base = new URL(this.work.model, location.href).href;
    const { fields } = await this.ask({ load: { base, allow_fallback_adapter: true } });
    const ready = performance.now();
    return {
      boot_ms: booted - began,
      load_ms: ready - booted,
      fetch_ms: null,
      about: fields,
    };
  }

  async forward() {
    const began = performance.now();
    const { pass_ms } = await this.outputs();
    return { pass_ms, round_trip_ms: performance.now() - began };
  }

  /** @param {number} count */
  async decode(count) {
    const { fields, buffer } = await this.run([], count);
    const tokens = JSON.parse(head(buffer).metadata.decoding).hypotheses[0].tokens;
    return {
      decode_ms: fields.decode_ms,
      tokens: tokens.map((/** @type {{ id: number }} */ token) => token.id),
    };
  }

  async keep() {
    await keep(this.work.keep, (await this.outputs()).arrays);
  }

  /** One pass, until the page holds all of its outputs: a small trace comes whole, of a large one the arrays are asked for. */
  async outputs() {
    const { fields, buffer } = await this.run(["pattern", "logits"], 0);
    const run = this.id;
    const { entries, start } = head(buffer);
    /** @type {Map<string, NamedArray>} */
    const arrays = new Map();
    for (const name of output_names(this.work.described)) {
      const entry = entries[name];
      if (entry) {
        const [from, to] = entry.data_offsets;
        arrays.set(name, { shape: entry.shape, data: new Uint8Array(buffer, start + from, to - from) });
      } else {
        const parts = [{ array: name, slice: "whole" }];
        const part = await this.ask({ ask: { question: { result: { run, question: { parts } } } } });
        arrays.set(name, { shape: part.fields.answer.arrays.shapes[0], data: new Uint8Array(part.buffer) });
      }
    }
    return { pass_ms: fields.forward_ms, arrays };
  }

  /** @param {string[]} quantities @param {number} count */
  run(quantities, count) {
    const run = {
      text: this.work.text,
      search: { kind: "greedy" },
      prefix: this.work.kind === "forward" ? this.work.forced : [],
      // Without a target of its own, a decoder-only model needs no decoding before it is traced.
      max_new_tokens: this.work.kind === "forward" ? this.work.forced.length : count,
      quantities,
    };
    return this.ask({ run });
  }

  /** @param {object} request */
  ask(request) {
    this.id += 1;
    const answered = this.answer(this.id, ["ready", "traced", "answer"]);
    this.worker?.postMessage({ id: this.id, header: JSON.stringify(request) });
    return answered;
  }

  /**
   * The first reply to the request `id` that is one of `kinds`.
   *
   * @param {number} id
   * @param {string[]} kinds
   * @returns {Promise<{ fields: any, buffer: ArrayBuffer }>}
   */
  answer(id, kinds) {
    const worker = this.worker;
    return new Promise((resolve, reject) => {
      if (!worker) return reject(new Error("no worker"));
      worker.onerror = (event) => reject(new Error(`the engine failed: ${event.message}`));
      worker.onmessage = ({ data }) => {
        const reply = JSON.parse(data.header);
        // A reply without fields is its name alone.
        const [[kind, fields]] = typeof reply === "string" ? [[reply, {}]] : Object.entries(reply);
        if (kind === "failed") reject(new Error(data.header));
        if (data.id === id && kinds.includes(kind)) resolve({ fields, buffer: data.buffer });
      };
    });
  }
}
