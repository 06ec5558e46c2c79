// The chapter on sizes: a calculator that needs no model, whose every number is in the address.

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=sizes";

test("the paper's base and big models, and where their parameters are", async ({ page, scope }) => {
  await scope.open(chapter);
  const total = page.getByTestId("sizes-total");
  await expect(total).toHaveText("63,119,496 ≈ 63.1 M");
  await expect(page.getByTestId("sizes-published")).toContainText("65,000,000");
  const embedding = page.getByTestId("sizes-parts").getByRole("row", { name: /embedding/ });
  await expect(embedding).toContainText("18,944,000");
  await expect(embedding).toContainText("30.0 %");
  await page.locator('[data-choice="paper-big"]').click();
  await expect(total).toHaveText("214,282,376 ≈ 214 M");
  await expect(page).toHaveURL(/sizes-d=1024/);
});

test("today's models have exactly as many parameters as published", async ({ page, scope }) => {
  await scope.open(chapter);
  for (const [word, count] of [
    ["gpt-2-small", "124,439,808"],
    ["llama-2-7b", "6,738,415,616"],
    ["llama-3-8b", "8,030,261,248"],
    ["llama-3.2-1b", "1,235,814,400"],
    ["qwen-3-0.6b", "596,049,920"],
  ]) {
    const preset = page.locator(`[data-choice="${word}"]`);
    await preset.click();
    await expect(preset).toHaveAttribute("aria-pressed", "true");
    await expect(page.getByTestId("sizes-total")).toContainText(String(count));
    await expect(page.getByTestId("sizes-published")).toContainText(String(count));
  }
});

test("BERT's segments, norm of embeddings and output layer are counted", async ({ page, scope }) => {
  await scope.open(chapter);
  await page.locator('[data-choice="bert-base"]').click();
  await expect(page.getByTestId("sizes-total")).toContainText("109,514,298");
  await expect(page.getByTestId("sizes-published")).toContainText("110,000,000");
  await expect(scope.choice("Architecture", "Encoder-only (BERT)")).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByTestId("sizes-groups")).toHaveCount(0);
});

test("GPT-2 small has two matrices, four times as wide as the model, and learned positions", async ({
  page,
  scope,
}) => {
  await scope.open(chapter);
  await page.locator('[data-choice="gpt-2-small"]').click();
  await expect(page).toHaveURL(/sizes-family=gpt-2/);
  await expect(page.getByTestId("sizes-inner")).toHaveValue("3072");
  await expect(page.getByTestId("sizes-learned")).toHaveValue("1024");
  await expect(page.getByTestId("sizes-groups")).toHaveCount(0);
  // 12 · (2 · 768 · 3072 + 3072 + 768).
  const feedForward = page.getByTestId("sizes-parts").getByRole("row", { name: /feed-forward/ });
  await expect(feedForward).toContainText("56,669,184");
});

test("a number of one's own is counted, and the address keeps it", async ({ page, scope }) => {
  await scope.open(chapter);
  await page.locator('[data-choice="llama-3-8b"]').click();
  await page.getByTestId("sizes-groups").fill("32");
  await page.getByTestId("sizes-groups").press("Enter");
  await expect(page.getByTestId("sizes-total")).toContainText("8,835,567,616");
  await expect(page.locator('[data-choice="llama-3-8b"]')).toHaveAttribute("aria-pressed", "false");
  await expect(page).toHaveURL(/sizes-groups=32/);
  await page.getByTestId("sizes-tied").check();
  await expect(page.getByTestId("sizes-total")).toContainText("8,310,231,040");
});

test("sizes from which no model can be built are refused in words", async ({ page, scope }) => {
  await scope.open(chapter);
  const problem = page.getByTestId("sizes-problem");
  const heads = page.getByTestId("sizes-heads");
  await heads.fill("7");
  await heads.press("Enter");
  await expect(problem).toContainText("512 cannot be split evenly into 7 heads");
  await expect(page.getByTestId("sizes-total")).toBeEmpty();
  await heads.fill("");
  await heads.press("Enter");
  await expect(problem).toContainText("between 1 and 1024");
  await heads.fill("8");
  await heads.press("Enter");
  await expect(problem).toBeEmpty();
  await expect(page.getByTestId("sizes-total")).toContainText("63,119,496");
});

test("the quadratic term overtakes the other where the chapter says", async ({ page, scope }) => {
  await scope.open(`${chapter}&sizes-n=2048`);
  await expect(page.getByTestId("sizes-crossover")).toHaveText("3,418");
  const scores = page.getByTestId("sizes-terms").getByRole("row", { name: /n²d/ });
  await expect(scores).toContainText("37.5 %");
  await page.getByTestId("sizes-tokens").fill("48");
  await expect(page).toHaveURL(/sizes-n=4096/);
  await expect(scores).toContainText("54.5 %");
  const prompt = page.locator('[data-prompt="ask-crossover"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("From 3,418 tokens");
});

test("the model on screen is counted over the visitor's own sentence", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  await page.getByTestId("sizes-on-screen").click();
  await expect(page.locator('.lesson-choice[data-choice="sentences"]')).toHaveAttribute("aria-pressed", "true");
});
