// Published models, downloaded once into a cache outside of the repository: for pages that offer them, and for tests.
// `node fetch.mjs NAME` prints the path of the file that `NAME/model.json` describes, or of the folder of its files.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { unzipSync } from "fflate";

/**
 * Returns the path of a model's file, or of the folder of its files, downloaded unless they are there; rejects if they
 * cannot be had or are others.
 * @param {string} name the folder beside this script that describes the model
 * @returns {Promise<string>}
 */
export async function published(name) {
  const description = fileURLToPath(new URL(`${name}/model.json`, import.meta.url));
  const { url, path, file, sha256, files } = JSON.parse(readFileSync(description, "utf8"));
  const wanted = files ?? { [file]: { path, sha256 } };
  // The weights' digest names the folder.
  const folder = join(cache(), (sha256 ?? files["model.safetensors"].sha256).slice(0, 16));
  const place = file === undefined ? folder : join(folder, file);
  if (Object.keys(wanted).every((name) => existsSync(join(folder, name)))) return place;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const archive = new Uint8Array(await response.arrayBuffer());
  mkdirSync(folder, { recursive: true });
  for (const [name, { path, sha256 }] of Object.entries(wanted)) {
    keep(verified(archive, path, sha256, url), join(folder, name));
  }
  return place;
}

/** The contents of the file `path` of a zip archive, whose digest is `sha256`. */
function verified(archive, path, sha256, url) {
  const contents = unzipSync(archive, { filter: (entry) => entry.name === path })[path];
  if (contents === undefined) throw new Error(`${url} has no ${path}`);
  const found = createHash("sha256").update(contents).digest("hex");
  if (found !== sha256) throw new Error(`${path} of ${url} has the digest ${found}, not ${sha256}`);
  return contents;
}

/** Writes a file at once, since two programs may download it at the same time. */
function keep(contents, place) {
  const part = `${place}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, place);
}

/** The folder of the cache: `ATTENTION_SCOPE_CACHE`, or the usual one of the system. */
function cache() {
  const { ATTENTION_SCOPE_CACHE: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  const usual = xdg ?? local ?? join(homedir(), ".cache");
  return own ?? join(usual, "attention-scope", "models");
}

const [, script, name] = process.argv;
if (name !== undefined && script === fileURLToPath(import.meta.url)) console.log(await published(name));
