// What the scripts do with files that do not come as they were published: `app/worker/js/published.js` of the engines and
// `assets/mending.js` of the page. `cargo xtask test --only e2e` runs this.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const EMPTY_MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const LOGIN = "<!doctype html><title>Log in</title>";

const sha256 = (contents) => createHash("sha256").update(contents).digest("hex");
const named = (stem, contents, ending) => `${stem}.${sha256(contents).slice(0, 16)}.${ending}`;

/** @type {string} */
let directory;
/** Answers to requests for an address by cache mode, `default` where a request names none. */
let answers;
/** Requests as they were made: address and cache mode. */
let requests;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "published-"));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  globalThis.self = globalThis;
  globalThis.fetch = async (address, { cache = "default" } = {}) => {
    requests.push([String(address), cache]);
    const { body, status = 200, type = "text/javascript" } = answers(String(address), cache);
    return new Response(body, { status, headers: { "content-type": type } });
  };
});
beforeEach(() => (requests = []));
after(() => rm(directory, { recursive: true }));

/** A copy of a script, imported. */
async function imported(file, name) {
  const path = join(directory, name);
  await writeFile(path, await readFile(join(repository, file)));
  return import(pathToFileURL(path).href);
}

/** A script that counts how often it runs, on disk, with the address of a module beside it. */
async function script(name) {
  globalThis.ran = 0;
  const contents = `globalThis.ran += 1; export default async () => {}; // ${name}`;
  const path = join(directory, named(name, contents, "js"));
  await writeFile(path, contents);
  const module = pathToFileURL(join(directory, named(name, EMPTY_MODULE, "wasm"))).href;
  return { address: pathToFileURL(path).href, contents, module };
}

const moduleOr = (answer) => (address, cache) =>
  address.endsWith(".wasm") ? { body: EMPTY_MODULE, type: "application/wasm" } : answer(cache);

test("a script that never comes as it was published does not run", async () => {
  const { load } = await imported("app/worker/js/published.js", "published.js");
  const { address, module } = await script("wrong");
  answers = moduleOr(() => ({ body: LOGIN }));
  await assert.rejects(load(address, module), /does not come as it was published/);
  assert.equal(globalThis.ran, 0);
});

test("a script whose cached copy is wrong runs once, from past the cache", async () => {
  const { load } = await imported("app/worker/js/published.js", "published.js");
  const { address, contents, module } = await script("mended");
  answers = moduleOr((cache) => ({ body: cache === "reload" ? contents : LOGIN }));
  await load(address, module);
  assert.equal(globalThis.ran, 1);
  const modes = requests.filter(([asked]) => asked === address).map(([, cache]) => cache);
  assert.deepEqual(modes, ["default", "reload"]);
});

test("the page takes no second answer that is as wrong as the first", async () => {
  const path = named("models/a", "weights", "bin");
  const files = { "models/a.bin": { path, bytes: 7, sha256: sha256("weights") } };
  globalThis.document = {
    baseURI: "https://scope.example/",
    documentElement: { dataset: { theme: "light" } },
    getElementById: () => ({ textContent: JSON.stringify({ files }) }),
    querySelector: () => null,
  };
  const { published } = await imported("assets/mending.js", "mending.js");
  answers = () => ({ body: LOGIN });
  await assert.rejects(published(path), /does not come as it was published/);
  assert.deepEqual(requests, [[path, "default"], [path, "reload"]]);
  answers = (_, cache) => ({ body: cache === "reload" ? "weights" : LOGIN });
  assert.equal(await (await published(path)).text(), "weights");
  // A refusal is not a copy: the page says its status.
  answers = (_, cache) => (cache === "reload" ? { body: "", status: 503 } : { body: LOGIN });
  assert.equal((await published(path)).status, 503);
});
