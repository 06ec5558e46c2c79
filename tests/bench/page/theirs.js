// onnxruntime-web or transformers.js in a worker of its own.

/** @import { Decoded, Engine, Loaded, Pass, Work } from "./measure.js" */

/** @implements {Engine} */
export class Theirs {
  /** @param {Work} work */
  constructor(work) {
    this.work = work;
    /** @type {Worker | undefined} */
    this.worker = undefined;
  }

  /** @returns {Promise<Loaded>} */
  async load() {
    const began = performance.now();
    this.worker = new Worker(this.work.script, { type: "module" });
    await this.answer();
    const boot_ms = performance.now() - began;
    return { boot_ms, ...(await this.ask("load")) };
  }

  /** @returns {Promise<Pass>} */
  async forward() {
    const began = performance.now();
    const { pass_ms } = await this.ask("forward");
    return { pass_ms, round_trip_ms: performance.now() - began };
  }

  /** @param {number} count @returns {Promise<Decoded>} */
  decode(count) {
    return this.ask("decode", count);
  }

  keep() {
    return this.ask("keep");
  }

  /** @param {string} call @param {number} [count] */
  ask(call, count) {
    const answered = this.answer();
    this.worker?.postMessage({ call, count, work: this.work });
    return answered;
  }

  /** @returns {Promise<any>} */
  answer() {
    const worker = this.worker;
    return new Promise((resolve, reject) => {
      if (!worker) return reject(new Error("no worker"));
      worker.onerror = (event) => reject(new Error(`the worker failed: ${event.message}`));
      worker.onmessage = ({ data }) =>
        data.error === undefined ? resolve(data.result) : reject(new Error(data.error));
    });
  }
}
