// Every CPU engine as it is served computes what PyTorch `transformers` computed.

import { test } from "@playwright/test";

import { engines } from "../engine";
import { CHECKPOINTS, compare } from "../transformers";

for (const [engine, script] of engines("engine-cpu")) {
  for (const checkpoint of CHECKPOINTS) {
    test(`${engine} gives the numbers of transformers: ${checkpoint}`, async ({ page }) => {
      await compare(page, script, checkpoint);
    });
  }
}
