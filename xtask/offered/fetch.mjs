// Published models, downloaded once into a cache outside of the repository: for pages that offer them, and for tests.
// `node fetch.mjs NAME` prints the path of the file that `NAME/model.json` describes.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { unzipSync } from "fflate";

/**
 * Returns the path of a model's file, downloaded unless it is there; rejects if it cannot be had or is another file.
 * @param {string} name the folder beside this script that describes the model
 * @returns {Promise<string>}
 */
export async function published(name) {
  const description = fileURLToPath(new URL(`${name}/model.json`, import.meta.url));
  const { url, path, file, sha256 } = JSON.parse(readFileSync(description, "utf8"));
  const folder = join(cache(), sha256.slice(0, 16));
  const place = join(folder, file);
  if (existsSync(place)) return place;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const archive = new Uint8Array(await response.arrayBuffer());
  const contents = unzipSync(archive, { filter: (entry) => entry.name === path })[path];
  if (contents === undefined) throw new Error(`${url} has no ${path}`);
  const found = createHash("sha256").update(contents).digest("hex");
  if (found !== sha256) throw new Error(`${path} of ${url} has the digest ${found}, not ${sha256}`);
  mkdirSync(folder, { recursive: true });
  // Two programs may download it at once.
  const part = `${place}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, place);
  return place;
}

/** The folder of the cache: `ATTENTION_SCOPE_CACHE`, or the usual one of the system. */
function cache() {
  const { ATTENTION_SCOPE_CACHE: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  const usual = xdg ?? local ?? join(homedir(), ".cache");
  return own ?? join(usual, "attention-scope", "models");
}

const [, script, name] = process.argv;
if (name !== undefined && script === fileURLToPath(import.meta.url)) console.log(await published(name));
