// The chapter on maps that are derived from attention weights.

import { compareGradients } from "../derived";
import { share } from "../numbers";
import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=derived&kind=encoder&layer=1&head=2";
const maps = ["weights", "lengths", "rollout", "flow", "gradient"];

test("five maps have one cell in common, and the gradient follows the step", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const map = (name: string) => page.locator(`[data-matrix='derived-${name}']`);
  const field = (name: string) => map(name).getByRole("application");
  for (const name of maps) await expect(field(name)).toBeVisible();
  const wide = await page
    .locator(".derived-maps")
    .evaluate((all) => all.clientWidth / (all.closest(".chapter")?.clientWidth ?? 0));
  expect(wide).toBeGreaterThan(0.95);
  await expect(page.getByTestId("derived-refused")).toHaveCount(0);
  await field("rollout").focus();
  await page.keyboard.press("ArrowRight");
  const value = async (name: string) => {
    const words = await page.locator(`[data-value='derived-${name}']`).textContent();
    return share(words ?? "");
  };
  // What a rollout leads there, a flow can carry.
  expect(await value("flow")).toBeGreaterThanOrEqual((await value("rollout")) - 1e-4);
  expect(await value("weights")).toBeLessThanOrEqual(1);
  const output = page.getByTestId("derived-output");
  await expect(output).toContainText(/is the logit of .*: [−\d]/);
  const before = await output.textContent();
  await page.getByTestId("step-forward").click();
  await expect(output).not.toHaveText(before ?? "");
  await scope.choice("Gradient of", "log p").click();
  await expect(page).toHaveURL(/derived-of=log-p/);
  await expect(output).toContainText(/is log p of .*: −?\d/);
});

test("a long text has rollout, and is told that it is too long for flows", async ({ page, scope }) => {
  const text = encodeURIComponent("Je ne sais pas ce que tu veux et je ne sais pas où tu es ".repeat(3).trim());
  await scope.openLive(`${chapter}&text=${text}`);
  await expect(page.getByTestId("derived-refused")).toContainText("too long for flows");
  await expect(page.locator("[data-matrix='derived-rollout']").getByRole("application")).toBeVisible();
});

freshTest("gradients in the browser are those of PyTorch", async ({ page }) => {
  await compareGradients(page, ["marian-tiny", "llama-gqa", "qwen3", "gpt2-tiny", "t5-v1_1", "bert-tiny"]);
});
