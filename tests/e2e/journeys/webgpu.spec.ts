// One journey on WebGPU, through SwiftShader: slow, and the same numbers as on the CPU.

import { join } from "node:path";

import { repository } from "../browser";
import { pretendHardware, spoil, WRONG_NUMBERS } from "../gpu";
import { expect, files, freshTest as test } from "../scope";

test("a software adapter, chosen, computes what the CPU computes", async ({ page, scope }) => {
  await scope.openLive("device=cpu");
  await expect(page.getByTestId("device-name")).toContainText("CPU");
  await scope.heatmap.click({ position: { x: 3, y: 3 } });
  const translation = (await scope.translation.textContent()) ?? "";
  const value = await scope.number(scope.value);

  await scope.openDevice();
  await page.getByRole("combobox", { name: "Device" }).selectOption("WebGPU (software)");
  await expect(page.getByTestId("device-name")).toContainText("WebGPU (software)");
  await expect(page.getByTestId("loading")).toBeHidden();
  await scope.translate("Je suis étudiant.");
  await expect(scope.tokens).toContainText(".");
  await scope.becomesLive();
  await scope.translate("Je suis étudiant");
  await expect(scope.tokens).not.toContainText(".");
  await scope.becomesLive();
  await expect(scope.translation).toHaveText(translation);
  await scope.heatmap.hover({ position: { x: 3, y: 3 } });
  expect(Math.abs((await scope.number(scope.value)) - value)).toBeLessThan(0.0002);
  await expect(page).toHaveURL(/device=webgpu/);
});

test("quantised matrices compute on WebGPU what they compute on the CPU", async ({ page, scope }) => {
  await scope.openLive("device=cpu");
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(join(repository, "tests/fixtures/tiny/gguf-llama/model.gguf"));
  await expect(page).toHaveURL(/model=mine-/);
  await scope.becomesLive();
  await scope.translate("the old dog sits");
  await expect(scope.tokens).toContainText("sits");
  await scope.becomesLive();
  const continuation = (await scope.translation.textContent()) ?? "";

  // The engine compares its passes with the CPU's before it answers.
  await scope.openDevice();
  await page.getByRole("combobox", { name: "Device" }).selectOption("WebGPU (software)");
  await expect(page.getByTestId("device-name")).toContainText("WebGPU (software)");
  await expect(page.getByTestId("loading")).toBeHidden();
  await scope.translate("the old dog");
  await scope.becomesLive();
  await scope.translate("the old dog sits");
  await scope.becomesLive();
  await expect(scope.translation).toHaveText(continuation);
});

test("a software adapter is not used unless it is chosen", async ({ page, scope }) => {
  const asked: string[] = [];
  await page.route(files.webgpuWorker, (route) => {
    asked.push(route.request().url());
    return route.continue();
  });
  await page.addInitScript(TELL_ADAPTER);
  await scope.openLive();
  await page.waitForFunction("self.adapterIsSoftware === true");
  // With an adapter found and a result on screen, the other engine would be on its way by now.
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
  await expect(page.getByTestId("device-name")).toHaveText(/^CPU(, \d+ threads)? · [\d.]+ M weights$/);
  expect(asked).toEqual([]);

  await scope.openDevice();
  await page.getByRole("combobox", { name: "Device" }).selectOption("WebGPU (software)");
  await expect.poll(() => asked).toHaveLength(1);
});

/** Notes what sort of adapter the page was given. */
const TELL_ADAPTER = `
  const request = GPU.prototype.requestAdapter;
  GPU.prototype.requestAdapter = async function (...wishes) {
    const adapter = await request.apply(this, wishes);
    self.adapterIsSoftware = adapter?.isFallbackAdapter ?? adapter?.info?.isFallbackAdapter;
    return adapter;
  };`;

test("where there is a real adapter, the CPU answers first and WebGPU takes over", async ({
  page,
  scope,
}) => {
  await pretendHardware(page);
  await scope.openLive();
  const device = page.getByTestId("device-name");
  await expect(device).toContainText("CPU");
  await expect(device).toContainText("WebGPU is getting ready");
  await scope.heatmap.click({ position: { x: 3, y: 3 } });
  await page.mouse.move(0, 0);
  const translation = (await scope.translation.textContent()) ?? "";
  const value = await scope.number(scope.value);

  await expect(device).toHaveText(/^WebGPU · [\d.]+ M weights$/);
  await expect(scope.translation).toHaveText(translation);
  expect(Math.abs((await scope.number(scope.value)) - value)).toBeLessThan(0.0002);
  await expect(page.getByTestId("gave-up-webgpu")).toBeHidden();
  await expect.poll(() => page.workers().length).toBe(1);
});

test("an adapter that computes wrongly leaves the CPU at work, with a note", async ({
  page,
  scope,
}) => {
  await pretendHardware(page, WRONG_NUMBERS);
  await scope.openLive();
  await expect(page.getByTestId("gave-up-webgpu")).toContainText("computed a known example wrongly");
  await expect(scope.problem).toBeHidden();
  await expect(page.getByTestId("device-name")).toHaveText(/^CPU(, \d+ threads)? · [\d.]+ M weights$/);
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
});

test("a device that computes wrongly is refused", async ({ page, scope }) => {
  await spoil(page, WRONG_NUMBERS);
  await scope.open("device=webgpu-software");
  await expect(scope.problem).toContainText("computed a known example wrongly");
  await scope.showsExample();
  await page.getByRole("button", { name: "Use the CPU" }).click();
  await scope.becomesLive();
});

/** Destroys the device by what `submitted`, called after everything that is given to the GPU, decides; `lose()` does it. */
function losing(submitted: string): string {
  return `let lose = () => {};
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...wishes) {
      const device = await request.apply(this, wishes);
      lose = () => device.destroy();
      return device;
    };
    const submit = GPUQueue.prototype.submit;
    GPUQueue.prototype.submit = function (...commands) {
      submit.apply(this, commands);
      ${submitted}
    };
    let count = 0;
    self.loseDevice = () => lose();`;
}

test("a device that is lost while it computes", async ({ page, scope }) => {
  await spoil(page, losing("count += 1; if (count === 3) lose();"));
  await scope.open("device=webgpu-software");
  await expect(scope.problem).toContainText("The device was lost");
  await scope.showsExample();
  await page.getByRole("button", { name: "Use the CPU" }).click();
  await scope.becomesLive();
});

test("a device that is lost at rest takes nothing with it", async ({ page, scope }) => {
  await spoil(page, losing(""));
  await scope.openLive("device=webgpu-software");
  const translation = (await scope.translation.textContent()) ?? "";
  const worker = page.workers().find((worker) => worker.url().includes("/worker-webgpu."));
  await worker?.evaluate("loseDevice()");
  await expect(scope.problem).toContainText("The device was lost");
  await scope.becomesLive();
  await expect(scope.translation).toHaveText(translation);
  await page.getByRole("button", { name: "Use the CPU" }).click();
  await expect(scope.problem).toBeHidden();
  await scope.translate("Je suis étudiant.");
  await expect(scope.tokens).toContainText(".");
  await scope.becomesLive();
});
