// Every kernel of the GPU made wrong in turn: the device is refused, and what refuses it names the kernel.

import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "../browser";
import { Engine, engines } from "../engine";
import { type Fault, faulty, KERNELS } from "../faulty-kernels";
import { pretendHardware } from "../gpu";
import { expect, freshTest as test } from "../scope";

/** What the console was told. */
function consoleOf(page: Page): string[] {
  const lines: string[] = [];
  page.on("console", (message) => lines.push(message.text()));
  return lines;
}

/** What the WebGPU engine answers when it is to load a tiny model and one kernel is at fault. */
async function load(page: Page, checkpoint: string, prelude: string) {
  await page.unrouteAll();
  await page.route("**/fixtures/**", (route) => {
    const name = route.request().url().replace(/.*\//, "");
    return route.fulfill({ path: join(repository, "tests/fixtures/tiny", checkpoint, name) });
  });
  const engine = await Engine.start(page, engines("engine-webgpu").get("engine-webgpu") ?? "", prelude);
  const base = new URL("./fixtures/", page.url()).href;
  return engine.ask({ load: { base, allow_fallback_adapter: true } });
}

for (const checkpoint of ["marian-tiny", "llama-tiny"]) {
  test(`a device without fault is taken for ${checkpoint}`, async ({ page }) => {
    const lines = consoleOf(page);
    expect(await load(page, checkpoint, "")).toMatchObject({ kind: "ready", device: "webgpu" });
    expect(lines).toEqual([]);
  });
}

for (const name of Object.keys(KERNELS)) {
  test(`${name} wrong or NaN: the device is refused by name`, async ({ page }) => {
    const lines = consoleOf(page);
    for (const fault of ["wrong", "NaN"] satisfies Fault[]) {
      lines.length = 0;
      const answer = await load(page, "marian-tiny", faulty(name, fault));
      expect(answer).toMatchObject({ kind: "failed", wrong_numbers: { kernels: [name] } });
      const { difference } = answer.wrong_numbers as { difference: number | null };
      if (fault === "NaN") expect(difference).toBeNull();
      else expect(difference).toBeGreaterThan(1e-3);
      expect(lines.filter((line) => line.endsWith(`wrong by themselves: ${name}`))).toHaveLength(1);
    }
  });
}

test("kernels that are wrong or give NaN leave the CPU at work, with a note that names them", async ({
  page,
  scope,
}) => {
  const two = `${faulty("linear_row", "wrong")}\n${faulty("rotate", "NaN")}`;
  await pretendHardware(page, two);
  await scope.openLive();
  const note = page.getByTestId("gave-up-webgpu");
  await expect(note).toContainText("Wrong by themselves: linear_row, rotate.");
  await expect(scope.problem).toBeHidden();
  await expect(page.getByTestId("device-name")).toHaveText(/^CPU(, \d+ threads)? · [\d.]+ M weights$/);
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
});
