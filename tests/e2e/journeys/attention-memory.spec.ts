// The chapter on attention and memory: what decoding keeps, and softmax in blocks.

import { expect, test } from "../scope";

test("a cache computes every cell once, and the address keeps the step", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=memory&model=sentences&text=She+lost+the&kept-step=3");
  const figure = page.getByTestId("times-computed");
  await expect(figure).toHaveAttribute("data-step", "3");
  await expect(figure).toContainText("Scores computed so far: 6 with a cache, 10 without.");
});

test("decoding is timed with and without a cache", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=memory&model=sentences&text=She+lost+the");
  await page.getByTestId("measure-decoding").click();
  const figure = page.getByTestId("decoding-times");
  await expect(figure.getByRole("status").first()).toHaveText("64 of 64", { timeout: 60_000 });
  await expect(page.getByTestId("decoding-reading")).toContainText("ms without");
  // 4 layers, a key and a value for each of 6 heads of width 32, 4 bytes.
  await expect(page.getByTestId("kept-bytes")).toContainText("= 6,144 bytes for a token");
});

test("the bytes that are kept grow with every token, by heads of keys", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=memory&model=sentences&text=She+lost+the");
  const plot = page.getByTestId("kept-bytes-plot");
  for (const heads of [6, 3, 2, 1]) await expect(plot).toContainText(`heads of keys: ${heads}`);
});

test("averaging keys and values to fewer heads lowers log p of 100 sentences", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=memory&model=sentences&text=She+lost+the");
  const rows = page.getByTestId("grouped-table").locator("tr[data-trained=false]");
  await expect(rows).toHaveCount(4);
  await page.getByTestId("measure-groups").click();
  await expect(rows.last().locator("td").nth(1)).toHaveText("100", { timeout: 120_000 });
  // The numbers that the text names, here to two decimals.
  for (const [index, perplexity] of ["26.71", "36.96", "50.59", "125.08"].entries()) {
    await expect(rows.nth(index).locator("td").nth(3)).toHaveText(perplexity);
  }
});

test("the model trained on with one head of keys reads them too, in an engine of its own", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=memory&model=sentences&text=She+lost+the");
  const cells = page.getByTestId("grouped-table").locator("tr[data-trained=true] td");
  await expect(cells.nth(3)).toHaveText("–");
  await page.getByTestId("measure-trained").click();
  await expect(cells.nth(1)).toHaveText("100", { timeout: 120_000 });
  // The number that the text names, here to two decimals.
  await expect(cells.nth(3)).toHaveText("28.11");
  // The model on screen stays.
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", "She lost the");
  await scope.openLive("tab=learn&chapter=memory&model=sentences-shared&text=She+lost+the");
  await expect(page.getByTestId("measure-trained")).toHaveCount(0);
  await expect(page.getByTestId("kept-bytes")).toContainText("= 1,024 bytes for a token");
});

test("short vectors give the scores that keys give", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=memory&model=sentences&text=She+lost+the");
  await expect(page.getByTestId("latent-kept")).toContainText("2 numbers instead of 8");
});

test("softmax in blocks ends at the whole row's, and blocks move fewer bytes", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=flash&model=sentences&text=She+lost+the+keys&flash-block=1&flash-step=1");
  await expect(page.getByTestId("flash-difference")).toContainText("Keys are still unread.");
  await scope.openLive("v=2&tab=learn&chapter=flash&model=sentences&text=She+lost+the+keys&flash-block=1&flash-step=99");
  await expect(page.getByTestId("flash-difference")).toContainText("All keys are read.");
  // The difference is as small as rounding makes it.
  await expect(page.getByTestId("flash-difference")).toHaveText(/softmax: (0|[\d.]+\s×\s10⁻[⁶⁷⁸⁹])\.$/);
  const rows = page.getByTestId("flash-bytes").locator("tbody tr");
  // 4 · 2048 · 32 + 4 · 2048² numbers of 2 bytes, and 2 · 2048 · 32 · (1 + 16).
  await expect(rows.first()).toContainText("34,078,720");
  await expect(rows.last()).toContainText("4,456,448");
});
