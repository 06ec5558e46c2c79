// A checkpoint of another kind in the place of one that is served with the page.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { baseURL, repository } from "./browser";
import { readSafetensors, type Safetensors } from "./safetensors";

const TINY = join(repository, "tests/fixtures/tiny");
const FILES = ["config.json", "tokenizer.json", "model.safetensors"] as const;

/** The files of a checkpoint, some of them or all. */
export type Files = Partial<Record<(typeof FILES)[number], Buffer | string>>;

/** Puts files in the place of those of `model`, a directory of the page's models. The manifest then says nothing of
 * them, so that the engine looks for them under their own names and knows no digest. */
export async function replaceCheckpoint(page: Page, model: string, files: Files): Promise<void> {
  const directory = `models/${model}/`;
  const isReplaced = (name: string): boolean =>
    FILES.some((file) => file in files && name.startsWith(`${directory}${file}`));
  await changeManifest(page, (listed) => {
    for (const name of Object.keys(listed)) {
      if (isReplaced(name)) delete listed[name];
    }
  });
  for (const [file, body] of Object.entries(files)) {
    await page.route(`**/${directory}${file}`, (route) => route.fulfill({ body }));
  }
}

/** A file as the manifest lists it. */
interface Listed {
  path: string;
  bytes: number;
  sha256: string;
}

/** Changes the files that the page's manifest lists. */
async function changeManifest(page: Page, change: (listed: Record<string, Listed>) => void): Promise<void> {
  await page.route(
    ({ href }) => href.replace(/#.*/, "") === baseURL,
    async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(
        /(<script[^>]*id="?manifest"?[^>]*>)(.*?)(<\/script>)/s,
        (_, open: string, json: string, close: string) => {
          const manifest = JSON.parse(json);
          change(manifest.files);
          return open + JSON.stringify(manifest) + close;
        },
      );
      await route.fulfill({ response, body });
    },
  );
}

/** Makes the page offer a tiny checkpoint in one file, as `cargo xtask build --with` does with a published one. */
export async function offerCheckpoint(page: Page, checkpoint: string, model: string): Promise<void> {
  const weights = readFileSync(join(TINY, checkpoint, "model.gguf"));
  const digest = (contents: Buffer | string): string => createHash("sha256").update(contents).digest("hex");
  const [file, bytes, sha256] = ["model.gguf", weights.length, digest(weights)];
  const list = JSON.stringify([{ model, title: "A tiny model", file, bytes, weights: 10_000, licence: "mit" }]);
  const sha = sha256.slice(0, 40);
  const listing = { sha, siblings: [{ rfilename: file, size: bytes, lfs: { sha256, size: bytes } }] };
  await changeManifest(page, (listed) => {
    listed["offered.json"] = { path: "offered.json", bytes: list.length, sha256: digest(list) };
  });
  await page.route("**/offered.json", (route) => route.fulfill({ body: list }));
  await page.route(`**/hub/api/models/${model}/revision/main*`, (route) => route.fulfill({ json: listing }));
  await page.route(`**/hub/${model}/resolve/${sha}/${file}`, (route) => route.fulfill({ body: weights }));
}

/** The files of a tiny checkpoint. */
export function tiny(checkpoint: string): Files {
  return Object.fromEntries(FILES.map((file) => [file, readFileSync(join(TINY, checkpoint, file))]));
}

/** What PyTorch computed with a tiny checkpoint. */
export function expected(checkpoint: string): Safetensors {
  return readSafetensors(readFileSync(join(TINY, checkpoint, "expected.safetensors")));
}
