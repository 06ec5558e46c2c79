// Every CPU engine as it is served computes what PyTorch `transformers` computed.

import { test } from "@playwright/test";

import { engines } from "../engine";
import { compareAll } from "../transformers";

for (const [engine, script] of engines("engine-cpu")) {
  test(`${engine} gives the numbers of transformers for every checkpoint`, async ({ page }) => {
    await compareAll(page, script);
  });
}
