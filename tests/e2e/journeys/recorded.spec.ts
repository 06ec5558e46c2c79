// A recorded pass: downloaded from the page, and opened in its place without the model that made it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { readSafetensors } from "../safetensors";
import { expect, freshTest as test, lookAt, takeTrace } from "../scope";

const example = join(repository, "assets/examples/je-suis-etudiant.safetensors");

test("a trace from the disk is shown, and says what needs the model", async ({ page, scope }) => {
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(example);
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.origin).toHaveAttribute("data-origin", "recorded");
  await expect(page.getByTestId("device-name")).toHaveText("Recorded pass");
  await expect(page.getByTestId("input")).toHaveValue("Je suis étudiant");
  await expect(scope.translation).toHaveText("I'm a student.");
  await expect(page).toHaveURL(/model=mine-[0-9a-f]{12}/);
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);

  const [layer, head, query, key] = [1, 3, 2, 1];
  await lookAt(page, { kind: "cross", layer: layer + 1, head: head + 1, cell: `${query + 1}.${key + 1}` });
  const pattern = readSafetensors(readFileSync(example)).arrays.get(`decoder.${layer}.cross.pattern`);
  const [, rows = 0, columns = 0] = pattern?.shape ?? [];
  const weight = pattern?.data[(head * rows + query) * columns + key] ?? NaN;
  await expect.poll(async () => Math.abs((await scope.number(scope.value)) - weight)).toBeLessThan(2e-4);

  // Another text would need the model; the pass stays.
  await page.getByTestId("input").fill("Bonjour");
  await page.getByTestId("run").click();
  await expect(scope.problem).toContainText("recorded pass");
  await expect(scope.translation).toHaveText("I'm a student.");
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);

  // A model that is there computes again.
  await scope.openModels();
  await page.getByTestId("model-translator").click();
  await scope.becomesLive();
});

test("the pass on screen is downloaded and opened again", async ({ page, scope }) => {
  await scope.openLive("text=Je%20suis%20%C3%A9tudiant.&off=cross.1.2");
  const shown = await scope.translation.textContent();
  const bytes = await takeTrace(page);
  const { arrays, metadata } = readSafetensors(bytes);
  expect(arrays.get("decoder.0.cross.pattern")?.shape[0]).toBe(8);
  expect(JSON.parse(metadata.trace ?? "").source.length).toBeGreaterThan(3);
  expect(JSON.parse(metadata.origin ?? "")).toMatchObject({ program: "Attention Scope", text: "Je suis étudiant." });
  expect(JSON.parse(metadata.edits ?? "[]")).toHaveLength(1);
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles({ name: "class.safetensors", mimeType: "", buffer: bytes });
  await expect(scope.origin).toHaveAttribute("data-origin", "recorded");
  await expect(scope.translation).toHaveText(shown ?? "");
  await expect(scope.modelsButton).toContainText("class");
  // The pass was edited, and every caption says so.
  await expect(scope.origin).toHaveText("Recorded with edits");
  await page.getByTestId("figure").getByTestId("export").click();
  await expect(page.getByTestId("export-caption")).toHaveValue(/Edits in the recorded pass: 1\./);
});

for (const [what, damage, words] of [
  ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 100), "trace.safetensors"],
  ["without a whole header", (bytes: Buffer) => bytes.subarray(0, 40), "trace.safetensors does not begin"],
] as const) {
  test(`a trace that is ${what} is refused, and the model stays`, async ({ page, scope }) => {
    await scope.openLive();
    const shown = await scope.translation.textContent();
    await scope.openModels();
    const buffer = Buffer.from(damage(readFileSync(example)));
    await page.getByTestId("mine-files").setInputFiles({ name: "trace.safetensors", mimeType: "", buffer });
    await expect(page.getByTestId("mine-problem")).toContainText(words);
    await page.getByTestId("models-close").click();
    await expect(scope.translation).toHaveText(shown ?? "");
    await expect(scope.origin).toHaveAttribute("data-origin", "live");
  });
}
