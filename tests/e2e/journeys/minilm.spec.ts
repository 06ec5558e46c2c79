// A published encoder, from the disk: every head's attention is that of PyTorch `transformers`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { largestDifference } from "../differences";
import { published } from "../published";
import { readSafetensors } from "../safetensors";
import { expect, freshTest as test, takeTrace } from "../scope";

interface Fixture {
  text: string;
  ids: number[];
}

const { arrays, metadata } = readSafetensors(readFileSync(join(repository, "tests/fixtures/minilm.safetensors")));
const fixture: Fixture = JSON.parse(metadata.fixture ?? "");

/** The folder of its files; the test is skipped where they cannot be had. */
async function minilm(): Promise<string> {
  return published("minilm").catch((error: unknown) => {
    test.skip(true, `MiniLM cannot be downloaded: ${String(error)}`);
    return "";
  });
}

test("MiniLM's attention is that of transformers, and the page says that it generates nothing", async ({ page, scope }) => {
  test.slow();
  const folder = await minilm();
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(readdirSync(folder).map((name) => join(folder, name)));
  await expect(page.getByTestId("device-name")).toContainText("22.6 M weights");
  await scope.translate(fixture.text);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(6 * 12);
  await scope.inspect("Next word");
  await expect(page.getByText("This model generates nothing")).toBeVisible();

  const trace = readSafetensors(await takeTrace(page));
  const { source }: { source: { id: number }[] } = JSON.parse(trace.metadata.trace ?? "");
  expect(source.map(({ id }) => id)).toEqual(fixture.ids);
  expect(arrays.size).toBe(6);
  for (const [place, { shape, data }] of arrays) {
    expect(trace.arrays.get(place)?.shape, place).toEqual(shape);
    expect(largestDifference(trace.arrays.get(place)?.data, data), place).toBeLessThan(1e-4);
  }
});
