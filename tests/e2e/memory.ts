// What a page holds, once its garbage is gone.

import { readFile } from "node:fs/promises";

import type { Browser, CDPSession, Page } from "@playwright/test";

/** What is held, in bytes but for the nodes. */
export interface Held {
  /** Nodes of documents, those that only scripts hold on to among them. */
  nodes: number;
  /** The page's JavaScript objects. */
  page_heap_bytes: number;
  /** The page's WebAssembly memory. */
  page_wasm_bytes: number;
  /** JavaScript objects of the worker that runs the model. */
  engine_heap_bytes: number;
  /** The model's WebAssembly memory. */
  engine_wasm_bytes: number;
  /** What the system gave to the process of page and workers; 0 where it does not tell. */
  process_bytes: number;
}

/** How often the process is looked at, a second after each request to give memory back: what a pass has just used is not gone
 * at once. */
const LOOKS = 5;

/** A command of the DevTools protocol, to the page or to one of its workers. */
// The protocol's answers have no common shape.
type Send = (method: string, parameters?: object) => Promise<any>;

/** Nodes of the page. */
export async function countNodes(page: Page): Promise<number> {
  return inspected(page, async (session) => (await measurePage(session)).nodes);
}

/** What the page and the worker that runs its model hold. */
export async function measure(browser: Browser, page: Page): Promise<Held> {
  const engine = page.workers().find((worker) => isEngine(worker.url()));
  if (engine === undefined) throw new Error("no worker runs a model");
  return inspected(page, async (session) => ({
    ...(await measurePage(session)),
    page_wasm_bytes: await page.evaluate<number>(wasmBytes("page.")),
    engine_heap_bytes: (await collected(await inspectedEngine(session), "Runtime.getHeapUsage")).usedSize,
    engine_wasm_bytes: await engine.evaluate<number>(wasmBytes("engine-")),
    process_bytes: await largestRenderer(browser),
  }));
}

async function inspected<T>(page: Page, work: (session: CDPSession) => Promise<T>): Promise<T> {
  const session = await page.context().newCDPSession(page);
  try {
    return await work(session);
  } finally {
    await session.detach();
  }
}

async function measurePage(session: CDPSession): Promise<Pick<Held, "nodes" | "page_heap_bytes">> {
  const page = session.send.bind(session) as Send;
  await page("Performance.enable");
  const { metrics } = await collected(page, "Performance.getMetrics");
  const metric = (wanted: string): number =>
    metrics.find(({ name }: { name: string }) => name === wanted)?.value ?? NaN;
  return { nodes: metric("Nodes"), page_heap_bytes: metric("JSHeapUsedSize") };
}

/** Asks once all garbage is gone; what one collection frees may be the last to hold something else. */
async function collected(send: Send, method: string): Promise<any> {
  for (let round = 0; round < 3; round += 1) await send("HeapProfiler.collectGarbage");
  return send(method);
}

/** Asks for the memory of the module whose script has a name that begins so: the script gives the exports of what runs
 * already. As text, since an import in a function would be rewritten for Node. */
function wasmBytes(name: string): string {
  return `(async () => {
    const scripts = performance.getEntriesByType("resource").map((entry) => entry.name);
    const script = scripts.find((url) => new URL(url).pathname.startsWith("/${name}") && url.endsWith(".js"));
    const { memory } = await (await import(script)).default();
    return memory.buffer.byteLength;
  })()`;
}

function isEngine(url: string): boolean {
  return /worker-(cpu|webgpu)\./.test(url);
}

/** The worker that runs the model. */
async function inspectedEngine(session: CDPSession): Promise<Send> {
  const answers = new Map<number, (result: object) => void>();
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message);
    answers.get(id)?.(result);
  });
  const found = new Promise<string>((resolve) => {
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (isEngine(targetInfo.url)) resolve(sessionId);
    });
  });
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  const sessionId = await found;
  let id = 0;
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      id += 1;
      answers.set(id, resolve);
      const message = JSON.stringify({ id, method, params });
      session.send("Target.sendMessageToTarget", { sessionId, message }).catch(reject);
    });
}

/** The resident size of the renderer that holds most, the least of some looks; the others stand ready for pages to come. What
 * the browser keeps only because nobody asked for it back, such as freed pages of its allocators, is given back first. */
async function largestRenderer(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const looks: number[] = [];
  while (looks.length < LOOKS) {
    await session.send("Memory.simulatePressureNotification", { level: "critical" });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => residentBytes(id));
    looks.push(Math.max(0, ...(await Promise.all(sizes))));
  }
  await session.detach();
  return Math.min(...looks);
}

async function residentBytes(process: number): Promise<number> {
  // Only Linux has this file, and a process may have ended meanwhile.
  const status = await readFile(`/proc/${process}/status`, "utf8").catch(() => "");
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
