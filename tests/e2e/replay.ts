// Replays as `attn export` makes them, and the traces that they are made of.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Locator, Page } from "@playwright/test";

import { repository } from "./browser";
import { readSafetensors, type Floats } from "./safetensors";

const run = promisify(execFile);

/** The stored example. */
export const EXAMPLE = join(repository, "assets/examples/je-suis-etudiant.safetensors");

/** The policy of places that show what others made. */
export const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

const BUILD =
  "build --quiet --locked -p attention-attn --no-default-features";

/** Runs `attn`, which the tests in Rust have built; `ATTN` names another one. */
async function attn(...options: string[]): Promise<void> {
  const program = process.env.ATTN ?? join(repository, "target/debug/attn");
  if (!existsSync(program)) await run("cargo", BUILD.split(" "), { cwd: repository });
  await run(program, options);
}

/** Writes the replay of a trace, and returns its path. */
export async function exported(trace: string, html: string, ...options: string[]): Promise<string> {
  await attn("export", "--trace", trace, "--html", html, ...options);
  return html;
}

/** A file of 32-bit floats with these entries in its metadata. */
export function safetensors(metadata: Record<string, string>, arrays: Map<string, Floats>): Buffer {
  const header: Record<string, unknown> = { __metadata__: metadata };
  const data: Uint8Array[] = [];
  let at = 0;
  for (const [name, { shape, data: values }] of arrays) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    header[name] = { dtype: "F32", shape, data_offsets: [at, at + bytes.length] };
    data.push(bytes);
    at += bytes.length;
  }
  const json = JSON.stringify(header);
  // Arrays begin at a multiple of eight bytes.
  const text = Buffer.from(json.padEnd(Buffer.byteLength(json) - json.length + Math.ceil(json.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...data]);
}

/** Returns the example with each entry of its metadata changed. */
export async function changed(change: (entry: unknown, name: string) => unknown, more = {}): Promise<Buffer> {
  const { arrays, metadata } = readSafetensors(await readFile(EXAMPLE));
  const entries = Object.entries({ ...metadata, ...more }).map(([name, json]) => [name, JSON.stringify(change(JSON.parse(json as string), name))]);
  return safetensors(Object.fromEntries(entries), arrays);
}

export async function written(path: string, contents: Buffer): Promise<string> {
  await writeFile(path, contents);
  return path;
}

/** A replay on screen. */
export class Replay {
  readonly map: Locator;
  readonly readout: Locator;
  readonly title: Locator;
  readonly thumbnails: Locator;
  readonly problem: Locator;

  constructor(readonly root: Page | ReturnType<Page["frameLocator"]>) {
    this.map = root.locator("canvas.map");
    this.readout = root.locator(".readout");
    this.title = root.locator(".one-head h2");
    this.thumbnails = root.locator("button.thumbnail");
    this.problem = root.getByRole("alert");
  }

  head(kind: string, layer: number, head: number): Locator {
    return this.root.locator(`[data-head="${kind}.${layer}.${head}"]`);
  }

  /** The tokens of a side. */
  side(name: string): Locator {
    return this.root.locator(".side", { has: this.root.locator(".side-name", { hasText: name }) }).locator(".token");
  }
}
