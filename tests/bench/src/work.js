// What the page is asked to do for one case.

import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";

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
