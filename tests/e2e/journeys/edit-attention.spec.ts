// Weights of attention that are given: by a slider, a number, buttons and keys, and what becomes of the text.

import { expect, test, type Scope } from "../scope";

/** The fourth step looks at the first word alone, with every head of the cross-attention. */
const ALL_PINNED = [0, 1, 2]
  .flatMap((layer) => Array.from({ length: 8 }, (_, head) => `cross.${layer}.${head}.3.0.1000`))
  .join("-");

const places = (scope: Scope) => ({
  bar: scope.page.getByTestId("edit-bar"),
  editor: scope.page.getByTestId("cell-editor"),
  number: scope.page.getByTestId("cell-number"),
  rule: scope.page.getByTestId("row-rule"),
  mark: scope.page.getByTestId("edited-mark"),
  summary: scope.page.getByTestId("effect-summary"),
  weights: scope.page.getByTestId("weight"),
});

test("a query is pinned to a key, undone and done again", async ({ page, scope }) => {
  await scope.openLive("show=claim&tool=weight&cell=3.0");
  const { bar, editor, mark, rule, summary } = places(scope);
  const own = (await scope.value.textContent()) ?? "";
  await expect(rule).toContainText("the row sums to 1");
  await editor.getByRole("button", { name: "Pin" }).click();
  await expect(page).toHaveURL(/weights=cross\.2\.4\.4\.1\.1000(&|$)/);
  await expect(mark).toHaveText("1 weight given");
  await expect(scope.value).toHaveText("1.0000");
  await expect(rule).toContainText("share 0");
  await expect(summary).toContainText(/changes by .*\.$/);

  await page.getByTestId("undo").click();
  await expect(mark).toBeHidden();
  await expect(scope.value).toHaveText(own);
  await expect(page).not.toHaveURL(/weights=/);
  await page.getByTestId("redo").click();
  await expect(mark).toHaveText("1 weight given");
  await expect(scope.value).toHaveText("1.0000");
  await page.getByTestId("release-weight").click();
  await expect(mark).toBeHidden();
  await expect(bar).toHaveCount(0);
});

test("a weight is typed; what cannot be is refused with the reason", async ({ page, scope }) => {
  await scope.openLive("cell=3.0");
  const { editor, mark, number } = places(scope);
  const refused = editor.getByTestId("edit-refused");
  await number.fill("2");
  await number.press("Enter");
  await expect(refused).toContainText("from 0 to 1");
  await expect(mark).toBeHidden();
  await number.fill("0.4");
  await number.press("Enter");
  await expect(refused).toBeEmpty();
  await expect(scope.value).toHaveText("0.4000");
  await expect(number).toHaveValue("0.400");

  // Another key of the same row: both together are more than one.
  await scope.heatmap.focus();
  await page.keyboard.press("ArrowRight");
  await number.fill("0.7");
  await number.press("Enter");
  await expect(refused).toContainText("sum to more than 1");
  await expect(mark).toHaveText("1 weight given");
  await number.fill("0.6");
  await number.press("Enter");
  await expect(mark).toHaveText("2 weights given");
  await expect(scope.value).toHaveText("0.6000");
});

test("by keyboard: a key is forbidden, and allowed again", async ({ page, scope }) => {
  await scope.openLive("cell=3.0");
  const { mark } = places(scope);
  const own = (await scope.value.textContent()) ?? "";
  await scope.heatmap.focus();
  await page.keyboard.press("a");
  await expect(page).toHaveURL(/weights=[^&]*\.1000(&|$)/);
  // The letter that presents is another one, and presents wherever the focus is.
  await expect(page).not.toHaveURL(/present=1/);
  await page.keyboard.press("p");
  await expect(page).toHaveURL(/present=1/);
  await page.keyboard.press("p");
  await expect(page).not.toHaveURL(/present=1/);
  await page.keyboard.press("Control+z");
  await expect(scope.value).toHaveText(own);
  await page.keyboard.press("f");
  await expect(scope.value).toHaveText("0.0000");
  await expect(mark).toHaveText("1 weight given");
  await expect(scope.heatmap).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(scope.value).toHaveText(own);
  await page.keyboard.press("Control+Shift+Z");
  await expect(scope.value).toHaveText("0.0000");
  await page.keyboard.press("Delete");
  await expect(scope.value).toHaveText(own);
});

test("a link restores the list; what does not fit is kept and marked", async ({ page, scope }) => {
  await scope.openLive("show=claim&tool=weight&weights=cross.1.3.3.0.1000._mine-cross.1.3.3.99.500-cross.7.0.0.0.500");
  const { mark, weights } = places(scope);
  await expect(weights).toHaveCount(3);
  await expect(weights.nth(0).getByTestId("weight-idle")).toBeEmpty();
  await expect(weights.nth(0).getByRole("textbox")).toHaveValue("mine");
  await expect(weights.nth(1).getByTestId("weight-idle")).toContainText("no such key");
  await expect(weights.nth(2).getByTestId("weight-idle")).toContainText("no such head");
  await expect(scope.problem).toBeHidden();
  await weights.nth(1).getByRole("button", { name: /^Remove/ }).click();
  await weights.nth(0).getByRole("switch").uncheck();
  await expect(mark).toBeHidden();
  await expect(page).toHaveURL(/weights=cross\.2\.4\.4\.1\.1000\.off\._mine-cross\.8/);
  await weights.nth(0).getByRole("switch").check();
  await expect(mark).toHaveText("1 weight given");
});

test("a step whose heads all look at the first word writes another word", async ({ scope }) => {
  await scope.openLive(`show=claim&tool=weight&weights=${ALL_PINNED}`);
  const { mark, summary } = places(scope);
  await expect(mark).toHaveText("24 weights given");
  await expect(summary).toContainText("Another text");
  await expect(scope.translation).not.toHaveText("I am a student.");
});

test("in the lines a click locks a line, keys change its weight, and every view marks what was given", async ({
  page,
  scope,
}) => {
  await scope.openLive("show=lines");
  const { editor, mark } = places(scope);
  const lines = page.getByTestId("lines");
  const strongest = lines.locator(".lines-hits path").last();
  const [query, key] = [await strongest.getAttribute("data-query"), await strongest.getAttribute("data-key")];
  // The address counts from 1.
  const one = (place: string | null) => Number(place) + 1;
  await strongest.dispatchEvent("click");
  await expect(page).toHaveURL(new RegExp(`cell=${one(query)}\\.${one(key)}`));
  await expect(editor).toBeVisible();
  const token = lines.locator(".lines-token[role=button]").nth(Number(query));
  await token.focus();
  await page.keyboard.press("f");
  await expect(scope.value).toHaveText("0.0000");
  await expect(page.getByTestId("readout")).toContainText("Given by you");
  await expect(lines.locator(`.lines-strokes path.given[data-query="${query}"][data-key="${key}"]`)).toHaveCount(1);
  await expect(page.getByTestId("given-note")).toContainText("(1)");
  await expect(token).toBeFocused();
  await scope.choice("Inspector", "Heatmap").click();
  await expect(page.getByTestId("mark-given")).toHaveCount(1);
  await page.getByTestId("undo").click();
  await expect(mark).toBeHidden();
  await expect(page.getByTestId("mark-given")).toHaveCount(0);
  await expect(page.getByTestId("given-note")).toBeHidden();
});

test("the alignment of a recurrent translator is changed, and the context vector moves", async ({ page, scope }) => {
  await scope.openLive("model=recurrent-bahdanau&show=claim&tool=weight&cell=1.0");
  const { editor, mark } = places(scope);
  await editor.getByRole("button", { name: "Pin" }).click();
  await expect(mark).toHaveText("1 weight given");
  await expect(scope.value).toHaveText("1.0000");
  await expect(page.getByTestId("effect-summary")).toContainText(/changes by/);
});
