// An engine of `dist/` without the page around it: its worker, what it is asked and what it answers.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "./browser";

const dist = process.env.DIST ?? join(repository, "dist");

/** The built engines whose names begin with `prefix`, and their scripts. */
export function engines(prefix: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(dist).sort()) {
    const name = /^(engine-[a-z-]+)\.[0-9a-f]+\.js$/.exec(file)?.[1];
    if (name?.startsWith(prefix)) found.set(name, file);
  }
  return found;
}

/** An answer of the worker: what it says, and the array that came with it. */
export interface Answer {
  kind: string;
  /** The number of the request, by which a result can be asked about. */
  id: number;
  bytes: Uint8Array;
  [field: string]: unknown;
}

/** Isolated from other origins, as shared memory asks for. */
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/** Threads of an engine that has them. */
const THREADS = 2;

export class Engine {
  private constructor(private readonly page: Page) {}

  /** Starts the engine that `script` is, behind `prelude`, on a page that is otherwise empty. */
  static async start(page: Page, script: string, prelude = ""): Promise<Engine> {
    const start = `${prelude}
      const engine = await import("./${script}");
      await engine.default();
      if (engine.shareWork) await engine.shareWork(${THREADS});
      engine.listen("the engine");`;
    await page.route("**/engine-alone.html", (route) =>
      route.fulfill({ headers: HEADERS, contentType: "text/html", body: "<!doctype html>" }),
    );
    await page.route("**/engine-alone.js", (route) =>
      route.fulfill({ headers: HEADERS, contentType: "text/javascript", body: start }),
    );
    await page.goto("./engine-alone.html");
    await page.evaluate(startWorker);
    return new Engine(page);
  }

  /** The worker's answer to `request`, a `Request` of `app/protocol`. */
  async ask(request: object): Promise<Answer> {
    const { header, base64, id } = await this.page.evaluate(
      (header) => (globalThis as unknown as Asking).ask(header),
      JSON.stringify(request),
    );
    const [[kind, fields]] = Object.entries(JSON.parse(header)) as [[string, object]];
    return { kind, ...fields, id, bytes: Buffer.from(base64, "base64") };
  }
}

/** What `startWorker` leaves on the page. */
interface Asking {
  ask(header: string): Promise<{ header: string; base64: string; id: number }>;
}

/** Runs on the page: starts the worker and waits until it listens. */
function startWorker(): Promise<void> {
  interface Reply {
    id: number;
    header: string;
    buffer?: ArrayBuffer;
  }
  const worker = new Worker("./engine-alone.js", { type: "module" });
  const last = new Set(["ready", "traced", "answer", "failed"]);
  let id = 0;
  const base64 = (buffer: ArrayBuffer): Promise<string> =>
    new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
      reader.readAsDataURL(new Blob([buffer]));
    });
  (globalThis as unknown as Asking).ask = (header) =>
    new Promise((resolve, reject) => {
      id += 1;
      const asked = id;
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = async ({ data }: MessageEvent<Reply>) => {
        // A failure that answers nothing is that of a device that was lost.
        if (data.id !== asked && data.id !== 0) return;
        const [kind] = Object.keys(JSON.parse(data.header));
        if (kind === undefined || !last.has(kind)) return;
        const buffer = data.buffer ?? new ArrayBuffer(0);
        resolve({ header: data.header, base64: await base64(buffer), id: asked });
      };
      worker.postMessage({ id: asked, header });
    });
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = () => resolve();
  });
}
