// What the page is asked to do for one case.

import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";

/** @import { Case, Device } from "./cases.js" */
/** @import { Budget, Work } from "../page/measure.js" */

/**
 * @param {Work["engine"]} engine
 * @param {Case} it
 * @param {Device} device
 * @param {{ dist: string, models: string }} plan
 * @param {Budget} budget
 * @returns {Promise<Work>}
 */
export async function work_of(engine, it, { device, slow }, { dist, models }, budget) {
  const described = JSON.parse(await readFile(join(models, it.model, "bench.json"), "utf8"));
  const { tokens, sentences, ...facts } = described;
  const [sentence] = sentences ?? [];
  const threads = device === "cpu-threads" ? availableParallelism() : 1;
  const source = sentence?.source ?? tokens.slice(0, it.tokens);
  return {
    engine,
    kind: it.kind,
    model: `/models/${it.model}/`,
    device,
    threads,
    script: engine === "ours" ? await our_worker(dist, device, threads) : `/page/${WORKERS[engine]}`,
    text: sentence?.text ?? source.join(" "),
    source,
    target: sentence?.target ?? [],
    forced: sentence?.greedy ?? [],
    described: facts,
    new_tokens: slow ? Math.min(it.new_tokens, SLOW_TOKENS) : it.new_tokens,
    keep: "/outputs",
    budget,
  };
}

/** A prompt of 128 tokens of SmolLM2. */
const PROMPT =
  "Attention lets every word of a sentence look at every other word. Each word asks a question, the query, and each word " +
  "offers an answer, the key. Where the two agree, the value of the other word flows in. Several heads do this side by " +
  "side: one follows the subject of a verb, another the noun that a pronoun stands for, a third the word just before. " +
  "Their results are joined and handed to the next layer, which asks new questions of what the last one found. After " +
  "some dozens of layers the last word knows enough of the text before it to say which word is likely to come next. " +
  "The animal did not cross the street because it";

/**
 * What the page is asked to do with a GGUF file.
 *
 * @param {"ours" | "wllama"} engine
 * @param {number} threads
 * @param {{ dist: string, gguf: string | null, quick: boolean }} plan
 */
export async function gguf_work(engine, threads, { dist, gguf, quick }) {
  return {
    engine,
    threads,
    script: await our_worker(dist, threads > 1 ? "cpu-threads" : "cpu-1", threads),
    file: `/gguf/${basename(gguf ?? "")}`,
    text: PROMPT,
    new_tokens: quick ? 8 : 64,
    repeats: quick ? 1 : 5,
  };
}

/** New tokens where each takes a second. */
const SLOW_TOKENS = 9;

const WORKERS = { ort: "ort-worker.js", "transformers.js": "transformers-worker.js" };

/**
 * The address of our worker for a device. The build's manifest knows it; one without a manifest has it under its own name.
 *
 * @param {string} dist
 * @param {Work["device"]} device
 * @param {number} threads
 */
async function our_worker(dist, device, threads) {
  const name = device === "webgpu" ? "worker-webgpu.js" : "worker-cpu.js";
  const manifest = await readFile(join(dist, "manifest.json"), "utf8").catch(() => undefined);
  const path = manifest ? JSON.parse(manifest).files[name].path : name;
  return device === "webgpu" ? `/dist/${path}` : `/dist/${path}?threads=${threads}`;
}
