// A published language model, opened from the disk as its authors' users have it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { published } from "../published";
import { expect, freshTest as test } from "../scope";
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
}

const fixture: Fixture = JSON.parse(readFileSync(join(repository, "tests/fixtures/smollm2.json"), "utf8"));

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
  await page.evaluate(() => {
    location.hash += "&tab=learn&chapter=long&window-keys=4&window-first=1";
  });
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
