// A published encoder, from the disk: every head's attention is that of PyTorch `transformers`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { largestDifference } from "../differences";
import { Engine, engines } from "../engine";
import { published } from "../published";
import { readSafetensors } from "../safetensors";
import { expect, freshTest as test } from "../scope";

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

for (const [name, script] of engines("engine-cpu")) {
  test(`${name} computes MiniLM's attention`, async ({ page }) => {
    test.slow();
    const folder = await minilm();
    await page.route("**/published/*", (route) => {
      const name = route.request().url().split("/").at(-1) ?? "";
      return route.fulfill({ path: join(folder, name) });
    });
    const engine = await Engine.start(page, script);
    const base = new URL("./published/", page.url()).href;
    expect(await engine.ask({ load: { base } })).toMatchObject({ kind: "ready" });
    const answer = await engine.ask({ run: { text: fixture.text, search: { kind: "greedy" }, quantities: ["pattern"] } });
    expect(answer).toMatchObject({ kind: "traced" });
    const trace = readSafetensors(answer.bytes);
    const { source }: { source: { id: number }[] } = JSON.parse(trace.metadata.trace ?? "");
    expect(source.map(({ id }) => id)).toEqual(fixture.ids);
    for (const [place, { shape, data }] of arrays) {
      expect(trace.arrays.get(place)?.shape, place).toEqual(shape);
      expect(largestDifference(trace.arrays.get(place)?.data, data), place).toBeLessThan(1e-4);
    }
  });
}

test("MiniLM is opened from its files, and the page says that it generates nothing", async ({ page, scope }) => {
  test.slow();
  const folder = await minilm();
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(readdirSync(folder).map((name) => join(folder, name)));
  await expect(page.getByTestId("device-name")).toContainText("22.7 M weights");
  await scope.translate(fixture.text);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(6 * 12);
  await expect(page.getByText("This model generates nothing")).toBeVisible();

  const [layer, head, query, key] = [3, 7, 2, 5];
  await page.evaluate((view) => (location.hash += view), `&kind=encoder&layer=${layer + 1}&head=${head + 1}&cell=${query + 1}.${key + 1}`);
  const pattern = arrays.get(`encoder.${layer}.self.pattern`);
  const [, rows = 0, columns = 0] = pattern?.shape ?? [];
  const weight = pattern?.data[(head * rows + query) * columns + key] ?? NaN;
  await expect.poll(async () => Math.abs((await scope.number(scope.value)) - weight)).toBeLessThan(2e-4);
});
