// A published language model, opened from the disk as its authors' users have it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Locator, Page } from "@playwright/test";

import { repository } from "../browser";
import { published } from "../published";
import { expect, freshTest as test, type Scope } from "../scope";
import { put } from "../worker";

interface Fixture {
  text: string;
  /** The continuation that `transformers` writes greedily. */
  continuation: string;
  /** Its mean surprise on text and continuation, with all keys and with windows. */
  surprise: number;
  windows: { keys: number; first: number; surprise: number }[];
  /** Its heads, and how many give at least half of their weight to the first token. */
  heads: number;
  resting: number;
  /** Words that are read twice: the head that looks them up, `[layer, head]` from 0, the one that looks back, and losses. */
  repeated: {
    text: string;
    told: number;
    best: [number, number];
    best_weight: number;
    clear: number;
    previous: [number, number];
    surprise: number;
    without_best: number;
    without_clear: number;
    without_previous: number;
  };
  /** Lines, and the weight of each head on the token before over all of them, `[layers, heads]`. */
  lines: string[];
  previous_on_lines: number[][];
}

const fixture: Fixture = JSON.parse(readFileSync(join(repository, "tests/fixtures/smollm2.json"), "utf8"));

/** Opens its file in the page, with the text as it is. */
async function opens(page: Page, scope: Scope): Promise<void> {
  const file = await smollm2();
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(file);
  await expect(scope.modelsButton).toContainText("SmolLM2-135M-Instruct.Q4_1");
  await scope.becomesLive();
  await scope.choice("Form of the input", "Plain text").click();
}

/** The numbers of a sentence, in their order. */
async function numbers(place: Locator): Promise<number[]> {
  const words = (await place.textContent()) ?? "";
  return [...words.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
}

/** Its file; the test is skipped where it cannot be had. */
async function smollm2(): Promise<string> {
  return published("smollm2").catch((error: unknown) => {
    test.skip(true, `SmolLM2 cannot be downloaded: ${String(error)}`);
    return "";
  });
}

test("an engine without memory for a model says how much it has", async ({ page, scope }) => {
  const file = await smollm2();
  // 98 MB, of which the engine has a half, where the weights take 112.
  const code = `const Memory = WebAssembly.Memory;
    WebAssembly.Memory = function (descriptor) {
      return new Memory({ ...descriptor, maximum: 1_500 });
    };
    WebAssembly.Memory.prototype = Memory.prototype;`;
  await put(page, code);
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(file);
  await expect(scope.problem).toContainText(/needs 111\.\d MB of memory, and a tab has [3-6]\d\.\d MB/);
});

test("SmolLM2 is opened from its GGUF file and continues as transformers does", async ({ page, scope }) => {
  test.slow();
  const file = await smollm2();
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(file);
  await expect(scope.modelsButton).toContainText("SmolLM2-135M-Instruct.Q4_1");
  await expect(page.getByTestId("device-name")).toContainText("134.5 M weights");
  // An instruct model opens as a chat, with the system message of its template.
  const written = page.getByTestId("result");
  await expect(written).toHaveAttribute("data-text", /^<\|im_start\|>system\n[^<]+<\|im_end\|>\n<\|im_start\|>user\n/);
  await scope.becomesLive();
  await page.getByTestId("all-tokens").click();
  await expect(scope.tokens.getByText("<|im_start|>", { exact: true })).toHaveCount(3);
  await scope.choice("Form of the input", "Plain text").click();
  await scope.translate(fixture.text);
  await scope.becomesLive();
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", fixture.text);
  await expect(scope.translation).toHaveText(fixture.continuation.trim());
  await expect(scope.thumbnails).toHaveCount(30 * 9);
  // The chapter on long texts: what it says of this model is what `transformers` computes.
  await scope.follow(`${new URL(page.url()).hash}&tab=learn&chapter=long&window-keys=4&window-first=1`);
  const of = (keys: number, first: number) =>
    fixture.windows.find((one) => one.keys === keys && one.first === first)?.surprise ?? NaN;
  const means = page.getByTestId("window-means");
  await expect(means).toContainText("On average");
  const read = async () =>
    [...((await means.textContent()) ?? "").matchAll(/\d+\.\d+/g)].map(([number]) => Number(number));
  for (const [index, expected] of [fixture.surprise, of(4, 0), of(4, 1)].entries()) {
    expect(Math.abs(((await read())[index] ?? NaN) - expected)).toBeLessThan(1e-3);
  }
  await expect(page.getByTestId("sinks-found")).toContainText(`: ${fixture.resting} of ${fixture.heads}.`);
  await page.getByTestId("window-first").fill("4");
  await expect.poll(async () => Math.abs(((await read())[2] ?? NaN) - of(4, 4))).toBeLessThan(1e-3);
});

test("its induction heads are found and switched off, as in transformers", async ({ page, scope }) => {
  test.slow();
  await opens(page, scope);
  const { repeated } = fixture;
  await scope.translate(repeated.text);
  await scope.becomesLive();
  await scope.follow(`${new URL(page.url()).hash}&tab=learn&chapter=induction&new-tokens=1`);
  const found = page.getByTestId("induction-found");
  const [layer, head] = repeated.best.map((index) => index + 1);
  await expect(found).toContainText(new RegExp(`layer ${layer}, head ${head}.*: ${repeated.clear} of ${fixture.heads}`, "i"));
  expect(Math.abs(((await numbers(found))[2] ?? NaN) - repeated.best_weight)).toBeLessThan(2e-3);
  const means = page.getByTestId("induction-means");
  await expect(means).toContainText(/all heads/);
  const [told, ...losses] = await numbers(means);
  expect(told).toBe(repeated.told);
  const expected = [repeated.surprise, repeated.without_best, repeated.without_clear, repeated.without_previous];
  for (const [index, loss] of expected.entries()) {
    expect(Math.abs((losses[index] ?? NaN) - loss)).toBeLessThan(2e-3);
  }
});

test("roles of its heads are measured on lines of the visitor's, as in transformers", async ({ page, scope }) => {
  test.slow();
  await opens(page, scope);
  await scope.follow(`${new URL(page.url()).hash}&show=claim&tool=roles&roles=1&roles-of=file`);
  const file = { name: "lines.txt", mimeType: "text/plain", buffer: Buffer.from(fixture.lines.join("\n")) };
  await page.getByTestId("corpus-file").setInputFiles(file);
  await page.getByTestId("corpus-measure").click();
  await expect(page.getByTestId("corpus-measured")).toContainText("sentences: 3.", { timeout: 300_000 });
  await expect(page.getByTestId("roles-said")).toContainText(new RegExp(`^Heads with a clear role: \\d+ of ${fixture.heads}`));
  await scope.follow(`${new URL(page.url()).hash}&tab=learn&chapter=roles&kind=self&layer=11&head=1`);
  const cell = page.locator("[data-testid=role-score][data-role=previous] td").nth(2);
  await expect(cell).toBeVisible();
  const expected = fixture.previous_on_lines[11]?.[1] ?? NaN;
  expect(Math.abs(Number(await cell.textContent()) - expected)).toBeLessThan(0.011);
});
