// The chapter on recurrence, convolution and self-attention: stacks that play, formulas, times, and what mixes tokens.

import type { Locator, Page } from "@playwright/test";

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=layers";

test("the stacks play: a token a step, or a layer a step", async ({ page, scope }) => {
  await scope.open(chapter);
  const [recurrent, convolution, attention] = stacks(page);
  const computed = (stack: Locator): Locator => stack.getByTestId("stack-computed");
  const figure = page.getByTestId("stacks");
  await expect(figure.getByTestId("step-of")).toHaveText("After 0 of 10 steps");
  await expect(computed(recurrent)).toHaveText("Computed: 0 of 24 cells");
  await figure.getByTestId("step-forward").click();
  await expect(computed(recurrent)).toHaveText("Computed: 1 of 24 cells");
  await expect(computed(convolution)).toHaveText("Computed: 8 of 24 cells");
  await expect(computed(attention)).toHaveText("Computed: 8 of 24 cells");
  await page.keyboard.press("End");
  for (const stack of [recurrent, convolution, attention]) {
    await expect(computed(stack)).toHaveText("Computed: 24 of 24 cells");
  }
  await page.keyboard.press("Home");
  await expect(figure.getByTestId("step-of")).toHaveText("After 0 of 10 steps");
  await figure.getByTestId("play").click();
  await expect(figure.getByTestId("step-of")).toHaveText("After 1 of 10 steps", { timeout: 10_000 });
  await figure.getByTestId("play").click();
});

test("an output's receptive field and its path, by pointer and by keyboard", async ({ page, scope }) => {
  await scope.open(chapter);
  const [recurrent, convolution, attention] = stacks(page);
  const field = (stack: Locator): Locator => stack.getByTestId("stack-field");
  const way = (stack: Locator): Locator => stack.getByTestId("stack-way");
  await expect(field(convolution)).toHaveText("Output 8 depends on 7 of 8 inputs.");
  await expect(way(convolution)).toHaveText("No path leads from token 1 to this output.");
  await expect(way(recurrent)).toHaveText("Connections from token 1 to this output: 10.");
  await expect(way(attention)).toHaveText("Connections from token 1 to this output: 3.");

  await page.getByTestId("layers-k").fill("2");
  await expect(field(convolution)).toHaveText("Output 8 depends on 4 of 8 inputs.");
  await page.getByTestId("layers-dilated").check();
  await expect(page).toHaveURL(/layers-k=2&layers-dilated=1/);
  await expect(field(convolution)).toHaveText("Output 8 depends on 8 of 8 inputs.");
  await expect(way(convolution)).toHaveText("Connections from token 1 to this output: 3.");

  await recurrent.getByRole("button", { name: "Output 3" }).click();
  await expect(page).toHaveURL(/layers-output=3/);
  await expect(field(recurrent)).toHaveText("Output 3 depends on 3 of 8 inputs.");
  await expect(field(attention)).toHaveText("Output 3 depends on 8 of 8 inputs.");
  const other = attention.getByRole("button", { name: "Output 5" });
  await other.focus();
  await page.keyboard.press("Enter");
  await expect(other).toBeFocused();
  await expect(other).toHaveAttribute("aria-pressed", "true");
  await expect(field(convolution)).toHaveText("Output 5 depends on 5 of 8 inputs.");
});

test("in both directions every output has seen all tokens, and each layer waits", async ({ page, scope }) => {
  await scope.open(`v=2&${chapter}&layers-output=3`);
  const [recurrent] = stacks(page);
  await expect(recurrent.getByTestId("stack-field")).toHaveText("Output 3 depends on 3 of 8 inputs.");
  await page.getByTestId("layers-both").check();
  await expect(page).toHaveURL(/layers-both=1/);
  await expect(recurrent.getByTestId("stack-field")).toHaveText("Output 3 depends on 8 of 8 inputs.");
  await expect(page.getByTestId("stacks").getByTestId("step-of")).toHaveText("After 0 of 24 steps");
  await page.getByTestId("layers-both").uncheck();
  await expect(page).not.toHaveURL(/layers-both/);
});

test("gates by hand, and what they keep of a derivative", async ({ page, scope }) => {
  await scope.open(chapter);
  const values = page.getByTestId("gate-row").locator("strong");
  await expect(values).toHaveText(["0.848", "0.777", "0.963", "0.777", "0.848", "1.622", "0.719"]);
  const words = page.getByTestId("fading-words");
  // As PyTorch's autograd has it.
  await expect(words).toHaveText(/plain unit < 0\.0001, LSTM 1\.1499, .*, GRU 0\.0648\./);
  await page.getByTestId("gates").getByRole("button", { name: "GRU" }).click();
  await page.getByTestId("gates-h").fill("15");
  await expect(page).toHaveURL(/gates-of=gru&gates-h=-5/);
  await expect(values).toHaveText(["0.635", "0.940", "0.679", "0.681", "−0.429"]);
  await page.getByTestId("gates-keep").fill("40");
  await expect(words).toContainText("LSTM < 0.0001");
  await page.reload();
  await expect(values).toHaveCount(5);
});

test("three games measure the visitor, by keyboard too", async ({ page, scope }) => {
  await scope.open(chapter);
  const games = page.getByTestId("games");
  await games.getByTestId("start-game").press("Enter");
  const names = await games.getByTestId("cards").locator("li").evaluateAll((cards) => cards.map((card) => card.ariaLabel));
  const black = names.filter((name) => name?.endsWith("black")).map((name) => parseInt(name ?? "", 10));
  await expect(games.getByTestId("cards-sum")).toBeFocused();
  await page.keyboard.type(String(black.reduce((sum, number) => sum + number, 0)));
  await page.keyboard.press("Enter");
  await expect(games.getByTestId("cards-verdict")).toContainText("is right, after");
  await games.getByTestId("cards-red").fill(String(names.length - black.length));
  await page.keyboard.press("Enter");
  await expect(games.getByTestId("red-verdict")).toContainText(`There were ${names.length - black.length}.`);

  await games.getByRole("button", { name: "Find the 8" }).click();
  await expect(page).toHaveURL(/game-of=eight/);
  await games.getByTestId("start-game").press("Enter");
  const field = games.getByTestId("eight-field");
  await expect(field).toBeFocused();
  await page.keyboard.press("Enter");
  const place = (await field.locator(".game-digit").allTextContents()).indexOf("8");
  for (let row = 0; row < Math.floor(place / 14); row += 1) await page.keyboard.press("ArrowDown");
  for (let column = 0; column < place % 14; column += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(games.getByTestId("eight-verdict")).toHaveText(/^Found after .+ Wrong picks: 1\.$/);
  await games.getByTestId("next-round").click();
  await expect(page).toHaveURL(/game-round=2/);
  await expect(games.getByTestId("start-game")).toBeVisible();

  await games.getByRole("button", { name: "Count the passes" }).click();
  const scene = games.getByTestId("scene");
  const holder = async (): Promise<string> => /White player \d/.exec((await scene.getAttribute("aria-label")) ?? "")![0];
  let passes = 0;
  for (let step = 1; step <= 24; step += 1) {
    const before = await holder();
    await games.getByTestId("step-forward").click();
    await expect(games.getByTestId("step-of")).toHaveText(`${step} / 24`);
    passes += Number((await holder()) !== before);
  }
  await games.getByTestId("passes-count").fill(String(passes));
  await page.keyboard.press("Enter");
  await expect(games.getByTestId("passes-verdict")).toHaveText(`${passes} passes: right.`);
});

test("one layer by its formulas: operations, sequential steps and longest path", async ({ page, scope }) => {
  await scope.open(`${chapter}&counted-n=81&counted-d=100`);
  const row = (id: string): Locator => page.getByTestId(id);
  // 81 · 100² = 810,000 and 81² · 100 = 656,100.
  await expect(row("counted-recurrent")).toContainText("2·n·d² = 1,620,000");
  await expect(row("counted-recurrent")).toContainText("O(n): 81");
  await expect(row("counted-contiguous")).toContainText("k·n·d² = 2,430,000");
  await expect(row("counted-contiguous")).toContainText("O(n/k): 40");
  await expect(row("counted-dilated")).toContainText("O(logₖ n): 4");
  await expect(row("counted-pairs")).toContainText("2·n²·d = 1,312,200");
  await expect(row("counted-pairs")).toContainText("O(1): 1");
  await expect(row("counted-projections")).toContainText("4·n·d² = 3,240,000");
  await page.getByTestId("counted-n").fill("82");
  await page.getByTestId("counted-n").press("Enter");
  await expect(row("counted-dilated")).toContainText("O(logₖ n): 5");
  await expect(page).toHaveURL(/counted-n=82&counted-d=100/);

  const prompt = page.locator('[data-prompt="ask-crossing"]');
  await prompt.getByRole("textbox").fill("200");
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.getByTestId("prediction-verdict").locator(".right")).toBeVisible();
});

test("the layers are timed point by point, and what was timed stays after Cancel", async ({ page, scope }) => {
  test.setTimeout(120_000);
  await scope.open(chapter);
  const progress = page.getByTestId("timing-progress");
  const cells = page.getByTestId("times-table").locator("tbody td");
  await expect(cells).toHaveCount(0);
  await expect(page.getByTestId("cancel-timing")).toHaveCount(0);
  await page.getByTestId("time-layers").click();
  await expect(progress).toHaveText(/^Point [2-9] of 21: .+, n = \d+, d = \d+$/, { timeout: 30_000 });
  await page.getByTestId("cancel-timing").click();
  await expect(progress).toHaveText(/^\d+ of 21 points measured\.$/);
  await expect(cells.filter({ hasText: /\d \(.+–.+\)/ }).first()).toBeVisible();
  await expect(page.getByTestId("times-plot").locator("svg")).toBeVisible();

  await page.getByTestId("resume-timing").press("Enter");
  await expect(progress).toHaveText("21 of 21 points measured.", { timeout: 90_000 });
  await expect(page.getByTestId("resume-timing")).toHaveCount(0);
  await expect(page.getByTestId("cancel-timing")).toHaveCount(0);
  await expect(cells.filter({ hasText: /\d \(.+–.+\)/ })).toHaveCount(16);
  await scope.choice("Plotted against", "d, at n = 128").click();
  await expect(page).toHaveURL(/timed-by=d/);
  await expect(page.getByTestId("times-table").getByRole("rowheader", { name: "d = 256" })).toBeVisible();
  await expect(cells.filter({ hasText: /\d \(.+–.+\)/ })).toHaveCount(16);
  await expect(page.getByTestId("fit-table").locator("tbody tr")).toHaveCount(4);
});

test("a fully connected layer refuses another length, and attention has other weights", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&kind=encoder&layer=0&head=0`);
  const fixed = page.getByTestId("fixed-or-dynamic");
  const now = page.locator('[data-matrix="dynamic-now"] svg text');
  await expect(now.first()).toBeVisible();
  const tokens = Math.sqrt(await now.count());
  await page.getByTestId("fixed-n").fill(String(tokens));
  const weights = page.locator('[data-matrix="fixed-weights"] svg text');
  await expect(weights).toHaveCount(tokens * tokens);
  const before = await weights.allTextContents();
  const other = tokens === 2 ? 3 : tokens - 1;
  await page.getByTestId("fixed-n").fill(String(other));
  await expect(page.getByTestId("fixed-refused")).toContainText(`of length ${tokens}: it was made for length ${other}`);
  await expect(page).toHaveURL(new RegExp(`fixed-n=${other}`));
  await page.getByTestId("fixed-n").fill(String(tokens));
  await expect(weights).toHaveText(before);

  const text = await now.allTextContents();
  await fixed.getByTestId("layers-sentence").last().click();
  await scope.becomesLive();
  await expect.poll(async () => now.count()).not.toBe(tokens * tokens);
  await expect(page.locator('[data-matrix="dynamic-before"] svg text')).toHaveText(text);
});

test("the head as a kernel, and pooling as a limit of attention", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&kind=encoder&layer=0&head=0`);
  const kernel = page.getByTestId("kernel-of-head");
  await expect(page.getByTestId("kernel-weights")).toContainText(/kernel: [\d.]+(, [\d.]+){4}/);
  await expect(page.getByTestId("kernel-compared")).toContainText(/same numbers up to (0|[1-9]\.\d × 10⁻[⁵⁶⁷⁸⁹])/);
  await expect(kernel.locator('[data-matrix="kernel-band"] svg text').first()).toBeVisible();
  const pooled = page.locator('[data-matrix="pooled"] svg text');
  await expect(pooled).toHaveCount(20);
  const rows = async (): Promise<string[][]> => {
    const texts = await pooled.allTextContents();
    return [0, 1, 2, 3, 4].map((row) => texts.slice(4 * row, 4 * row + 4));
  };
  const [mean, even] = await rows();
  expect(even).toEqual(mean);
  await page.getByTestId("pool-by").fill("0");
  await expect(page).toHaveURL(/pool-by=0/);
  await expect.poll(async () => (await rows())[2]).toEqual(mean);
  await page.getByTestId("pool-by").fill("500");
  await expect.poll(async () => (await rows())[2]).not.toEqual(mean);
});

/** The recurrent stack, the convolutions and the stack of self-attention. */
function stacks(page: Page): [Locator, Locator, Locator] {
  const of = (layer: string): Locator => page.locator(`[data-testid="stack"][data-layer="${layer}"]`);
  return [of("recurrent"), of("convolution"), of("self-attention")];
}
