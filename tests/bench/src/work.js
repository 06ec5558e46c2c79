// What the page is asked to do for one case.

import { readFile, readdir } from "node:fs/promises";
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
  const source = sentence?.source ?? tokens.slice(0, it.tokens);
  return {
    engine,
    kind: it.kind,
    model: `/models/${it.model}/`,
    device,
    threads: device === "cpu-threads" ? availableParallelism() : 1,
    script: engine === "ours" ? await our_worker(dist, device) : `/page/${WORKERS[engine]}`,
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
const SLOW_TOKENS = 14;

const WORKERS = { ort: "ort-worker.js", "transformers.js": "transformers-worker.js" };

/** The script of our worker for a device; its name may carry a fingerprint. @param {string} dist @param {Work["device"]} device */
async function our_worker(dist, device) {
  const kinds = { "cpu-1": ["cpu"], "cpu-threads": ["cpu-threads", "cpu"], webgpu: ["webgpu"] };
  const names = await readdir(dist);
  for (const kind of kinds[device]) {
    const pattern = new RegExp(`^worker-${kind}([.-][0-9a-f]{8,})?\\.js$`);
    const found = names.find((name) => pattern.test(name));
    if (found) return `/dist/${found}`;
  }
  throw new Error(`${dist} has no worker for ${device}: run \`cargo xtask build\``);
}
