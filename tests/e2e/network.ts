// A slow network between the browser and the page's server: one rate for all connections together, and a delay. The
// browser's own throttling leaves out what workers download.

import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** What a connection is like. */
export interface Network {
  name: string;
  bitsPerSecond: number;
  roundTripMs: number;
}

/** A proxy in front of `origin` that is as slow as `network`. */
export class SlowProxy {
  /** When the line is free for the next byte. */
  private freeAt = 0;

  private constructor(
    private readonly server: Server,
    private readonly network: Network,
  ) {}

  static async start(origin: URL, network: Network): Promise<SlowProxy> {
    const server = createServer();
    const proxy = new SlowProxy(server, network);
    server.on("connection", (near) => proxy.join(near, connect(Number(origin.port), origin.hostname)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.server.close();
  }

  private join(near: Socket, far: Socket): void {
    near.setNoDelay(true);
    // A connection costs a round trip before the first byte.
    const openAt = performance.now() + this.network.roundTripMs;
    near.on("data", (chunk) => {
      const at = Math.max(performance.now(), openAt) + this.network.roundTripMs / 2;
      setTimeout(() => far.write(chunk), at - performance.now());
    });
    far.on("data", (chunk) => {
      const begins = Math.max(performance.now(), this.freeAt);
      this.freeAt = begins + (chunk.length * 8_000) / this.network.bitsPerSecond;
      const late = this.freeAt + this.network.roundTripMs / 2 - performance.now();
      // What waits here is not read from the server: its sending is held back as by a slow line.
      far.pause();
      setTimeout(() => far.resume(), this.freeAt - performance.now());
      setTimeout(() => near.write(chunk), late);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("close", () => setTimeout(() => other.destroy(), this.network.roundTripMs + 1_000));
      one.on("error", () => other.destroy());
    }
  }
}
