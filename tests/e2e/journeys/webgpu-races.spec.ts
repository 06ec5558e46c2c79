// Requests that meet while WebGPU is being opened.

import { expect, freshTest as test } from "../scope";
import { put } from "../worker";

test("another model, chosen while WebGPU opens: the device is opened once", async ({ page, scope }) => {
  // The adapter comes late, so that both requests to load find WebGPU not open yet.
  await put(page, `
    const request = GPU.prototype.requestAdapter;
    GPU.prototype.requestAdapter = async function (...options) {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      return request.apply(this, options);
    };`, Infinity, /\/worker-webgpu\.\w+\.js$/);
  await scope.open("device=webgpu-software");
  await expect(page.getByTestId("loading")).toContainText("Loading the model");
  await scope.chooseModel("sentences");
  await scope.becomesLive();
  await expect(page.getByTestId("device-name")).toContainText("WebGPU (software)");
  await expect(scope.problem).toBeHidden();
});
