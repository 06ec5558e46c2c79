// Visitors of `attn serve`: each runs texts one after the other, and half a second passes between two of them.
// `node tests/bench/src/visitors.js LINK --visitors 60 --minutes 60`, with the link that the server printed, writes the times
// of a run, errors, and the memory of the server as JSON. With `--pid` it reads the memory of that process (Linux).

import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

const SUBPROTOCOL = "attention-scope-1";
const LENGTH_BYTES = 4;
const BETWEEN_MS = 500;
const BETWEEN_LOOKS_MS = 60_000;
const TEXTS = ["He is", "The old dog", "She gave him", "We were at home", "I think that the"];

/** @import { WebSocket as Socket } from "ws" */

/**
 * @typedef {object} Waiting what follows a reply to a request
 * @property {(reply: object) => void} resolve
 * @property {(error: Error) => void} reject
 */

/**
 * The bytes of a message.
 *
 * @param {number} id
 * @param {unknown} body
 */
export function frame(id, body) {
  const text = Buffer.from(JSON.stringify({ id, body }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text]);
}

/**
 * The header of a frame.
 *
 * @param {ArrayBuffer | Buffer} bytes
 */
export function header(bytes) {
  const frame = bytes instanceof ArrayBuffer ? Buffer.from(bytes) : bytes;
  const length = frame.readUInt32LE();
  return JSON.parse(frame.subarray(LENGTH_BYTES, LENGTH_BYTES + length).toString());
}

/**
 * The value below which a share of the times lies; not a number if there are none.
 *
 * @param {number[]} times
 * @param {number} share
 */
export function quantile(times, share) {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/**
 * The request of a greedy run that records all attention weights.
 *
 * @param {string | undefined} text
 */
const run = (text) => ({
  run: { text, search: { kind: "greedy" }, prefix: [], max_new_tokens: 12, quantities: ["pattern"], edits: [] },
});

/** A visitor who has entered. */
class Visitor {
  /** @type {Map<number, Waiting>} */
  #answers = new Map();

  /** @param {Socket} socket */
  constructor(socket) {
    this.socket = socket;
  }

  /** @param {string} link */
  static async enter(link) {
    const { protocol, host, hash } = new URL(link);
    const token = new URLSearchParams(hash.slice(1)).get("token");
    // Here, so that the rest can be tested without it.
    const { default: WebSocket } = await import("ws");
    const scheme = protocol === "https:" ? "wss" : "ws";
    const visitor = new Visitor(new WebSocket(`${scheme}://${host}/engine`, [SUBPROTOCOL, `token-${token}`]));
    visitor.socket.binaryType = "arraybuffer";
    visitor.socket.onmessage = ({ data }) => visitor.#hear(header(/** @type {ArrayBuffer} */ (data)));
    visitor.socket.onclose = ({ code, reason }) => visitor.#end(new Error(`closed: ${code} ${reason}`));
    await new Promise((resolve, reject) => {
      visitor.socket.onopen = resolve;
      visitor.socket.onerror = () => reject(new Error("not let in"));
    });
    await visitor.ask(1, { load: { base: "", files: [], allow_fallback_adapter: false } });
    return visitor;
  }

  /**
   * The last reply to a request.
   *
   * @param {number} id
   * @param {object} body
   */
  ask(id, body) {
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.socket.send(frame(id, body));
    });
  }

  /** @param {{ id: number, body: { decoded?: object, partial?: object, failed?: object } }} message */
  #hear({ id, body }) {
    const waiting = this.#answers.get(id);
    if (body.decoded !== undefined || body.partial !== undefined || waiting === undefined) return;
    this.#answers.delete(id);
    if (body.failed !== undefined) waiting.reject(new Error(JSON.stringify(body.failed)));
    else waiting.resolve(body);
  }

  /** @param {Error} error */
  #end(error) {
    for (const { reject } of this.#answers.values()) reject(error);
    this.#answers.clear();
  }
}

/**
 * Runs texts until the time is over, and adds the time of each run in milliseconds.
 *
 * @param {string} link
 * @param {number} number
 * @param {number} until
 * @param {number[]} times
 * @param {string[]} errors
 */
async function visit(link, number, until, times, errors) {
  const visitor = await Visitor.enter(link);
  for (let id = 2; performance.now() < until; id += 1) {
    const began = performance.now();
    try {
      await visitor.ask(id, run(TEXTS[(number + id) % TEXTS.length]));
      times.push(performance.now() - began);
    } catch (error) {
      errors.push(String(error));
      break;
    }
    await setTimeout(BETWEEN_MS);
  }
  visitor.socket.close();
}

/**
 * The resident memory of a process in MiB.
 *
 * @param {string} pid
 */
function memoryMib(pid) {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      visitors: { type: "string", default: "60" },
      minutes: { type: "string", default: "1" },
      pid: { type: "string" },
    },
  });
  const until = performance.now() + Number(values.minutes) * 60_000;
  const [link] = positionals;
  if (link === undefined || !URL.canParse(link)) throw new Error("The link that attn serve printed is missing.");
  /** @type {number[]} */
  const times = [];
  /** @type {string[]} */
  const errors = [];
  /** @type {number[]} */
  const memory = [];
  const look = () => values.pid && memory.push(memoryMib(values.pid));
  look();
  const looks = setInterval(look, BETWEEN_LOOKS_MS);
  const visits = Array.from({ length: Number(values.visitors) }, (_, number) => visit(link, number, until, times, errors));
  const entered = await Promise.allSettled(visits);
  clearInterval(looks);
  look();
  for (const visit of entered) if (visit.status === "rejected") errors.push(String(visit.reason));
  console.log(
    JSON.stringify({
      visitors: entered.length,
      runs: times.length,
      median_ms: Math.round(quantile(times, 0.5)),
      p95_ms: Math.round(quantile(times, 0.95)),
      errors: errors.length,
      first_errors: errors.slice(0, 3),
      memory_mib: memory,
    }),
  );
  process.exit(errors.length === 0 ? 0 : 1);
}

if (process.argv[1]?.endsWith("visitors.js")) await main();
