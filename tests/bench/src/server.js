// Serves the engines, the other runtimes and the models, isolated as threads need it; notes which code was downloaded,
// and takes outputs in.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/**
 * @typedef {object} Served
 * @property {string} origin
 * @property {() => Set<string>} downloads the files asked for since the last call
 * @property {() => Buffer | undefined} kept the outputs that came in since the last call
 * @property {() => void} close
 */

/**
 * @param {Record<string, string>} mounts directories by the first part of the address
 * @param {number} port
 * @returns {Promise<Served>}
 */
export function serve(mounts, port) {
  /** @type {Set<string>} */
  let files = new Set();
  /** @type {Buffer | undefined} */
  let outputs;

  const server = createServer(async (request, response) => {
    const address = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method === "POST") {
      outputs = await body(request);
      return response.writeHead(204, HEADERS).end();
    }
    const path = file(mounts, decodeURIComponent(address));
    const found = path ? await stat(path).catch(() => undefined) : undefined;
    if (!path || !found?.isFile()) return response.writeHead(404, HEADERS).end();
    files.add(path);
    const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(path))] ?? "application/octet-stream";
    response.writeHead(200, { ...HEADERS, "content-type": type, "content-length": found.size });
    createReadStream(path, { highWaterMark: 1 << 20 }).pipe(response);
  });

  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () =>
      resolve({
        origin: `http://127.0.0.1:${port}`,
        downloads() {
          const seen = files;
          files = new Set();
          return seen;
        },
        kept() {
          const seen = outputs;
          outputs = undefined;
          return seen;
        },
        close() {
          server.closeAllConnections();
          server.close();
        },
      }),
    );
  });
}

/** @param {Record<string, string>} mounts @param {string} address */
function file(mounts, address) {
  const [, first, ...rest] = address.split("/");
  const directory = mounts[first];
  if (!directory) return undefined;
  const path = normalize(join(directory, ...rest));
  return path.startsWith(directory + sep) ? path : undefined;
}

/** @param {import("node:http").IncomingMessage} request */
async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}
