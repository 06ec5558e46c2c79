// Typing a sentence and watching the model answer.

import { expect, freshTest, test } from "../scope";
import { onRequest, put } from "../worker";

test("the lecture's sentence is translated live", async ({ scope }) => {
  await scope.openLive();
  await expect(scope.translation).toHaveText(/^I('m| am) a student/);
});

test("a typed sentence is translated, French or Chinese", async ({ scope }) => {
  await scope.openLive();
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await expect(scope.translation).toHaveText(/don't know|do not know/i);

  await scope.translate("我是学生。");
  await expect(scope.tokens).toContainText("学生");
  await expect(scope.translation).toHaveText(/student/i);
});

test("an example runs with a click", async ({ page, scope }) => {
  await scope.openLive();
  await scope.openTexts();
  await page.getByRole("button", { name: "我是学生。" }).click();
  await expect(scope.text).toHaveValue("我是学生。");
  await expect(scope.translation).toHaveText(/student/i);
});

test("the newest sentence wins", async ({ scope }) => {
  await scope.openLive();
  await scope.translate(`${"Je ne sais pas ce que tu veux. ".repeat(4)}`);
  await scope.translate("Je suis fatigué.");
  await expect(scope.tokens).toContainText("fatigu");
  await expect(scope.tokens).not.toContainText("veux");
  await scope.becomesLive();
});

test("beam search lists its hypotheses, best first", async ({ page, scope }) => {
  await scope.openLive();
  // Its numbers have their room already.
  const top = async () => (await page.getByTestId("model-map").boundingBox())?.y;
  const before = await top();
  await scope.search("Beam");
  await expect(page.getByTestId("beam-width")).toBeVisible();
  expect(await top()).toBe(before);
  const rows = page.getByTestId("hypotheses").locator("tr");
  await expect(rows).toHaveCount(4);
  await page.getByTestId("hypotheses-popover").locator("summary").click();
  await expect(rows.first()).toBeVisible();
  const scores = (await rows.locator("td:first-child").allTextContents()).map((text) =>
    Number(text.replace("−", "-")),
  );
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));

  await scope.openSearch();
  const width = page.getByTestId("beam-width");
  await width.fill("2");
  await width.press("Enter");
  await expect(rows).toHaveCount(2);

  // What is shown is what is used.
  await width.fill("99");
  await width.press("Enter");
  await expect(width).toHaveValue("8");
  const alpha = page.getByTestId("length-penalty");
  await alpha.fill("9");
  await alpha.press("Enter");
  await expect(page).toHaveURL(/alpha=2(&|$)/);
  await expect(page.getByTestId("length-penalty")).toHaveValue("2");
});

freshTest("the page keeps answering while the model runs", async ({ page, scope }) => {
  // A pass of three seconds, in which nothing interrupts the worker.
  await put(page, onRequest(`if (request.run?.text.startsWith("Tu")) {
    const end = performance.now() + 3_000;
    while (performance.now() < end);
  }`));
  await scope.openLive();
  await scope.translate("Tu dors.");
  const cancel = page.getByTestId("cancel");
  await expect(cancel).toBeVisible();
  await scope.inspect("Next word");
  await scope.inspect("Heatmap");
  await expect(scope.heatmap).toBeVisible();
  // It still runs: none of this has waited for it.
  await expect(cancel).toBeVisible();
  await expect(scope.tokens).toContainText("dors");
});
