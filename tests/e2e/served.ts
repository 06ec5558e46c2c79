// `attn serve` beside the page: a server of one model, which a journey starts, kills and starts again.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { repository } from "./browser";
import { freshTest as base } from "./scope";

export { expect } from "./scope";

const ATTN = process.env.ATTN ?? join(repository, "target/debug/attn");
const DIST = process.env.DIST ?? join(repository, "dist");

/** A server that runs. */
export class Served {
  private process: ChildProcess | undefined;
  /** The address of the page, with everything that a visitor needs in its fragment. */
  link = "";
  /** The links of a class: for those who follow, and for who leads. */
  class = "";
  teacher = "";
  /** The lines of its log. */
  readonly log: string[] = [];

  constructor(
    /** The directory of the model in the repository. */
    private readonly model: string,
    private readonly options: readonly string[] = [],
  ) {}

  /** Starts it, on the port of the start before if there was one. */
  async start(): Promise<void> {
    const port = this.link === "" ? "0" : new URL(this.link).port;
    const model = join(repository, this.model);
    const options = ["serve", "--model", model, "--dist", DIST, "--port", port, "--log", "json", ...this.options];
    const child = spawn(ATTN, options, { stdio: ["ignore", "pipe", "pipe"] });
    this.process = child;
    createInterface(child.stderr).on("line", (line) => this.log.push(line));
    for await (const line of createInterface(child.stdout)) {
      const [, name, link] = /^(Page|Class|Teacher) +(http\S+)$/.exec(line) ?? [];
      if (link === undefined) continue;
      if (name === "Page") this.link = link;
      else if (name === "Class") this.class = link;
      else this.teacher = link;
      if (name === (this.options.includes("--class") ? "Teacher" : "Page")) return;
    }
    throw new Error(`attn serve ended: ${this.log.join("\n")}`);
  }

  /** Kills it as the system does where memory runs out. */
  async kill(): Promise<void> {
    if (this.process === undefined || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  /** The numbers of `/metrics` by name. */
  async metrics(): Promise<Record<string, number>> {
    const text = await (await fetch(new URL("/metrics", this.link))).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(lines.map((line) => line.split(" ")).map(([name, value]) => [name, Number(value)]));
  }
}

/** A file for a token that lasts from start to start. */
export function tokenFile(): string {
  return join(mkdtempSync(join(tmpdir(), "served-")), "token");
}

/** A journey with servers, which end with it. */
export const test = base.extend<{ serve: (model: string, ...options: string[]) => Promise<Served> }>({
  // Of its own, so that it can grow.
  named: async ({}, use) => use([]),
  serve: async ({ named }, use) => {
    const all: Served[] = [];
    await use(async (model, ...options) => {
      const served = new Served(model, options);
      all.push(served);
      await served.start();
      (named as string[]).push(new URL(served.link).origin);
      return served;
    });
    await Promise.all(all.map((served) => served.kill()));
  },
});
