// Opens a model of the visitor's disk in our engine and writes, for each stage, the time, the memory, and the work that a
// graphics card is given. For models that are too large for every test:
//
//   node src/stages.js ../../dist FOLDER-OR-GGUF [cpu|webgpu] [threads] [tokens]

import { readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { chromium } from "playwright-core";

import { serve } from "./server.js";

/** @import { Page } from "playwright-core" */

const [dist, model, device = "cpu", threads = "1", tokens = "32"] = process.argv.slice(2);
const text = "The animal didn't cross the street because it was too tired.";
/** A software adapter where there is no graphics card. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--ignore-gpu-blocklist"];

const is_file = (await stat(model)).isFile();
const folder = resolve(is_file ? dirname(model) : model);
const files = is_file ? [basename(model)] : (await readdir(folder)).filter((name) => /\.(json|safetensors|bin|jinja)$/.test(name));
const roles = is_file ? ["model.gguf"] : files.map((name) => name.replace(/-\d+-of-\d+/, ""));

const server = await serve({ dist: resolve(dist), page: resolve(import.meta.dirname, "../page") }, Number(process.env.PORT ?? 8312));
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [...sandbox, "--disable-dev-shm-usage", ...(device === "webgpu" ? WEBGPU : [])],
});
try {
  await stages(await browser.newPage());
} finally {
  await browser.close();
  server.close();
}

/** @param {Page} page */
async function stages(page) {
  const manifest = JSON.parse(await readFile(join(dist, "manifest.json"), "utf8"));
  const { path } = manifest.files[device === "webgpu" ? "worker-webgpu.js" : "worker-cpu.js"];
  // Beside the worker, whose files are found by its address.
  await page.route("**/dist/spy.js*", async (route) => {
    const body = await readFile(resolve(import.meta.dirname, "../page/spy.js"), "utf8");
    await route.fulfill({ body, contentType: "text/javascript", headers: { "cross-origin-embedder-policy": "require-corp" } });
  });
  await page.goto(`${server.origin}/page/gguf.html`);
  await report(page, "an empty page", 0);
  const script = `/dist/spy.js?threads=${threads}&script=${encodeURIComponent(`./${path}?threads=${threads}`)}`;
  // A worker of this name has no threads.
  const name = threads === "1" ? "without-threads" : "";
  await page.evaluate(({ script, name }) => {
    const field = document.createElement("input");
    Object.assign(field, { type: "file", multiple: true });
    document.body.append(field);
    const worker = new Worker(script, { type: "module", name });
    Object.assign(window, { worker, asked: 0 });
    return new Promise((resolve) => {
      worker.onmessage = ({ data }) => data.header === '"booted"' && resolve(undefined);
    });
  }, { script, name });
  await report(page, "the engine", 0);
  await page.locator("input").setInputFiles(files.map((file) => join(folder, file)));
  const [open_ms] = await asked(page, { open: { names: roles, allow_fallback_adapter: true } }, files);
  await report(page, "open", open_ms);
  for (const [label, count, quantities] of /** @type {[string, number, string[]][]} */ ([
    ["one token", 1, []],
    [`${tokens} tokens more`, 1 + Number(tokens), []],
    ["one token", 1, []],
    [`${tokens} tokens more`, 1 + Number(tokens), []],
    ["a pass with all maps", 0, ["pattern"]],
  ])) {
    const run = { text, search: { kind: "greedy" }, prefix: [], max_new_tokens: count, quantities };
    const [ms, answer] = await asked(page, { run }, []);
    await report(page, label, ms, JSON.stringify(answer));
  }
}

/**
 * @param {Page} page
 * @param {object} request
 * @param {string[]} attached names of files
 * @returns {Promise<[number, unknown]>} milliseconds, and the answer
 */
function asked(page, request, attached) {
  return page.evaluate(
    ({ request, attached }) => {
      const scope = /** @type {any} */ (window);
      const chosen = [...(document.querySelector("input")?.files ?? [])];
      const id = (scope.asked += 1);
      const began = performance.now();
      scope.worker.postMessage({
        id,
        header: JSON.stringify(request),
        files: attached.map((name) => chosen.find((file) => file.name === name)),
      });
      return new Promise((resolve, reject) => {
        scope.worker.onmessage = (/** @type {MessageEvent} */ { data }) => {
          const body = JSON.parse(data.header);
          if (data.id !== id || body.progress || body.decoded) return;
          if (body.failed) reject(new Error(data.header));
          resolve([performance.now() - began, body.traced]);
        };
      });
    },
    { request, attached },
  );
}

/** @param {Page} page @param {string} label @param {number} ms @param {string} [more] */
async function report(page, label, ms, more = "") {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const resident = [];
  for (const { type, id } of processInfo) {
    const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
    const megabytes = (/** @type {string} */ key) => Math.round(Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 976.6);
    if (type === "renderer" || type === "GPU") resident.push(`${type} ${megabytes("VmRSS")} MB, at most ${megabytes("VmHWM")}`);
  }
  const spy = page.workers().find((worker) => worker.url().includes("spy.js"));
  const { memory_bytes, dispatches, submits } = (await spy?.evaluate(() => /** @type {any} */ (self).spied())) ?? {};
  const wasm = memory_bytes ? `, WebAssembly ${Math.round(memory_bytes / 1e6)} MB` : "";
  const work = dispatches ? `, ${dispatches} dispatches in ${submits} submits so far` : "";
  console.log(`${label}: ${Math.round(ms)} ms, ${resident.join(", ")}${wasm}${work} ${more ?? ""}`);
}
