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
});
