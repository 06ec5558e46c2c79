// A static host as they come: it sends files below a path of its own, with their type and no other header, not compressed.

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";
import { setTimeout } from "node:timers/promises";

import { expect, type Page } from "@playwright/test";

import { repository } from "./browser";
import { freshTest as base } from "./scope";

export { expect } from "./scope";

const TYPES: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** The headers of a host that isolates the page by itself. */
export const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** A build as it lies on a host, with some files other than in `dist/`. */
export class Build {
  /** Contents by address; `null` where the file is gone. */
  readonly changed = new Map<string, Buffer | null>();

  constructor(readonly directory = process.env.DIST ?? join(repository, "dist")) {}

  /** Contents by address that are sent once, as a network's login page is in the place of what was asked for. */
  readonly once = new Map<string, Buffer>();

  /** What lies at an address below the page's; `null` where nothing does. */
  async file(address: string): Promise<Buffer | null> {
    const once = this.once.get(address);
    if (once !== undefined && this.once.delete(address)) return once;
    const changed = this.changed.get(address);
    if (changed !== undefined) return changed;
    const path = normalize(join(this.directory, address));
    if (!path.startsWith(this.directory + sep)) return null;
    return readFile(path).catch(() => null);
  }

  /** The next build, in which the files that `moved` names have other addresses; under the old ones nothing is left. */
  async next(moved: (name: string) => boolean): Promise<Build> {
    const next = new Build(this.directory);
    const manifest: Manifest = JSON.parse(String(await this.file("manifest.json")));
    const renamed = new Map([[manifest.version, backwards(manifest.version)]]);
    for (const [name, { path }] of Object.entries(manifest.files)) {
      if (!moved(name)) continue;
      const moves = path.replace(/[0-9a-f]{16}/, backwards);
      renamed.set(path, moves);
      next.changed.set(moves, await this.file(path)).set(path, null);
    }
    for (const address of ["index.html", "service-worker.js", "manifest.json"]) {
      let text = String(await this.file(address));
      for (const [before, after] of renamed) text = text.replaceAll(before, after);
      next.changed.set(address, Buffer.from(text));
    }
    return next;
  }
}

interface Manifest {
  version: string;
  files: Record<string, { path: string; sha256: string }>;
}

const backwards = (text: string): string => [...text].toReversed().join("");

/** How a file comes over a bad connection: in parts, a second apart, of which the last ones may never come. */
interface Trickle {
  file: RegExp;
  parts: number;
  sent: number;
}

export class Host {
  /** Sent with every answer. */
  headers: Record<string, string> = {};
  /** The file that comes in parts from now on. */
  trickle: Trickle | undefined;
  /** How the page itself is answered. */
  page: "as usual" | "with 503" | "never" = "as usual";
  /** The addresses that were asked for, query included, without the origin. */
  readonly asked: string[] = [];
  /** What lies below which path. */
  readonly builds = new Map<string, Build>([["/scope/", new Build()]]);

  private readonly origin: string;

  private constructor(private readonly server: Server) {
    const { port } = server.address() as AddressInfo;
    this.origin = `http://127.0.0.1:${port}`;
    server.on("request", (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<Host> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Host(server);
  }

  /** The address of the page below a path. */
  at(path: string): string {
    return `${this.origin}${path}`;
  }

  /** From now on nobody answers. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(request.url ?? "/");
    // As it is when the request comes: a test may change it as soon as it knows of one.
    const { trickle } = this;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const [path, build] = [...this.builds].find(([path]) => pathname.startsWith(path)) ?? [];
    const address = pathname.slice(path?.length) || "index.html";
    if (address === "index.html" && this.page === "never") return;
    const isDown = address === "index.html" && this.page === "with 503";
    const contents = isDown ? null : ((await build?.file(address)) ?? null);
    const status = isDown ? 503 : contents === null ? 404 : 200;
    const type = TYPES[extname(address)] ?? "application/octet-stream";
    response.writeHead(status, { "content-type": type, ...this.headers });
    if (contents !== null && trickle?.file.test(address)) return send(contents, response, trickle);
    response.end(contents ?? "There is nothing here.");
  }
}

async function send(contents: Buffer, response: ServerResponse, { parts, sent }: Trickle): Promise<void> {
  const bytes = Math.ceil(contents.length / parts);
  for (let part = 0; part < sent; part += 1) {
    response.write(contents.subarray(part * bytes, (part + 1) * bytes));
    await setTimeout(1_000);
  }
  if (sent === parts) response.end();
}

/** Waits until the page at which the browser is, an engine and the translator are kept, and the rest of the page. */
export async function isKept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  for (const file of [/\/$/, /\/engine-cpu.*_bg\.\w+\.wasm$/, /\/translator\/model\.\w+\.safetensors$/]) {
    await expect.poll(async () => (await kept(page)).some((url) => file.test(url))).toBe(true);
  }
}

/** The addresses below the page's that are kept. */
export async function kept(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { href } = new URL("./", location.href);
    const urls: string[] = [];
    for (const name of await caches.keys()) {
      urls.push(...(await (await caches.open(name)).keys()).map(({ url }) => url));
    }
    return urls.filter((url) => url.startsWith(href));
  });
}

/** Journeys through the page on a static host, kept by its service worker. */
export const test = base.extend<{ host: Host }>({
  host: async ({}, use) => {
    const host = await Host.start();
    await use(host);
    // A journey may have stopped it.
    await host.stop().catch(() => {});
  },
  baseURL: async ({ host }, use) => use(host.at("/scope/")),
  serviceWorkers: "allow",
});
