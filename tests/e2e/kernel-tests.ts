// The kernels of a CPU engine with tests around them, built by `cargo xtask test` beside `dist/`, in a worker.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "./browser";

const directory = process.env.KERNEL_TESTS ?? join(repository, "target/xtask/kernels/dist");

/** The engines whose kernels were built with tests. */
export function testedEngines(): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

/** Isolated from other origins, as shared memory asks for. */
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** Runs one test in a worker of its own, since a trap would leave the module unusable. */
const MAIN = `
  self.onmessage = async ({ data: { engine, name } }) => {
    const tests = await import(new URL("./" + engine + "/" + engine + ".js", self.location.href).href);
    const result = (value) => self.postMessage({ value });
    try {
      await tests.default();
      if (name === undefined) return result(tests.names());
      if (tests.runThread) {
        const thread = { module: tests.compiledModule(), memory: tests.sharedMemory() };
        await new Promise((resolve) => {
          self.onmessage = resolve;
          self.postMessage({ thread });
        });
      }
      result({ error: tests.largestError(name), threads: tests.threads() });
    } catch (error) {
      self.postMessage({ trap: String(error) });
    }
  };`;

/** Serves what was built, the workers' scripts among it. */
export async function serve(page: Page): Promise<void> {
  await page.route("**/kernel-tests/**", (route) => {
    const path = new URL(route.request().url()).pathname.replace(/.*\/kernel-tests\//, "");
    const script = (body: string) =>
      route.fulfill({ headers: HEADERS, contentType: "text/javascript", body });
    if (path === "page.html") {
      return route.fulfill({ headers: HEADERS, contentType: "text/html", body: "<!doctype html>" });
    }
    if (path === "main.js") return script(MAIN);
    // The engines' own.
    const thread = join(repository, "app/worker/js/thread.js");
    return route.fulfill({ headers: HEADERS, path: path === "thread.js" ? thread : join(directory, path) });
  });
  await page.goto("./kernel-tests/page.html");
}

/** The kernels that an engine's tests know. */
export async function kernels(page: Page, engine: string): Promise<string[]> {
  return page.evaluate(inWorker, { engine }) as Promise<string[]>;
}

/** A kernel's largest error as a multiple of what is rounding, and the threads that shared its work. */
export async function largestError(
  page: Page,
  engine: string,
  name: string,
): Promise<{ error: number; threads: number }> {
  return page.evaluate(inWorker, { engine, name }) as Promise<{ error: number; threads: number }>;
}

/** Runs on the page: what the worker of one test finds, with a helper on another thread if it asks for one. */
function inWorker(task: { engine: string; name?: string }): Promise<unknown> {
  const workers: Worker[] = [];
  const start = (script: string) => {
    const worker = new Worker(script, { type: "module" });
    workers.push(worker);
    return worker;
  };
  const found = new Promise((resolve, reject) => {
    const fail = (event: ErrorEvent) => reject(new Error(event.message));
    const main = start("./main.js");
    main.onerror = fail;
    main.onmessage = ({ data: { value, thread, trap } }) => {
      if (trap !== undefined) return reject(new Error(trap));
      if (thread === undefined) return resolve(value);
      const helper = start("./thread.js");
      helper.onerror = fail;
      helper.onmessage = () => main.postMessage("ready");
      const address = new URL(`./${task.engine}/${task.engine}.js`, location.href).href;
      helper.postMessage({ address, ...thread });
    };
    main.postMessage(task);
  });
  return found.finally(() => workers.forEach((worker) => worker.terminate()));
}
