// A server between the browser and the page's own, which remembers all that a browser sent.

import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export class Recorder {
  /** Request line, headers and body of everything that came in, in the order of arrival. */
  readonly requests: string[] = [];
  private server: Server | undefined;
  private port = 0;

  /** Stands before the server at `origin`; what that answers is passed on without the headers named in `hidden`. */
  constructor(
    private readonly origin: string,
    private readonly hidden: readonly string[] = [],
  ) {}

  /** Where a browser finds it; the same address after every start. */
  get address(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async start(): Promise<void> {
    const server = createServer((incoming, answer) => this.pass(incoming, answer));
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      server.listen(this.port, "127.0.0.1", resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Answers nothing any more, as a server that is switched off. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** What came in and holds `word`, however it is encoded. */
  holding(word: string): string[] {
    return this.requests.filter((sent) => readings(sent).some((reading) => reading.includes(word)));
  }

  private pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method, url, rawHeaders } = incoming;
    const index = this.requests.push(`${method} ${url}\n${rawHeaders.join("\n")}\n`) - 1;
    const onward = request(new URL(url ?? "/", this.origin), { method, headers: incoming.headers });
    incoming.on("data", (part: Buffer) => {
      this.requests[index] += part.toString("latin1");
      onward.write(part);
    });
    incoming.on("end", () => onward.end());
    onward.on("response", (response) => {
      const shown = Object.entries(response.headers).filter(([name]) => !this.hidden.includes(name));
      answer.writeHead(response.statusCode ?? 502, Object.fromEntries(shown));
      response.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
  }
}

/** A text as it stands, as it reads in an address or a form, and what stands in it in base 64. */
function readings(sent: string): string[] {
  const decoded = sent.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString(),
  );
  const base64 = (sent.match(/[A-Za-z0-9+/]{8,}/g) ?? []).map((part) => Buffer.from(part, "base64").toString());
  return [sent, decoded, ...base64];
}
