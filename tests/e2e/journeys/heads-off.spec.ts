// Switching heads off: what it does to the text, and what each head matters.

import { expect, freshTest, type Scope, test } from "../scope";
import { onRequest, put } from "../worker";

/** Every head of the translator's cross-attention: without them it does not know what it translates. */
const ALL_CROSS = [0, 1, 2]
  .flatMap((layer) => Array.from({ length: 8 }, (_, head) => `cross.${layer}.${head}`))
  .join("-");

/** Each score takes long enough to be cancelled. */
const SLOW_SCORES = onRequest(`if (request.ask?.question.text?.question.score) {
  const end = performance.now() + 100;
  while (performance.now() < end);
}`);

const places = (scope: Scope) => ({
  bar: scope.page.getByTestId("edit-bar"),
  count: scope.page.getByTestId("edit-count"),
  mark: scope.page.getByTestId("edited-mark"),
  summary: scope.page.getByTestId("effect-summary"),
  progress: scope.page.getByTestId("importance-progress"),
  bars: scope.page.locator(".head-change:visible"),
});

/** A change as the page writes it: in two decimals, or by its power of ten where those would be zeros. */
const CHANGE = /(?:< \+|> −|[−+])?(\d+\.\d{2,4})/.source;

/** The text is compared with the one before: said to be the same exactly if it is. */
async function isCompared(scope: Scope, before: string): Promise<void> {
  const { summary } = places(scope);
  await expect(summary).toContainText(new RegExp(`changes by ${CHANGE} nats\\.$`));
  const after = (await scope.translation.textContent()) ?? "";
  await expect(summary).toContainText(after === before ? /^The same text/ : /^Another text/);
}

async function overflow(scope: Scope): Promise<{ x: number; y: number }> {
  return scope.page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    return { x: scrollWidth - clientWidth, y: scrollHeight - clientHeight };
  });
}

test("a switch turns the chosen head off and on", async ({ page, scope }) => {
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  const { bar, count, mark } = places(scope);
  await scope.openTool("off");
  await expect(bar).toHaveCount(0);
  await expect(mark).toBeHidden();
  const toggle = page.getByRole("switch", { name: "Switch off" });
  await toggle.check();
  await expect(count).toHaveText("1 head off");
  await expect(mark).toHaveText("1 head off");
  await expect(scope.head("cross", 3, 4)).toHaveClass(/is-off/);
  await expect(scope.head("cross", 3, 4)).toHaveAccessibleName(/Layer 3, head 4 .*, switched off/);
  await isCompared(scope, before);
  await expect(page.getByTestId("effect-before")).toContainText("student");

  await page.getByRole("button", { name: "Switch on again: Layer 3, head 4" }).click();
  await expect(bar).toHaveCount(0);
  await expect(toggle).not.toBeChecked();
  await expect(mark).toBeHidden();
  await expect(page).not.toHaveURL(/off=/);
  await expect(scope.translation).toHaveText(before);
});

test("by keyboard, any set of heads, and back in the history", async ({ page, scope }) => {
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  const { count, mark } = places(scope);
  await scope.openTool("off");
  const head = scope.head("cross", 2, 4);
  await head.focus();
  await page.keyboard.press("x");
  await expect(mark).toHaveText("1 head off");
  await expect(head).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("x");
  await expect(mark).toHaveText("2 heads off");
  await isCompared(scope, before);
  await page.goBack();
  await expect(mark).toHaveText("1 head off");
  await expect(count).toHaveText("1 head off");
  await page.getByTestId("all-on").click();
  await expect(mark).toBeHidden();
  await expect(scope.translation).toHaveText(before);
});

test("heads that are chosen together are switched together", async ({ page, scope }) => {
  await scope.openLive("with=1.4");
  await scope.openTool("off");
  const { mark } = places(scope);
  const toggle = page.getByRole("switch", { name: "Switch these 2 off" });
  await toggle.check();
  await expect(mark).toHaveText("2 heads off");
  // With one of them on again, not all are off.
  await page.getByRole("button", { name: "Switch on again: Layer 2, head 5" }).click();
  await expect(mark).toHaveText("1 head off");
  await expect(toggle).not.toBeChecked();
  await scope.head("cross", 2, 5).focus();
  await page.keyboard.press("x");
  await expect(mark).toHaveText("2 heads off");
  await expect(toggle).toBeChecked();
  await page.keyboard.press("x");
  await expect(mark).toBeHidden();
  // A head that is not chosen is switched by itself.
  await scope.head("cross", 1, 1).focus();
  await page.keyboard.press("x");
  await expect(mark).toHaveText("1 head off");
});

test("without cross-attention the text is another; a link restores it", async ({ page, scope }) => {
  await scope.openLive(`show=claim&off=${ALL_CROSS}`);
  const { count, mark, summary } = places(scope);
  await expect(count).toHaveText("24 heads off");
  await expect(mark).toHaveText("24 heads off");
  await expect(summary).toContainText("Another text");
  await expect(scope.translation).not.toContainText("student");
  await expect(page.getByTestId("effect-before")).toContainText("student");
  await isCompared(scope, "I am a student.");
  // Every token of the text without edits has its change, and some lose much.
  const changes = page.getByTestId("effect-change").locator("td").filter({ hasText: /\d/ });
  const tokens = page.getByTestId("effect-before").locator("td").filter({ hasText: /./ });
  await expect(changes).toHaveCount(await tokens.count());
  await expect(page.locator(".effect .falls")).not.toHaveCount(0);

  const distributions = page.getByTestId("distributions");
  await expect(distributions).toContainText("Step 1");
  await expect(distributions.getByRole("row")).not.toHaveCount(1);
  await page.getByTestId("step-forward").click();
  await expect(distributions).toContainText("Step 2");

  const translation = (await scope.translation.textContent()) ?? "";
  await page.reload();
  await scope.becomesLive();
  await expect(mark).toHaveText("24 heads off");
  await expect(scope.translation).toHaveText(translation);
});

test("another sentence keeps the heads off, and is compared with itself", async ({ page, scope }) => {
  await scope.openLive("show=claim&off=cross.1.3");
  await scope.translate("Où est la bibliothèque ?");
  await expect(scope.tokens).toContainText("est");
  await scope.becomesLive();
  const { mark, summary } = places(scope);
  await expect(mark).toHaveText("1 head off");
  await expect(summary).toContainText("text");
  await expect(page.getByTestId("effect-before")).not.toContainText("student");
});

test("heads that a model lacks are kept, and marked", async ({ page, scope }) => {
  await scope.openLive("show=claim&off=cross.1.3");
  const { count, mark } = places(scope);
  await scope.chooseModel("sentences");
  await expect(page).toHaveURL(/model=sentences/);
  await expect(scope.thumbnails).toHaveCount(4 * 6);
  await scope.becomesLive();
  await expect(count).toHaveText("1 head off");
  await expect(page.getByTestId("edit")).toContainText("not in this model");
  await expect(mark).toBeHidden();
  await expect(scope.problem).toBeHidden();
  await scope.chooseModel("translator");
  await expect(scope.thumbnails).toHaveCount(3 * 3 * 8);
  await expect(mark).toHaveText("1 head off");
  await expect(page.getByTestId("edit")).not.toContainText("not in this model");
});

freshTest("the importance of every head, on the map and in the address", async ({ page, scope }) => {
  await scope.openLive();
  const { bars, progress } = places(scope);
  await scope.openTool("importance");
  await page.getByTestId("importance").click();
  await expect(progress).toContainText("72 of 72 heads", { timeout: 60_000 });
  await expect(progress).toContainText("Largest fall: Layer");
  await expect(bars).toHaveCount(72);
  await expect(scope.head("cross", 2, 4)).toHaveAccessibleName(new RegExp(`Δ log p ${CHANGE} nats$`));
  // What the head by itself does is what switching it off says.
  const told = /Δ log p (.*)$/.exec((await scope.head("cross", 2, 4).getAttribute("aria-label")) ?? "");
  await scope.head("cross", 2, 4).focus();
  await page.keyboard.press("x");
  await page.getByTestId("edits-effect").click();
  await expect(places(scope).summary).toContainText(`changes by ${told?.[1]}.`);
  // What the map shows leads to the tool that measures it.
  await page.getByTestId("shown-importance").click();
  await page.getByTestId("importance").click();
  await expect(bars).toHaveCount(0);
  await expect(page).not.toHaveURL(/importance=1/);
});

freshTest("the importance can be cancelled, what is known stays, and it goes on", async ({ page, scope }) => {
  await put(page, SLOW_SCORES);
  await scope.openLive("show=claim&tool=importance&importance=1");
  const { bars, progress } = places(scope);
  await expect(bars).not.toHaveCount(0);
  await page.getByTestId("stop-importance").click();
  await expect(page.getByTestId("resume-importance")).toBeVisible();
  // The one that is on its way may still come; while others came, nothing would be at rest.
  await scope.comesToRest();
  const known = await bars.count();
  expect(known).toBeLessThan(72);
  await expect(progress).toContainText(`${known} of 72 heads`);
  await page.getByTestId("resume-importance").click();
  await expect.poll(() => bars.count()).toBeGreaterThan(known);
  // A run comes first.
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
});

test("all of it is on one screen", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive("show=claim&tool=importance&off=cross.1.3-encoder.0.2&importance=1");
  const { count, progress } = places(scope);
  await expect(progress).toContainText("72 of 72 heads", { timeout: 60_000 });
  await expect(progress).toBeInViewport({ ratio: 0.9 });
  await expect(count).toBeInViewport({ ratio: 0.9 });
  await expect(scope.head("encoder", 1, 1)).toBeInViewport({ ratio: 0.9 });
  await expect(scope.head("decoder", 3, 8)).toBeInViewport({ ratio: 0.9 });
  expect((await overflow(scope)).y).toBeLessThanOrEqual(0);
});

test("a head that is off gives its mean instead of 0, which the address keeps", async ({ page, scope }) => {
  await scope.openLive("show=claim&off=cross.1.3");
  const { mark, summary } = places(scope);
  await expect(mark).toHaveText("1 head off");
  await expect(summary).toContainText(new RegExp(`changes by ${CHANGE} nats\\.$`));
  const zero = await summary.textContent();
  await scope.choice("What a head that is off gives", "Mean").click();
  await expect(page).toHaveURL(/off-by=mean/);
  await expect(mark).toHaveText("1 head at its mean");
  await expect(summary).not.toHaveText(zero ?? "");
  await expect(page.getByTestId("undo")).toBeVisible();
});

test("the game: heads go one by one, against taking them out by their importance", async ({ page, scope }) => {
  await scope.openLive();
  await scope.openTool("importance");
  await page.getByTestId("game").click();
  await expect(page).toHaveURL(/game=100/);
  const score = page.getByTestId("game-score");
  await expect(score).toContainText("Heads off: 0. The text is the same");
  await page.getByTestId("prune").click();
  const pruning = page.getByTestId("game-pruning");
  await expect(pruning).toContainText(/By importance, \d+ of 72 heads can go/, { timeout: 60_000 });
  await scope.openTool("off");
  await page.getByRole("switch", { name: "Switch off" }).check();
  await scope.openTool("importance");
  await expect(score).toContainText(/^Heads off: 1\. The text is (the same|whole|broken)/);
  await page.getByTestId("game").click();
  await expect(page.getByTestId("game-panel")).toHaveCount(0);
});

test("with all of cross-attention off the text is broken", async ({ page, scope }) => {
  await scope.openLive(`show=claim&tool=importance&game=50&off=${ALL_CROSS}`);
  await expect(page.getByTestId("game-score")).toContainText("Heads off: 24. The text is broken");
});

test("whatever the inspector shows, a line says what is off and undoes it", async ({ page, scope }) => {
  await scope.openLive();
  const { bar, count, mark } = places(scope);
  const line = page.getByTestId("edits-line");
  await expect(line).toHaveCount(0);
  await scope.head("cross", 2, 4).focus();
  await page.keyboard.press("x");
  await expect(line).toContainText("1 head off");
  for (const name of ["Lines", "Next word", "Heatmap"]) {
    await scope.inspect(name);
    await expect(count).toHaveText("1 head off");
  }
  await page.getByTestId("edits-effect").click();
  await expect(page.getByTestId("claim-off")).toBeVisible();
  await expect(bar).toBeVisible();
  await expect(line).toHaveCount(0);
  await scope.openTool("lens");
  await line.getByTestId("undo").click();
  await expect(mark).toBeHidden();
  await line.getByTestId("redo").click();
  await expect(mark).toHaveText("1 head off");
  await line.getByTestId("all-on").click();
  await expect(mark).toBeHidden();
});
