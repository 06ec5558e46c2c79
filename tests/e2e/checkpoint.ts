// A checkpoint of another kind in the place of one that is served with the page.

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
  await page.route(
    ({ href }) => href.replace(/#.*/, "") === baseURL,
    async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(
        /(<script[^>]*id="?manifest"?[^>]*>)(.*?)(<\/script>)/s,
        (_, open: string, json: string, close: string) => {
          const manifest = JSON.parse(json);
          for (const name of Object.keys(manifest.files)) {
            if (isReplaced(name)) delete manifest.files[name];
          }
          return open + JSON.stringify(manifest) + close;
        },
      );
      await route.fulfill({ response, body });
    },
  );
  for (const [file, body] of Object.entries(files)) {
    await page.route(`**/${directory}${file}`, (route) => route.fulfill({ body }));
  }
}

/** The files of a tiny checkpoint. */
export function tiny(checkpoint: string): Files {
  return Object.fromEntries(FILES.map((file) => [file, readFileSync(join(TINY, checkpoint, file))]));
}

/** What PyTorch computed with a tiny checkpoint. */
export function expected(checkpoint: string): Safetensors {
  return readSafetensors(readFileSync(join(TINY, checkpoint, "expected.safetensors")));
}
