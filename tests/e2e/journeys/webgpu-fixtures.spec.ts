// The WebGPU engine as it is served computes what PyTorch `transformers` computed.

import { test } from "@playwright/test";

import { engines } from "../engine";
import { compareAll } from "../transformers";

/** Decoding goes through the cache's kernels token by token, which takes long on a GPU in software: of each checkpoint
 * one text is decoded. The CPU's engines decode all. */
const searched = (name: string): boolean => name === "sentence";

for (const [engine, script] of engines("engine-webgpu")) {
  test(`${engine} gives the numbers of transformers for every checkpoint`, async ({ page }) => {
    await compareAll(page, script, { searched, editedTextsAreDecoded: false });
  });
}
