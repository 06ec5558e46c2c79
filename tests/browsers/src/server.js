// Serves `dist/` in a process of its own, so that it can be gone: without a server there is no network, whatever a
// browser makes of that.

import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { end, start } from "./processes.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

export class Server {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  /** Any free one at first, the same from then on. */
  #port = 0;

  /** Where the page is; only after the first start. */
  get address() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Starts it, unless it runs. */
  async start() {
    if (this.#process) return;
    const { XTASK: xtask, DIST: dist } = process.env;
    if (!xtask) throw new Error("XTASK is not set: run these tests with `cargo xtask test --only browsers`");
    const place = dist ? ["--dist", dist] : [];
    const server = start(xtask, ["serve", "--no-build", "--port", `${this.#port}`, ...place], {
      cwd: repository,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = server;
    const output = /** @type {import("node:stream").Readable} */ (server.stdout);
    for await (const line of createInterface(output)) {
      const [, port] = /^Serving http:\/\/127\.0\.0\.1:(\d+)\//.exec(line) ?? [];
      if (port) {
        this.#port = Number(port);
        return;
      }
    }
    throw new Error("the server did not start");
  }

  /** Stops it and breaks its connections. */
  async stop() {
    const server = this.#process;
    this.#process = undefined;
    if (server) await end(server);
  }
}
