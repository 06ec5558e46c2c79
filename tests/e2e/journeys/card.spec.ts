// The card of a model: of files before their model is opened, and of the model that runs.

import { join } from "node:path";

import { repository } from "../browser";
import { expect, freshTest as test } from "../scope";

const tiny = join(repository, "tests/fixtures/tiny");

test("files show their card before the model is opened, and the model that runs names what it does not use", async ({
  page,
  scope,
}) => {
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-look-first").check();
  await page.getByTestId("mine-files").setInputFiles(join(tiny, "gguf-llama/model.gguf"));
  const found = page.getByTestId("card-found");
  await expect(found.getByTestId("card-facts")).toContainText("llama");
  await expect(found.getByTestId("card-facts")).toContainText("Q4_1");
  await expect(found.getByTestId("card-layer")).toHaveCount(1 + 2);
  // Folded by layer, by keyboard.
  const layer = found.getByTestId("card-layer").nth(1);
  await layer.locator("summary").focus();
  await page.keyboard.press("Enter");
  await expect(layer.getByRole("row").filter({ hasText: "attn_q.weight" })).toContainText("64 × 32");
  await found.getByTestId("card-filter").fill("token_embd");
  await expect(found.getByTestId("card-layer")).toHaveCount(1);
  await expect(found.getByRole("row").filter({ hasText: "token_embd.weight" })).toContainText("Q8_0");
  await found.getByTestId("card-filter").fill("nothing");
  await expect(found.getByRole("status")).toBeVisible();
  await expect(page).not.toHaveURL(/model=mine/);
  await page.getByTestId("card-open").click();
  await expect(scope.modelsSheet).toBeHidden();
  await expect(page).toHaveURL(/model=mine-/);
  await scope.becomesLive();

  await scope.openModels();
  await page.getByTestId("card-running").locator("> summary").click();
  const running = page.getByTestId("card-running");
  await expect(running.getByTestId("card-facts")).toContainText("layers: 2, heads: 4, of keys and values: 2");
  await expect(running.getByTestId("card-use")).toContainText("uses every tensor");

  const classifier = ["config.json", "tokenizer.json", "model.safetensors"];
  await page.getByTestId("mine-look-first").uncheck();
  await page.getByTestId("mine-files").setInputFiles(classifier.map((name) => join(tiny, "bert-classifier", name)));
  await expect(scope.modelsSheet).toBeHidden();
  await scope.becomesLive();
  await scope.openModels();
  const other = page.getByTestId("card-running");
  if ((await other.getAttribute("open")) === null) await other.locator("> summary").click();
  await expect(other.getByTestId("card-use")).toContainText("classifier.weight");
  await page.setViewportSize({ width: 390, height: 844 });
  const inside = await scope.modelsSheet.evaluate((sheet) => sheet.scrollWidth - sheet.clientWidth);
  expect(inside).toBeLessThanOrEqual(0);
});
