// Learning: chapters with addresses, stages with their numbers, what every number is made of.

import { share } from "../numbers";
import { expect, test, type Scope } from "../scope";
import { walk } from "../stages";

/** Opens a chapter whose numbers are the worked example's, which needs no model. */
const EXAMPLE = "tab=learn&follow=thinking-machines&lang=en";

test("a chapter is a link, with a way to the next and back", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.open("tab=learn");
  const chapter = page.getByTestId("chapter");
  await expect(chapter).toHaveAttribute("data-chapter", "start");
  const index = page.getByRole("navigation", { name: "Chapters" });
  const links = index.getByRole("link");
  await expect(links.first()).toHaveAttribute("aria-current", "page");
  for (const link of await links.all()) {
    expect(await link.getAttribute("href")).toContain("tab=learn");
  }
  if ((await links.count()) > 1) {
    await page.getByTestId("next-chapter").click();
    await expect(chapter).not.toHaveAttribute("data-chapter", "start");
    await page.goBack();
    await expect(chapter).toHaveAttribute("data-chapter", "start");
  }
});

test("the worked example reproduces the lecture's numbers", async ({ page, scope }) => {
  await scope.open(EXAMPLE);
  const stages = page.getByTestId("stages");
  await expect(stages).toHaveAttribute("data-stage", "scores");
  expect(await numbers(scope, "scores")).toEqual(["112.0", "96.0"]);
  await forward(scope, "scale");
  expect(await numbers(scope, "scaled_scores")).toEqual(["14.00", "12.00"]);
  await forward(scope, "softmax");
  expect(await numbers(scope, "weights")).toEqual(["0.881", "0.119"]);
  await forward(scope, "weigh");
  await forward(scope, "sum");
  await expect(matrix(scope, "head_output")).toContainText("1 × 64");
  await expect(page).toHaveURL(/stage=5/);
});

test("a score tells the products it is made of, by keyboard", async ({ page, scope }) => {
  await scope.open(EXAMPLE);
  await matrix(scope, "scores").getByRole("application").focus();
  await expect(page.getByTestId("made-value").first()).toHaveText("112.00");
  const products = page.getByTestId("made-products").first();
  await expect(products.locator(".made-product-row td")).toHaveCount(64);
  const cells = await products.locator(".made-product-row td").allTextContents();
  const sum = cells.reduce((total, cell) => total + Number(cell.replace("−", "-")), 0);
  expect(Math.abs(sum - 112)).toBeLessThan(0.1);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("made-value").first()).toHaveText("96.0000");
});

test("a weight tells its numerator and denominator", async ({ page, scope }) => {
  await scope.open(`${EXAMPLE}&stage=2`);
  await matrix(scope, "weights").getByRole("application").focus();
  // e^(14 − 14) over e^0 + e^(12 − 14).
  await expect(page.getByTestId("made-softmax")).toHaveText("1.0000 ÷ 1.1353 = 0.8808");
});

test("space plays the stages and arrows step through them", async ({ page, scope }) => {
  await scope.open(EXAMPLE);
  await expect(page.getByTestId("step-of")).toHaveText("Stage 1 of 5");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("step-of")).toHaveText("Stage 2 of 5");
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(page.getByTestId("step-of")).toHaveText("Stage 5 of 5");
});

test("the answer to a prompt is hidden until it is asked for", async ({ page, scope }) => {
  await scope.open(EXAMPLE);
  const prompt = page.getByTestId("prompt").first();
  await expect(prompt.getByText("0.88")).toBeHidden();
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("Thinking attends most to Thinking");
  await expect(prompt.getByText("0.88")).toBeVisible();
});

test("pair by pair and at once give the same numbers", async ({ page, scope }) => {
  await scope.open(EXAMPLE);
  const pairs = page.getByTestId("pairs");
  await pairs.getByTestId("pairs-done").fill("4");
  await expect
    .poll(async () => (await numbers(scope, "by-pair")).join())
    .toEqual((await numbers(scope, "at-once")).join());
  await pairs.getByTestId("pairs-done").fill("1");
  await expect.poll(() => numbers(scope, "by-pair")).toEqual(["112.0", "–", "–", "–"]);
});

test("every stage of the translator shows the numbers of the sentence on screen", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow&follow-all=1&kind=decoder");
  const stages = await walk(scope);
  expect(stages).toContain("mask");
  expect(stages).toContain("add-norm");
  expect(stages).not.toContain("rotate");
  await expect(page.getByText("on their way")).toHaveCount(0);
});

test("every stage of the sentence model shows its numbers, positions turned", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow&follow-all=1&model=sentences");
  const stages = await walk(scope);
  expect(stages).toContain("rotate");
  expect(stages).toContain("swiglu");
  expect(stages).not.toContain("add-norm");
  await expect(page.getByText("on their way")).toHaveCount(0);
});

test("the chapter begins with self-attention, and cross-attention has its own words", async ({ page, scope }) => {
  await scope.openLive("tab=learn&stage=1");
  const stages = page.getByTestId("stages");
  await expect(stages).toHaveAttribute("data-stage", "project");
  await expect(stages).toContainText("rows of all tokens");
  await scope.choice("Kind of attention", "Cross-attention").click();
  await expect(stages).toHaveAttribute("data-stage", "project-cross");
  await expect(stages).toContainText("encoder's output");
  await matrix(scope, "key").getByRole("application").focus();
  const value = share((await page.getByTestId("made-value").first().textContent()) ?? "");
  const sum = await page.getByTestId("sight").first().getByText(/Sum:/).textContent();
  expect(Math.abs(value - share(sum?.split("Sum:")[1]?.trim() ?? ""))).toBeLessThan(0.002);
});

test("an address that names a head and no kind is still of cross-attention", async ({ page, scope }) => {
  await scope.openLive("tab=learn&layer=0&head=2&stage=1");
  await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", "project-cross");
});

test("six stages come first; the others unfold, and an address that names one of them unfolds them", async ({ page, scope }) => {
  const stages = page.getByTestId("stages");
  const all = page.getByTestId("follow-all");
  await scope.openLive("tab=learn&chapter=follow&kind=encoder");
  expect(await walk(scope)).toEqual(["embed", "project", "scores", "softmax", "sum", "output"]);
  await expect(all).not.toBeChecked();
  await all.check();
  await expect(page).toHaveURL(/follow-all=1/);
  await expect(stages).toHaveAttribute("data-stage", "output");
  await page.getByTestId("step-forward").click();
  await expect(stages).toHaveAttribute("data-stage", "add-norm");
  await all.uncheck();
  await expect(stages).toHaveAttribute("data-stage", "output");
  await expect(page).not.toHaveURL(/follow-all/);
  // The fourth stage of all, which is not one of the six.
  await scope.openLive("v=2&tab=learn&chapter=follow&kind=encoder&stage=4");
  await expect(stages).toHaveAttribute("data-stage", "scale");
  await expect(all).toBeChecked();
});

test("the map opens at the head that the chapter follows", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow");
  await page.getByTestId("to-heads").click();
  await expect(scope.figureTitle).toContainText("Layer 1, head 1");
});

test("weights of the checkpoint make the query that the model computed", async ({ page, scope }) => {
  await scope.openLive("tab=learn&kind=encoder&stage=1");
  await matrix(scope, "query").getByRole("application").focus();
  const value = Number((await page.getByTestId("made-value").first().textContent())?.replace("−", "-"));
  const sum = page.getByTestId("sight").first().getByText(/Sum:/);
  const total = Number((await sum.textContent())?.split("Sum:")[1]?.trim().replace("−", "-"));
  expect(Math.abs(value - total)).toBeLessThan(0.002);
});

for (const [positions, bias] of [["none"], ["learned"], ["sinusoidal"], ["t5", "bias-t5"], ["alibi", "bias-alibi"]]) {
  test(`positions "${positions}" come in at their own stage, and nothing is turned`, async ({ page, scope }) => {
    await scope.openLive(`tab=learn&chapter=follow&follow-all=1&model=positions-${positions}`);
    const stages = await walk(scope);
    expect(stages[0]).toBe(bias === undefined ? `embed-${positions}` : "embed-bias");
    expect(stages).not.toContain("rotate");
    const scale = stages.indexOf("scale");
    expect(stages.slice(scale + 1, stages.indexOf("softmax"))).toEqual(bias === undefined ? ["mask"] : [bias, "mask"]);
    await expect(page.getByText("on their way")).toHaveCount(0);
  });
}

for (const positions of ["learned", "sinusoidal"]) {
  test(`a ${positions} position is added to the token's embedding`, async ({ page, scope }) => {
    await scope.openLive(`tab=learn&chapter=follow&model=positions-${positions}`);
    await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", `embed-${positions}`);
    await matrix(scope, "embedding").getByRole("application").focus();
    for (let column = 0; column < 3; column += 1) {
      await addsUp(scope);
      await page.keyboard.press("ArrowRight");
    }
  });
}

// Of the second of four heads ALiBi's slope is 1/16; what T5's buckets hold was learned.
for (const [model, stage, reason, slope] of [
  ["alibi", "bias-alibi", "bias at distance", 1 / 16],
  ["t5", "bias-t5", "bias of bucket", undefined],
] as const) {
  test(`what ${model} adds to the scaled scores is in what the mask acts on`, async ({ page, scope }) => {
    await scope.openLive(`tab=learn&model=positions-${model}&layer=0&head=1&cell=4.0&stage=5`);
    const stages = page.getByTestId("stages");
    await expect(stages).toHaveAttribute("data-stage", stage);
    await matrix(scope, "biased_scores").getByRole("application").focus();
    const sight = page.getByTestId("sight").first();
    const sums: string[] = [];
    for (let key = 0; key < 4; key += 1) {
      // Each short distance has a bucket of its own.
      await expect(sight).toContainText(`${reason} ${4 - key}`);
      const { text, terms } = await addsUp(scope);
      if (slope !== undefined) expect(terms[1]).toBeCloseTo(-slope * (4 - key), 3);
      sums.push(text);
      await page.keyboard.press("ArrowRight");
    }
    await forward(scope, "mask");
    await expect(stages.locator(".stage-text math").first()).toContainText("𝐵");
    await matrix(scope, "masked_scores").getByRole("application").focus();
    for (const sum of sums) {
      await expect(sight).toContainText(`${sum} stays`);
      await page.keyboard.press("ArrowRight");
    }
  });
}

test("formulas of models without a bias have none", async ({ page, scope }) => {
  await scope.open(`${EXAMPLE}&stage=1`);
  const formula = page.getByTestId("stages").locator(".stage-text math").first();
  await expect(formula).toContainText("softmax");
  await expect(formula).not.toContainText("𝐵");
  await expect(formula).not.toContainText("{");
});

test("LayerNorm makes every row's mean 0 and its standard deviation 1, BatchNorm does not", async ({
  page,
  scope,
}) => {
  await scope.openLive("tab=learn&chapter=norms&kind=encoder");
  await expect(matrix(scope, "normed").locator("svg")).toBeVisible();
  const prompt = page.locator('[data-prompt="predict-norm"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText(/has mean (0\.000|−?0\.000\d|< 0\.0001|> −0\.0001) and standard deviation 1\.000/);
  await scope.choice("Norm", "BatchNorm").click();
  await expect(prompt).not.toContainText(/standard deviation 1\.000/);
  await expect(page).toHaveURL(/norm=batch/);
});

test("the stream of a pre-norm model grows, and its length is read off the curve", async ({
  page,
  scope,
}) => {
  await scope.openLive("tab=learn&chapter=norms&model=sentences");
  const prompt = page.locator('[data-prompt="predict-stream"]');
  await prompt.getByText("Show the answer").click();
  const answer = prompt.getByText(/It begins with length/);
  await expect(answer).toBeVisible();
  const [, first = "", last = ""] = /length ([\d.]+) and ends with ([\d.]+)/.exec((await answer.textContent()) ?? "") ?? [];
  expect(Number(last)).toBeGreaterThan(Number(first));
  const plot = page.getByTestId("stream-plot");
  await plot.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(page.getByTestId("stream-plot-readout")).toContainText(first);
});

test("two matrices and two convolutions give the same", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=norms&kind=encoder");
  const [one, other] = [await numbers(scope, "by-matrices"), await numbers(scope, "by-convolution")];
  expect(one).toEqual(other);
  const result = page.getByTestId("convolution");
  await expect(result).toContainText("(2, 2, 6) → (4, 6) → (4, 12) → (4, 6) → (2, 2, 6)");
});

function matrix(scope: Scope, id: string) {
  return scope.page.locator(`[data-matrix="${id}"]`).first();
}

/** The numbers in the cells of a matrix. */
async function numbers(scope: Scope, id: string): Promise<string[]> {
  const cells = matrix(scope, id).locator("svg text");
  await expect(cells.first()).toBeVisible();
  return cells.allTextContents();
}

/** The number in sight is the sum of what it is said to be made of, each rounded to four decimals. */
async function addsUp(scope: Scope): Promise<{ text: string; terms: number[] }> {
  const sight = scope.page.getByTestId("sight").first();
  const values = sight.locator(".made-term-value");
  await expect(values).toHaveCount(2);
  const terms = (await values.allTextContents()).map(share);
  const text = (await sight.getByTestId("made-value").textContent()) ?? "";
  const sum = terms.reduce((total, term) => total + term, 0);
  expect(Math.abs(sum - share(text))).toBeLessThan(0.0002);
  return { text, terms };
}


/** To the next stage, which must be this one. */
async function forward(scope: Scope, stage: string): Promise<void> {
  await scope.page.getByTestId("step-forward").click();
  await expect(scope.page.getByTestId("stages")).toHaveAttribute("data-stage", stage);
}

test("the next chapter opens at its beginning", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow");
  await page.getByTestId("next-chapter").click();
  await expect(page.getByTestId("chapter")).not.toHaveAttribute("data-chapter", "follow");
  await expect(page.getByTestId("chapter").locator("h2").first()).toBeInViewport();
});

test("a chapter of several pages links them, in the index and above its title", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.open("tab=learn&chapter=positions");
  const chapter = page.getByTestId("chapter");
  const index = page.getByRole("navigation", { name: "Chapters" });
  await expect(index.locator("[aria-current]")).toHaveAttribute("data-testid", "positions");
  const pages = chapter.getByRole("navigation", { name: "Order and positions" });
  await expect(pages.getByRole("link")).toHaveText(["Order", "Positions"]);
  await expect(pages.locator("[aria-current]")).toHaveText("Positions");
  await pages.getByRole("link", { name: "Order" }).press("Enter");
  await expect(chapter).toHaveAttribute("data-chapter", "order");
  await expect(page).toHaveURL(/chapter=order/);
  await expect(page.getByTestId("test")).toHaveCount(0);
  await expect(page.getByTestId("test-elsewhere")).toHaveText("The chapter’s test: Positions");
  // Read when all of its pages are.
  const entry = index.getByRole("listitem").filter({ hasText: "Order and positions" });
  await page.getByTestId("chapter-done").check();
  await expect(entry.getByTestId("chapter-read")).toHaveCount(0);
  await page.getByTestId("next-chapter").click();
  await expect(chapter).toHaveAttribute("data-chapter", "positions");
  await page.getByTestId("chapter-done").check();
  await expect(entry.getByTestId("chapter-read")).toBeVisible();
  await page.getByTestId("chapter-done").uncheck();
  await expect(entry.getByTestId("chapter-read")).toHaveCount(0);
});

test("on a phone a bar says where one is, and opens the chapters", async ({ page, scope }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await scope.openLive("tab=learn&chapter=heads");
  const bar = page.getByTestId("chapter-bar");
  await expect(bar).toHaveText(/I\. The Transformer in ten steps\s*›\s*Many heads\s*5\/10/);
  const index = page.getByRole("navigation", { name: "Chapters" });
  await expect(index.getByTestId("lens")).toBeHidden();
  await bar.click();
  await expect(index.locator("[aria-current]")).toHaveAttribute("data-testid", "heads");
  await page.keyboard.press("Escape");
  await expect(index.getByTestId("lens")).toBeHidden();
  await bar.click();
  await index.getByTestId("lens").click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "lens");
  await expect(index.getByTestId("patching")).toBeHidden();
  await page.getByTestId("next-chapter").click();
  await expect(bar).toHaveText(/III\. What a head does, and whether it matters\s*›\s*Patching\s*4\/4/);
  // It stays in sight.
  await page.mouse.wheel(0, 3000);
  await expect(bar).toBeInViewport();
});

test("chapters that were read are marked, in this browser alone", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive("tab=learn&chapter=scale");
  const index = page.getByRole("navigation", { name: "Chapters" });
  const entry = index.getByRole("listitem").filter({ has: page.getByTestId("scale") });
  await expect(entry).toContainText("6 min");
  await page.getByTestId("chapter-done").check();
  await expect(entry.getByTestId("chapter-read")).toBeVisible();
  const address = page.url();
  await page.reload();
  await expect(entry.getByTestId("chapter-read")).toBeVisible();
  expect(page.url()).toBe(address);
  await page.getByTestId("chapter-done").uncheck();
  await expect(index.getByTestId("chapter-read")).toHaveCount(0);
});

test("the score row is asked about only where there is one", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow&follow-all=1&kind=encoder");
  const stages = page.getByTestId("stages");
  const prompt = page.locator('[data-prompt="predict-key"]');
  const asked: string[] = [];
  for (const stage of ["embed", "project", "scores", "scale", "softmax", "weigh", "sum"]) {
    await expect(stages).toHaveAttribute("data-stage", stage);
    if ((await prompt.count()) > 0) asked.push(stage);
    await page.getByTestId("step-forward").click();
  }
  expect(asked).toEqual(["scores", "scale", "softmax", "weigh"]);
});
