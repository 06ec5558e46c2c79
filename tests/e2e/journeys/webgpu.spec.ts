// One journey on WebGPU, through SwiftShader: slow, and the same numbers as on the CPU.

import { expect, test } from "../scope";

test("a software adapter, chosen, computes what the CPU computes", async ({ page, scope }) => {
  await scope.openLive("device=cpu");
  await expect(page.getByTestId("device-name")).toContainText("CPU");
  await scope.heatmap.click({ position: { x: 3, y: 3 } });
  const translation = (await scope.translation.textContent()) ?? "";
  const value = await scope.number(scope.value);

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
  expect(Math.abs((await scope.number(scope.value)) - value)).toBeLessThan(0.0002);
  await expect(page).toHaveURL(/device=webgpu/);
});

test("a software adapter is not used unless it is chosen", async ({ page, scope }) => {
  await scope.openLive();
  await expect(page.getByTestId("device-name")).toContainText("CPU");
});
