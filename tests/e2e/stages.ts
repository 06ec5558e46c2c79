// The stages of a chapter's figure.

import { expect, type Scope } from "./scope";

/** Through all stages, each with its matrices drawn; their names. */
export async function walk(scope: Scope): Promise<string[]> {
  const { page } = scope;
  // The figure follows the result: those of the model before have another count.
  await scope.comesToRest();
  const figure = page.getByTestId("stages");
  const words = page.getByTestId("step-of");
  await expect(words).toHaveText(/^Stage 1 of \d+$/);
  const count = Number((await words.textContent())?.split(" ").at(-1));
  const stages: string[] = [];
  for (let index = 1; index <= count; index += 1) {
    await expect(words).toHaveText(`Stage ${index} of ${count}`);
    stages.push((await figure.getAttribute("data-stage")) ?? "");
    for (const drawn of await figure.getByTestId("matrix").all()) {
      await expect(drawn.locator("svg")).toBeVisible();
    }
    if (index < count) await page.getByTestId("step-forward").click();
  }
  return stages;
}
