// A hub as the page's visitors know one, on two origins of this machine: one describes models and redirects, the other has
// the files, in ranges. Faults can be asked of it.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { repository } from "./browser";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** The served translator, whose weights take several requests. */
const FILES = ["config.json", "tokenizer.json", "model.safetensors"];
const FOLDER = join(repository, "assets/models/translator");

/** A request as the hub saw it. */
export interface Asked {
  method: string;
  url: string;
  range: string | undefined;
  authorization: string | undefined;
  body: string;
}

/** Faults and habits of a hub. */
export interface Habits {
  /** The architecture in the description. */
  modelType?: string;
  /** False if answers lack the header that lets other pages read them. */
  cors?: boolean;
  /** False if the host describes no models: it has their files alone, under the revision. */
  describes?: boolean;
  /** False if files are sent whole whatever is asked for. */
  ranges?: boolean;
  /** The token without which nothing is answered. */
  token?: string;
  /** The digest that the description gives for the weights. */
  sha256?: string;
  /** The size that the description gives for the weights, in bytes. */
  weightsBytes?: number;
  /** The number of requests for the weights that are answered before the connection breaks. */
  breaksAfter?: number;
}

export class Hub {
  readonly asked: Asked[] = [];
  readonly askedOfFiles: Asked[] = [];
  habits: Habits = {};
  private readonly files = new Map(FILES.map((name) => [name, readFileSync(join(FOLDER, name))]));
  private readonly servers: Server[] = [];
  private filesOrigin = "";
  private partsOfWeights = 0;
  address = "";

  static async start(): Promise<Hub> {
    const hub = new Hub();
    hub.filesOrigin = `http://localhost:${await hub.listen((request, response) => hub.sendFile(request, response), hub.askedOfFiles)}`;
    hub.address = `http://127.0.0.1:${await hub.listen((request, response) => hub.describe(request, response), hub.asked)}`;
    return hub;
  }

  async stop(): Promise<void> {
    for (const server of this.servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  get origins(): string[] {
    return [this.address, this.filesOrigin];
  }

  get weightsBytes(): number {
    return this.contents("model.safetensors").length;
  }

  /** The ranges of the weights that were asked for. */
  get rangesOfWeights(): (string | undefined)[] {
    return this.askedOfFiles.filter(({ method, url }) => method === "GET" && url.endsWith("model.safetensors")).map(({ range }) => range);
  }

  private contents(name: string): Buffer {
    return this.files.get(name) ?? Buffer.alloc(0);
  }

  private listen(answer: (request: IncomingMessage, response: ServerResponse) => void, log: Asked[]): Promise<number> {
    const server = createServer((request, response) => {
      const body: Buffer[] = [];
      request.on("data", (part: Buffer) => body.push(part));
      request.on("end", () => {
        const { method = "", url = "", headers } = request;
        log.push({ method, url, range: headers.range, authorization: headers.authorization, body: Buffer.concat(body).toString() });
        if (this.habits.cors !== false) {
          response.setHeader("access-control-allow-origin", "*");
          response.setHeader("access-control-allow-headers", "authorization, range");
        }
        if (method === "OPTIONS") response.end();
        else answer(request, response);
      });
    });
    this.servers.push(server);
    return new Promise((resolve) => server.listen(0, () => resolve((server.address() as AddressInfo).port)));
  }

  private describe(request: IncomingMessage, response: ServerResponse): void {
    const { url = "", headers } = request;
    const { token, modelType = "marian", sha256, weightsBytes } = this.habits;
    if (token !== undefined && headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
    } else if (this.habits.describes !== false && url.startsWith("/api/models/owner/translator/revision/main?")) {
      const siblings = FILES.map((name) => {
        const contents = this.contents(name);
        if (!name.endsWith(".safetensors")) return { rfilename: name, size: contents.length };
        const digest = sha256 ?? createHash("sha256").update(contents).digest("hex");
        const size = weightsBytes ?? contents.length;
        return { rfilename: name, size, lfs: { sha256: digest, size, pointerSize: 134 } };
      });
      const described = { sha: COMMIT, config: { model_type: modelType }, cardData: { license: "cc-by-4.0" }, siblings };
      response.setHeader("content-type", "application/json").end(JSON.stringify(described));
    } else if (this.habits.describes === false && url.startsWith("/owner/translator/resolve/main/")) {
      this.sendFile(request, response);
    } else if (url.startsWith(`/owner/translator/resolve/${COMMIT}/`)) {
      response.writeHead(302, { location: `${this.filesOrigin}/cdn/${url.split("/").at(-1)}` }).end();
    } else {
      response.writeHead(404).end();
    }
  }

  private sendFile(request: IncomingMessage, response: ServerResponse): void {
    const name = request.url?.split("/").at(-1) ?? "";
    if (!this.files.has(name)) {
      response.writeHead(404).end();
      return;
    }
    const contents = this.contents(name);
    if (request.method === "HEAD") {
      response.setHeader("content-length", contents.length).end();
      return;
    }
    const { breaksAfter, ranges } = this.habits;
    if (name === "model.safetensors" && breaksAfter !== undefined && this.partsOfWeights++ >= breaksAfter) {
      response.destroy();
      return;
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (ranges === false || !range) {
      response.end(contents);
      return;
    }
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), contents.length - 1)];
    response.writeHead(206, { "content-range": `bytes ${from}-${to}/${contents.length}`, etag: `"${name}"` });
    response.end(contents.subarray(from, to + 1));
  }
}
