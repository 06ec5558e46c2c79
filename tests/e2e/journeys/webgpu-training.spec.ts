// Training on WebGPU, through SwiftShader: slow, and the same run as on the CPU.

import type { Locator, Page } from "@playwright/test";

import { WRONG_NUMBERS } from "../gpu";
import { expect, freshTest as test } from "../scope";
import { put } from "../worker";

/** So small that software makes its steps in a moment. */
const TINY =
  "tab=learn&chapter=training&train-letters=3&train-shortest=2&train-longest=3&train-layers=1&train-heads=2&train-d=16&train-batch=8";
const SOFTWARE = `${TINY}&train-device=webgpu-software`;
const GPU_TRAINER = /\/worker-trainer-webgpu\.\w+\.js$/;

const row = (page: Page, run: number): Locator => page.locator(`[data-testid=training-runs] tr[data-run="${run}"]`);

const state = (page: Page, run: number): Locator => row(page, run).getByTestId("training-state");

/** What the checkpoint on screen says of the held-out examples, after a run to its end. */
async function trained(page: Page): Promise<string> {
  await page.getByTestId("training-start").click();
  await expect(state(page, 1)).toHaveText("finished");
  return String(await page.getByTestId("training-facts").first().textContent());
}

/** The first loss in a text. */
const loss = (text: string): number => Number(/loss (\d+\.\d+)/.exec(text)?.[1]);

test("a run on WebGPU is the run of the CPU from the same seed", async ({ page, scope }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const isGpuTrainer = (url: string): boolean => GPU_TRAINER.test(url);
  await scope.open(`${TINY}&train-steps=40`);
  const onCpu = await trained(page);
  await expect(row(page, 1).getByTestId("training-on")).toHaveText("CPU");
  expect(asked.filter(isGpuTrainer)).toEqual([]);

  await page.getByTestId("training-device").selectOption({ label: "WebGPU (software)" });
  await expect(page).toHaveURL(/train-device=webgpu-software/);
  await page.getByTestId("training-start").click();
  await expect(state(page, 2)).toHaveText("finished");
  await expect(row(page, 2).getByTestId("training-on")).toContainText("WebGPU (software)");
  await expect(page.getByTestId("training-gave-up")).toBeEmpty();
  expect(asked.filter(isGpuTrainer)).toHaveLength(1);
  expect(await scope.number(row(page, 2).getByTestId("training-speed"))).toBeGreaterThan(0);
  const onGpu = String(await page.getByTestId("training-facts").first().textContent());
  expect(onGpu).toContain("Step 40 ·");
  expect(loss(onCpu)).toBeGreaterThan(0);
  expect(Math.abs(loss(onGpu) - loss(onCpu))).toBeLessThan(0.02);
});

test("a recurrent model trains on WebGPU as on the CPU", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=8&train-stacks=recurrent-bahdanau`);
  const onCpu = await trained(page);
  await page.getByTestId("training-device").selectOption({ label: "WebGPU (software)" });
  await page.getByTestId("training-start").click();
  await expect(state(page, 2)).toHaveText("finished");
  await expect(row(page, 2).getByTestId("training-on")).toContainText("WebGPU (software)");
  await expect(page.getByTestId("training-map")).toHaveCount(1);
  const onGpu = String(await page.getByTestId("training-facts").first().textContent());
  expect(loss(onCpu)).toBeGreaterThan(0);
  expect(Math.abs(loss(onGpu) - loss(onCpu))).toBeLessThan(0.02);
});

test("a run on WebGPU learns, pauses, goes on and is looked back at", async ({ page, scope }) => {
  await scope.open(`${SOFTWARE}&train-steps=200`);
  await page.getByTestId("training-start").click();
  await expect(state(page, 1)).toHaveText("training");
  const step = row(page, 1).getByTestId("training-step");
  await expect(step).not.toHaveText(/^0 /);
  await page.getByTestId("training-pause").click();
  await expect(state(page, 1)).toHaveText("paused");
  // While it trained on, nothing would be at rest.
  await scope.comesToRest();
  await expect(state(page, 1)).toHaveText("paused");
  await page.getByTestId("training-go-on").click();
  await expect(state(page, 1)).toHaveText("finished");
  await expect(page.getByTestId("training-map")).toHaveCount(2);

  const facts = page.getByTestId("training-facts").first();
  await expect(facts).toContainText("Step 200 ·");
  const last = loss(String(await facts.textContent()));
  await page.getByTestId("training-checkpoint").focus();
  await page.keyboard.press("Home");
  await expect(facts).toContainText("Step 0 ·");
  // A model this small has just begun to learn: 2.06 becomes 1.92.
  expect(last).toBeLessThan(0.96 * loss(String(await facts.textContent())));
});

test("a GPU that is lost leaves the run to the CPU, from its last checkpoint", async ({ page, scope }) => {
  // The device goes as soon as another example is watched.
  await put(page, `
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...wishes) {
      const device = await request.apply(this, wishes);
      self.addEventListener("message", ({ data }) => {
        if (JSON.parse(data.header).watch) device.destroy();
      });
      return device;
    };`, Infinity, GPU_TRAINER);
  await scope.open(`${SOFTWARE}&train-steps=800`);
  await page.getByTestId("training-start").click();
  await expect(state(page, 1)).toHaveText("training");
  await page.getByTestId("training-watch").fill("ab");
  await page.getByTestId("training-watch").press("Enter");
  await expect(page.getByTestId("training-gave-up")).toContainText("trained on the CPU instead");
  await expect(row(page, 1).getByTestId("training-on")).toHaveText("CPU");
  await expect(page.getByTestId("training-map").first()).toBeVisible();
  await expect(state(page, 1)).toHaveText("finished");
});

test("a GPU that computes something else is not trained on", async ({ page, scope }) => {
  await put(page, WRONG_NUMBERS, Infinity, GPU_TRAINER);
  await scope.open(`${SOFTWARE}&train-steps=20`);
  await page.getByTestId("training-start").click();
  await expect(page.getByTestId("training-gave-up")).toContainText("computes the loss of the first batch differently");
  await expect(state(page, 1)).toHaveText("finished");
  await expect(row(page, 1).getByTestId("training-on")).toHaveText("CPU");
});

test("a software adapter that was not asked for is not used, and the page says so", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-device=webgpu&train-steps=20`);
  await page.getByTestId("training-start").click();
  await expect(page.getByTestId("training-gave-up")).toContainText("no WebGPU adapter that can be used here");
  await expect(state(page, 1)).toHaveText("finished");
  await expect(row(page, 1).getByTestId("training-on")).toHaveText("CPU");
});
