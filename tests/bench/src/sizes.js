// How much code an engine downloads, as it is and as brotli sends it.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);
const CODE = [".js", ".mjs", ".wasm"];

/**
 * @param {Set<string>} files what was downloaded
 * @param {string[]} own directories of the bench's own scripts and of the models, which count for no engine
 * @param {string} cache directory that remembers compressed sizes, which take a minute to find
 */
export async function code(files, own, cache) {
  const counted = [...files].filter(
    (file) => CODE.includes(extname(file)) && !own.some((directory) => file.startsWith(directory)),
  );
  /** @type {Awaited<ReturnType<typeof size>>[]} */
  const sizes = [];
  for (const file of counted.sort()) sizes.push(await size(file, cache));
  const sum = (/** @type {"raw_bytes" | "brotli_bytes"} */ of) =>
    sizes.reduce((total, each) => total + each[of], 0);
  return { raw_bytes: sum("raw_bytes"), brotli_bytes: sum("brotli_bytes"), files: sizes };
}

/** @param {string} file @param {string} cache */
async function size(file, cache) {
  const contents = await readFile(file);
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 32);
  const known = join(cache, `${hash}.brotli-size`);
  let brotli_bytes = Number(await readFile(known, "utf8").catch(() => "0"));
  if (!brotli_bytes) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
    };
    brotli_bytes = (await compress(contents, { params })).length;
    await mkdir(cache, { recursive: true });
    await writeFile(known, String(brotli_bytes));
  }
  return { name: basename(file), raw_bytes: contents.length, brotli_bytes };
}
