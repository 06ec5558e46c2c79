// The product's own worker, through its own messages: `{ id, header, buffer }`.

/** Bits of what a traced pass records (`Quantity` in model/trace). */
const WEIGHTS = 1 << 6;
const LOGITS = 1 << 12;

/** @import { Decoded, Engine, Loaded, Pass, Work } from "./measure.js" */

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
    const { header } = await this.ask({
      kind: "load",
      base: new URL(this.work.model, location.href).href,
      allow_fallback_adapter: true,
    });
    const ready = performance.now();
    return {
      boot_ms: booted - began,
      load_ms: ready - booted,
      fetch_ms: null,
      about: header,
    };
  }

  async forward() {
    const began = performance.now();
    const { header } = await this.run(WEIGHTS | LOGITS, 0);
    const round_trip_ms = performance.now() - began;
    return { pass_ms: header.forward_ms, round_trip_ms };
  }

  /** @param {number} count */
  async decode(count) {
    const { header, buffer } = await this.run(0, count);
    const tokens = description(buffer).hypotheses[0].tokens;
    return {
      decode_ms: header.decode_ms,
      tokens: tokens.map((/** @type {{ id: number }} */ token) => token.id),
    };
  }

  async keep() {
    const { buffer } = await this.run(WEIGHTS | LOGITS, 0);
    const answer = await fetch(this.work.keep, { method: "POST", body: buffer });
    return answer.ok ? null : answer.statusText;
  }

  /** @param {number} quantities @param {number} count */
  run(quantities, count) {
    return this.ask({
      kind: "run",
      text: this.work.text,
      search: { kind: "greedy" },
      prefix: count === 0 ? this.work.forced : [],
      max_new_tokens: count,
      quantities,
    });
  }

  /** @param {object} request */
  ask(request) {
    this.id += 1;
    const answered = this.answer(this.id, ["ready", "traced"]);
    this.worker?.postMessage({ id: this.id, header: JSON.stringify(request) });
    return answered;
  }

  /**
   * The first reply to the request `id` that is one of `kinds`.
   *
   * @param {number} id
   * @param {string[]} kinds
   * @returns {Promise<{ header: any, buffer: ArrayBuffer }>}
   */
  answer(id, kinds) {
    const worker = this.worker;
    return new Promise((resolve, reject) => {
      if (!worker) return reject(new Error("no worker"));
      worker.onerror = (event) => reject(new Error(`the engine failed: ${event.message}`));
      worker.onmessage = ({ data }) => {
        const header = JSON.parse(data.header);
        if (header.kind === "failed") reject(new Error(data.header));
        if (data.id === id && kinds.includes(header.kind)) resolve({ header, buffer: data.buffer });
      };
    });
  }
}

/** What decoding chose, from the head of a trace: a safetensors file. @param {ArrayBuffer} trace */
function description(trace) {
  const length = Number(new DataView(trace).getBigUint64(0, true));
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(trace, 8, length)));
  return JSON.parse(head.__metadata__.decoding);
}
