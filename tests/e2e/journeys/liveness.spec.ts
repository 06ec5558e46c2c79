// Workers and threads that die, fall silent or do not start: they are replaced, and what was asked for comes.

import type { Page } from "@playwright/test";

import { test as hosted } from "../host";
import { expect, files, freshTest as test } from "../scope";
import { inThreads, onRequest, put } from "../worker";

const HANGS_IN_A_RUN = onRequest(`if (request.run) for (;;);`);

// What wasm calls, and what throws, ends the call as a trap does. The clock jumps so that the run gives way, and throws
// at the first look after that: beyond an await.
const TRAPS_AFTER_AN_AWAIT = `
  let looks;
  ${onRequest(`if (request.run) looks = 0;`)}
  const now = Performance.prototype.now;
  Performance.prototype.now = function () {
    if (looks === undefined) return now.call(this);
    looks += 1;
    if (looks === 3) throw new WebAssembly.RuntimeError("unreachable");
    return now.call(this) + 100 * looks;
  };`;

/** The page's seconds pass four times as fast: what it waits for it waits 5 seconds for, not 20. */
async function hurries(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const usual = window.setTimeout.bind(window) as (handler: TimerHandler, ms?: number) => number;
    window.setTimeout = ((handler: TimerHandler, ms = 0) => usual(handler, ms >= 1_000 ? ms / 4 : ms)) as typeof setTimeout;
  });
}

const deviceName = (page: Page) => page.getByTestId("device-name");

test("a trap after an await: another worker repeats the run", async ({ page, scope }) => {
  const times = await put(page, TRAPS_AFTER_AN_AWAIT);
  await scope.openLive();
  expect(times()).toBe(1);
  await expect(scope.problem).toBeHidden();
  await expect(deviceName(page)).toContainText("threads");
});

test("a worker that stops answering: another one repeats the run", async ({ page, scope }) => {
  await hurries(page);
  const times = await put(page, HANGS_IN_A_RUN);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await scope.openLive();
  expect(times()).toBe(1);
  // The model came out of the browser's storage.
  expect(asked.filter((url) => /\/models\/.*\.(safetensors|packed)$/.test(url))).toHaveLength(1);
  await expect(scope.problem).toBeHidden();
  await expect(deviceName(page)).toContainText("threads");
});

test("two workers in a row that are lost: the third does without threads", async ({ page, scope }) => {
  const times = await put(page, TRAPS_AFTER_AN_AWAIT, 2);
  await scope.openLive();
  expect(times()).toBe(2);
  await expect(deviceName(page)).toContainText("CPU");
  await expect(deviceName(page)).not.toContainText("threads");
});

test("workers that are lost again and again: said, the example stays, trying again works", async ({
  page,
  scope,
}) => {
  await put(page, TRAPS_AFTER_AN_AWAIT, 3);
  await scope.open();
  await expect(scope.problem).toContainText("The engine stopped unexpectedly");
  await scope.showsExample();
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

test("cancelling what hangs ends it, and the next sentence is translated", async ({ page, scope }) => {
  const hangs = onRequest(`if (request.run?.text.startsWith("Tu")) for (;;);`);
  await put(page, hangs);
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  await scope.translate("Tu dors.");
  const another = page.waitForEvent("worker", (worker) => worker.url().includes("worker-cpu"));
  await page.getByTestId("cancel").click();
  await another;
  await expect(deviceName(page)).toContainText("threads");
  await expect(page.getByTestId("cancel")).toBeHidden();
  await expect(scope.translation).toHaveText(before);
  await expect(scope.problem).toBeHidden();
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
});

for (const [name, code] of [
  ["whose script is missing", `
    const Thread = self.Worker;
    self.Worker = function (url, options) {
      return new Thread(new URL("missing.js", url), options);
    };`],
  ["whose engine cannot be loaded", inThreads(`
    self.addEventListener("message", ({ data }) => (data.address = new URL("missing.js", data.address).href));`)],
  ["that never answers", inThreads("for (;;);")],
] as const) {
  test(`a thread ${name}: the engine without threads`, async ({ page, scope }) => {
    const times = await put(page, code);
    await scope.openLive();
    expect(times()).toBe(1);
    await expect(deviceName(page)).toContainText("CPU");
    await expect(deviceName(page)).not.toContainText("threads");
    await expect(scope.problem).toBeHidden();
  });
}

test("a worker whose script never comes: another one starts", async ({ page, scope }) => {
  await hurries(page);
  let asked = 0;
  await page.route(/\/worker-cpu\.\w+\.js$/, async (route) => {
    asked += 1;
    if (asked > 1) await route.continue();
  });
  await scope.openLive();
  expect(asked).toBe(2);
  await expect(deviceName(page)).toContainText("threads");
  await expect(scope.problem).toBeHidden();
});

test("engines that never come: said, the example stays, trying again works", async ({ page, scope }) => {
  await hurries(page);
  await page.route(files.cpuEngine, () => {});
  await scope.open();
  // Three workers are given 20 of the page's seconds each.
  await expect(scope.problem).toContainText("does not answer", { timeout: 90_000 });
  await scope.showsExample();

  await page.unroute(files.cpuEngine);
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
  await expect(deviceName(page)).toContainText("threads");
  await expect(scope.problem).toBeHidden();
});

hosted("an engine whose download stalls: another worker gets it", async ({ page, scope, host }) => {
  await hurries(page);
  const workers = countWorkers(page);
  host.trickle = { file: ENGINE, parts: 4, sent: 2 };
  await scope.open();
  await expect.poll(() => host.asked.some((address) => ENGINE.test(address))).toBe(true);
  host.trickle = undefined;
  await scope.becomesLive();
  expect(workers()).toBe(2);
  await expect(scope.problem).toBeHidden();
});

hosted("an engine that takes longer to come than a worker may be silent is waited for", async ({ page, scope, host }) => {
  await hurries(page);
  const workers = countWorkers(page);
  host.trickle = { file: ENGINE, parts: 10, sent: 10 };
  await scope.openLive();
  expect(workers()).toBe(1);
});

hosted("a model whose download stalls: asked for in its other form, then said, and trying again works", async ({
  page,
  scope,
  host,
}) => {
  host.trickle = { file: MODEL, parts: 4, sent: 2 };
  await scope.open();
  // The worker gives up after 20 seconds, twice.
  await expect(scope.problem).toContainText("nothing has arrived", { timeout: 90_000 });
  // A build that is served here has no packed copy.
  const asked = host.asked.filter((address) => MODEL.test(address));
  expect(asked.at(-1)).toMatch(/\.safetensors$/);
  await scope.showsExample();

  host.trickle = undefined;
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

const MODEL = /\/translator\/model\.[\w.]+\.(packed|safetensors)$/;

/** What a page that is not isolated runs. */
const ENGINE = /engine-cpu_bg\.\w+\.wasm$/;

/** Counts the engine's workers from now on. */
function countWorkers(page: Page): () => number {
  let started = 0;
  page.on("worker", (worker) => (started += Number(worker.url().includes("worker-cpu"))));
  return () => started;
}

/** The pass that waited for the thread panics, and the console says so. */
const panicking = test.extend({ manners: async ({}, use) => use() });

panicking("a thread that traps in the middle of a pass: another worker repeats the run", async ({
  page,
  baseURL,
  scope,
}) => {
  const manifest = await (await fetch(`${baseURL}manifest.json`)).json();
  const engine = `${baseURL}${manifest.files["engine-cpu-threads_bg.wasm"].path}`;
  // The thread gets a module without a function table, so that it traps when it calls a loop's body.
  const times = await put(page, inThreads(`
    ${withoutElements.toString()}
    const patched = fetch(${JSON.stringify(engine)})
      .then((response) => response.arrayBuffer())
      .then((bytes) => WebAssembly.compile(withoutElements(new Uint8Array(bytes))));
    let listener;
    Object.defineProperty(self, "onmessage", { set: (value) => (listener = value) });
    self.addEventListener("message", async ({ data }) => listener({ data: { ...data, module: await patched } }));`));
  await scope.openLive();
  expect(times()).toBe(1);
  await expect(scope.problem).toBeHidden();
  await expect(deviceName(page)).toContainText("threads");
});

/** A module without its element section: every call through its table traps. */
function withoutElements(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const ELEMENTS = 9;
  const HEADER_BYTES = 8;
  const parts: Uint8Array[] = [module.subarray(0, HEADER_BYTES)];
  let at = HEADER_BYTES;
  while (at < module.length) {
    let [size, shift, next] = [0, 0, at + 1];
    for (;;) {
      const byte = module[next++]!;
      size += (byte & 127) * 2 ** shift;
      shift += 7;
      if (byte < 128) break;
    }
    if (module[at] !== ELEMENTS) parts.push(module.subarray(at, next + size));
    at = next + size;
  }
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
  let to = 0;
  for (const part of parts) {
    whole.set(part, to);
    to += part.length;
  }
  return whole;
}
