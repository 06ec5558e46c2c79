// The second model: decoder-only, with RoPE.

import { expect, test } from "../scope";

test("the sentence model goes on with what is typed", async ({ page, scope }) => {
  await scope.openLive();
  await scope.chooseModel("sentences");
  await scope.becomesLive();
  // It has one kind of attention, in four layers of six heads.
  await expect(scope.thumbnails).toHaveCount(4 * 6);
  await expect(page.getByRole("button", { name: "Cross-attention" })).toHaveCount(0);
  // Its own example is unfinished, and how it goes on is the visitor's choice.
  await expect(scope.translation).toHaveText(/she was a/);
  await scope.search("Sampling");
  await expect(page).toHaveURL(/sampling=/);
  await scope.search("Greedy");

  // A sentence that has ended leaves it nothing to add.
  await scope.translate("The animal didn't cross the street.");
  await expect(page.getByTestId("empty-answer")).toContainText("end of the text");

  await scope.translate("I don't know what");
  await expect(scope.tokens).toContainText("know");
  await scope.becomesLive();
  await scope.inspect("Next word");
  await expect(page.getByTestId("step-self")).toBeVisible();
  await expect(page.getByTestId("step-cross")).toHaveCount(0);
});
