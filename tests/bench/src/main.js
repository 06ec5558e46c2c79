// Runs every case in Chromium, our engine and the others in turn, each in a browser of its own, and writes what was
// measured as JSON. `cargo xtask bench` starts it with a plan and makes tables of what it writes.

import { readFile, readdir, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";

import { chromium } from "playwright-core";

import { CASES, budget, devices, is_heavy } from "./cases.js";
import { peak } from "./memory.js";
import { against, compared } from "./outputs.js";
import { serve } from "./server.js";
import { code } from "./sizes.js";
import { gguf_work, work_of } from "./work.js";

/** @import { Case, Device } from "./cases.js" */
/** @import { Work } from "../page/measure.js" */

/**
 * @typedef {object} Plan
 * @property {string} dist the built page and engines
 * @property {string} bench this directory
 * @property {string} models where export.py wrote
 * @property {string} cache
 * @property {string} out
 * @property {string} chromium
 * @property {string | null} lavapipe
 * @property {boolean} gpu
 * @property {number} port
 * @property {number} rounds
 * @property {boolean} quick
 * @property {boolean} heavy
 * @property {string[]} only
 * @property {"compare" | "growth" | "gguf"} task
 * @property {string | null} gguf the file that `gguf` measures
 */

/** No run takes longer than this; a browser that hangs is ended. */
const LIMIT_MS = 300_000;

/** @type {Plan} */
const plan = JSON.parse(await readFile(process.argv[2], "utf8"));
const mounts = {
  dist: plan.dist,
  page: join(plan.bench, "page"),
  models: plan.models,
  ort: join(plan.bench, "node_modules/onnxruntime-web/dist"),
  transformers: join(plan.bench, "node_modules/@huggingface/transformers/dist"),
  wllama: join(plan.bench, "node_modules/@wllama/wllama/esm"),
  gguf: dirname(plan.gguf ?? plan.models),
  "transformers-ort": join(
    plan.bench,
    "node_modules/@huggingface/transformers/node_modules/onnxruntime-web/dist",
  ),
};
const server = await serve(mounts, plan.port);
try {
  await { compare, growth, gguf }[plan.task]();
} finally {
  server.close();
}

/** Written after every case, so that a run cut short leaves what it has. @param {object[]} results */
async function write(results) {
  await writeFile(plan.out, JSON.stringify({ machine: await machine(), versions: await versions(), results }));
}

/** Every case on every device. */
async function compare() {
  /** @type {object[]} */
  const results = [];
  for (const device of devices(plan)) {
    for (const it of CASES) {
      const label = `${it.name} | ${device.name}`;
      const wanted = plan.only.length === 0 || plan.only.some((part) => label.includes(part));
      if (!wanted || (device.slow && is_heavy(it) && !plan.heavy)) continue;
      results.push(await measure(it, device));
      await write(results);
    }
  }
}

/** One case: A B A B, each in a fresh browser. @param {Case} it @param {Device} device */
async function measure(it, device) {
  /** @type {Work["engine"][]} */
  const engines = it.kind === "forward" ? ["ours", "ort"] : ["ours", "ort", "transformers.js"];
  // transformers.js has no use for the translator's graphs: they are cut for onnxruntime-web.
  const turn = it.model === "translator" ? engines.slice(0, 2) : engines;
  const runs = [];
  /** @type {Partial<Record<Work["engine"], Buffer>>} */
  const outputs = {};
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const engine of turn) {
      const keep = round === 0 && it.kind === "forward";
      const { kept, ...result } = await run(engine, it, device, { keep, quick: plan.quick });
      if (kept) outputs[engine] = kept;
      runs.push({ engine, round, ...result });
      report(it, device, engine, result);
    }
  }
  const { ours, ort } = outputs;
  const differs = ours && ort ? compared(ours, ort) : null;
  // Two that differ do not tell whose is off; the same weights on processors do.
  const against_cpu = device.device === "webgpu" && differs ? against(outputs, await on_cpu(it)) : [];
  const { name, kind, model } = it;
  return { case: name, kind, model, device: device.name, slow: device.slow, differs, against_cpu, runs };
}

/** What both engines compute on one thread of the processor. @param {Case} it */
async function on_cpu(it) {
  const [cpu] = devices(plan);
  /** @type {Partial<Record<Work["engine"], Buffer>>} */
  const outputs = {};
  for (const engine of /** @type {const} */ (["ours", "ort"])) {
    const { kept } = await run(engine, it, cpu, { keep: true, quick: true });
    if (kept) outputs[engine] = kept;
  }
  return outputs;
}

/** Our engine and wllama on one GGUF file, each in a fresh browser, with one thread and with all. */
async function gguf() {
  /** @type {object[]} */
  const runs = [];
  for (const threads of [1, availableParallelism()]) {
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const engine of /** @type {const} */ (["ours", "wllama"])) {
        const work = await gguf_work(engine, threads, plan);
        const browser = await launch(plan.chromium, []);
        try {
          const page = await browser.newPage();
          await page.goto(`${server.origin}/page/gguf.html`);
          const empty = await peak(browser);
          const measured = await page.evaluate((given) => /** @type {any} */ (window).gguf(given), work);
          const memory = await peak(browser);
          runs.push({ engine, threads, round, empty, memory, browser: browser.version(), ...measured });
          console.log(`${engine}, ${threads} threads: ${JSON.stringify(measured)}`);
        } finally {
          await browser.close();
        }
        await write(runs);
      }
    }
  }
}

/** @param {string} executablePath @param {string[]} flags */
function launch(executablePath, flags) {
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({
    executablePath,
    args: [...sandbox, "--disable-dev-shm-usage", ...flags],
    // Who ends this program ends the browser with it, rather than only the browser.
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/**
 * One engine on one case in a fresh browser. What goes wrong is part of the result.
 *
 * @param {Work["engine"]} engine
 * @param {Case} it
 * @param {Device} device
 * @param {{ keep: boolean, quick: boolean }} how
 */
async function run(engine, it, device, { keep, quick }) {
  const work = await work_of(engine, it, device, plan, budget(it, device, quick));
  const browser = await launch(device.chromium ?? plan.chromium, device.flags);
  server.downloads();
  /** @type {string[]} */
  const complaints = [];
  const timer = setTimeout(() => void browser.close(), LIMIT_MS);
  try {
    const page = await browser.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text().slice(0, 400));
    });
    await page.goto(`${server.origin}/page/index.html`);
    const measured = await page.evaluate((given) => /** @type {any} */ (window).bench(given), work);
    const memory = await peak(browser);
    const downloaded = await code(server.downloads(), [mounts.page, mounts.models], plan.cache);
    if (keep) await page.evaluate(() => /** @type {any} */ (window).keep());
    return {
      ...measured,
      memory,
      code: downloaded,
      threaded: work.threads > 1 && (engine !== "ours" || downloaded.files.some(is_threaded)),
      browser: browser.version(),
      complaints: complaints.slice(0, 8),
      complaint_count: complaints.length,
      kept: keep ? server.kept() : undefined,
    };
  } catch (error) {
    // The browser's own log follows the first line.
    return { error: String(error).split("\n")[0], complaints: complaints.slice(0, 8), complaint_count: complaints.length };
  } finally {
    clearTimeout(timer);
    await browser.close();
  }
}

/** Whether a file is our engine with threads; without it, we have one. @param {{ name: string }} file */
function is_threaded({ name }) {
  return name.startsWith("engine-cpu-threads");
}

/** A line a run, for who watches. @param {Case} it @param {Device} device @param {string} engine @param {any} result */
function report(it, device, engine, result) {
  const label = `${it.name} | ${device.name} | ${engine}`.padEnd(56);
  if (result.error) return console.log(`${label} FAILED ${result.error} ${result.complaints.join(" ")}`);
  const list = (result.pass_ms ?? result.decode_ms).map((/** @type {number} */ ms) => ms.toFixed(1));
  const shown = list.length > 12 ? [...list.slice(0, 6), "…", ...list.slice(-5)] : list;
  const peak = ((result.memory.renderer_bytes ?? 0) / 1e6).toFixed(0);
  console.log(`${label} load ${result.load_ms.toFixed(0)} ms, peak ${peak} MB, ${shown.join(" ")}`);
}

/** Our engine alone: against length, and against layers. */
async function growth() {
  const [device] = devices(plan);
  /** @type {object[]} */
  const points = [];
  const lengths = plan.quick ? [16, 64, 256] : [16, 32, 64, 128, 256, 384, 512, 768, 1024];
  const names = (await readdir(plan.models)).filter((name) => /^growth-\d+$/.test(name));
  const long = lengths.map((tokens) => ({ against: "length", model: "growth-6", tokens }));
  const layers = names.map((name) => Number(name.replace("growth-", ""))).sort((a, b) => a - b);
  const deep = layers.map((count) => ({ against: "layers", model: `growth-${count}`, tokens: 128 }));
  for (const { against, model, tokens } of [...long, ...deep]) {
    /** @type {Case} */
    const it = { name: `${model} ${tokens}`, model, kind: "forward", tokens, new_tokens: 0 };
    const { kept: _, ...result } = await run("ours", it, device, { keep: false, quick: plan.quick });
    report(it, device, "ours", result);
    if (result.error) throw new Error(`${it.name}: ${result.error}`);
    const described = JSON.parse(await readFile(join(plan.models, model, "bench.json"), "utf8"));
    delete described.tokens;
    points.push({ against, tokens, ...described, ...result });
    await write(points);
  }
}

async function machine() {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memory_bytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
  };
}

async function versions() {
  /** @param {string} name */
  const of = async (name) => {
    const file = join(plan.bench, "node_modules", name, "package.json");
    return JSON.parse(await readFile(file, "utf8")).version;
  };
  return {
    "onnxruntime-web": await of("onnxruntime-web"),
    "transformers.js": await of("@huggingface/transformers"),
    wllama: await of("@wllama/wllama"),
    node: process.version,
  };
}
