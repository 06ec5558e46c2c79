// Pictures that are drawn step by step: played, stepped, scrubbed, by pointer and by keyboard, without motion where the
// visitor wants none.

import type { Locator } from "@playwright/test";

import { power } from "../numbers";
import { expect, test } from "../scope";

/** The running animations of the picture's marks. */
function moving(figure: Locator): Promise<number> {
  return figure.evaluate((element) => element.getAnimations({ subtree: true }).length);
}

test("one layer on one page, step by step", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=heads&kind=encoder&layer=2&head=3");
  const figure = page.getByTestId("whole-layer");
  await expect(figure).toHaveAttribute("data-step", "1");
  await expect(figure.getByRole("img")).toHaveAttribute("aria-label", /^Step 1 of 9: x, the vector of/);
  await figure.getByTestId("step-forward").click();
  await expect(page).toHaveURL(/heads-step=2/);
  await expect(figure.locator(".staged-vector.is-new")).toHaveCount(24);
  await figure.getByTestId("scrubber").fill("3");
  await expect(figure.getByTestId("step-of")).toHaveText(/Head 3 takes most from “.+”: \d+ ?%\.$/);
  await page.keyboard.press("End");
  await expect(figure).toHaveAttribute("data-step", "9");
  await expect(figure.locator(".is-later")).toHaveCount(0);
  await figure.getByTestId("export").click();
  await expect(page.getByTestId("export-preview")).toBeVisible();
  await page.getByTestId("export-close").click();
});

test("what a step brings arrives with motion, or at once", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=heads&kind=encoder&layer=2&head=3");
  const figure = page.getByTestId("whole-layer");
  await figure.getByTestId("step-forward").click();
  await expect(figure.locator(".is-new").first()).toBeAttached();
  expect(await moving(figure)).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await figure.getByTestId("step-forward").click();
  await expect(figure).toHaveAttribute("data-step", "3");
  expect(await moving(figure)).toBe(0);
  await page.emulateMedia({ reducedMotion: null });
});

test("tokens exchange lines at the block of attention that is played", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await scope.openLive();
  await page.getByTestId("play-model").click();
  const scrubber = page.getByTestId("map-scrubber");
  // The third block of the translator is its first self-attention.
  await scrubber.fill("3");
  await expect(page.getByTestId("play-model")).toContainText("Play");
  const exchange = page.getByTestId("map-exchange");
  await expect(exchange.locator(".exchange-line").first()).toBeAttached();
  await expect(page.getByTestId("exchange-words")).toHaveText(
    /layer 1, mean over the heads \(h = 8\): “.+” takes most from “.+”, \d+ ?%\./,
  );
  await scrubber.focus();
  await page.keyboard.press("ArrowRight");
  await expect(exchange.locator(".exchange-line")).toHaveCount(0);
  await page.keyboard.press("ArrowLeft");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expect(exchange.locator(".exchange-line").first()).toBeAttached();
  expect(await moving(exchange)).toBe(0);
  await page.emulateMedia({ reducedMotion: null });
});

test("the Universal Transformer, pass by pass", async ({ page, scope }) => {
  test.slow();
  await scope.openLive("v=2&model=universal&text=Je+ne+sais+pas+ce+que+tu+veux.&tab=learn&chapter=universal&kind=encoder");
  const figure = page.getByTestId("passes-played");
  await expect(figure.getByTestId("step-of")).toHaveText("Before the first pass (of 4): the inputs.");
  await figure.getByTestId("step-forward").click();
  await expect(page).toHaveURL(/halt-pass=1/);
  await expect(figure.getByTestId("step-of")).toHaveText(/^Pass 1 of 4\. Still at work: (\d+) of \1\./);
  await figure.getByTestId("scrubber").fill("5");
  await expect(figure.getByTestId("step-of")).toHaveText(/^Pass 4 of 4\. Still at work: 0 of/);
});

test("RoPE turns the query from position to position", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=positions&way=rope&m=2&n=5");
  const figure = page.getByTestId("turn");
  await expect(figure.getByTestId("step-of")).toContainText("m = 2, n = 5");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await figure.getByTestId("step-forward").click();
  await expect(page).toHaveURL(/m=3/);
  await expect(figure.getByTestId("step-of")).toContainText("m = 3, n = 5");
  const score = (await figure.getByTestId("turned-score").textContent()) ?? "";
  await expect(figure.getByTestId("relative-score")).toHaveText(score);
  await page.emulateMedia({ reducedMotion: null });
});

test("a query and its keys as arrows", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=scale&kind=encoder&layer=2&head=3");
  const figure = page.getByTestId("arrows");
  await expect(figure.getByTestId("step-of")).toHaveText(/^The query q\. Its length is/);
  await figure.getByTestId("step-forward").click();
  await expect(page).toHaveURL(/scale-key=2/);
  // The score is the product of the lengths and the cosine.
  const words = ((await figure.getByTestId("step-of").textContent()) ?? "").replaceAll("−", "-");
  const [, q, k, cosine, score] = /= ([\d.]+) · ([\d.]+) · (-?[\d.]+) = (-?[\d.]+)\./.exec(words)?.map(Number) ?? [];
  expect(Math.abs((q ?? NaN) * (k ?? NaN) * (cosine ?? NaN) - (score ?? NaN))).toBeLessThan(0.05);
  await page.keyboard.press("End");
  await expect(figure.locator(".staged-vector")).toHaveCount(Number(await figure.getAttribute("data-step")) - 1);
});

test("a token's vector on its way through the stack", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=norms&kind=encoder");
  const figure = page.getByTestId("way");
  await expect(figure.getByTestId("step-of")).toHaveText(/^The embedding\. The two directions have \d+ ?% and \d+ ?%/);
  await figure.getByTestId("step-forward").click();
  await expect(page).toHaveURL(/stage=2/);
  await expect(figure.getByTestId("step-of")).toContainText("After the self-attention of layer 1.");
  await page.keyboard.press("End");
  await expect(figure).toHaveAttribute("data-step", "7");
  await expect(figure.locator(".staged-point")).toHaveCount(6);
});

test("a gradient flows back from the loss, and vanishes without residual connections", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=norms&kind=encoder");
  const figure = page.getByTestId("back-picture");
  // Six layers of three places, the embeddings and the loss.
  await expect(figure).toHaveAttribute("data-step", "20");
  const factors = async (): Promise<number[]> => {
    const words = (await page.getByTestId("back-arrives").textContent()) ?? "";
    const found = [...words.matchAll(/\d+(\.\d+)?( × 10⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?/g)];
    return found.map(([number]) => power(number));
  };
  const [residual, plain] = await factors();
  expect(residual).toBeGreaterThan(0.1);
  expect(plain).toBeLessThan((residual ?? 0) / 100);
  await expect(figure.locator(".staged-point")).toHaveCount(19);
  await figure.getByTestId("scrubber").fill("1");
  await expect(page).toHaveURL(/back-step=1/);
  await expect(figure.getByTestId("step-of")).toContainText("The loss: ");
  await expect(figure.locator(".staged-point")).toHaveCount(0);
  await figure.getByTestId("step-forward").click();
  await expect(figure.getByTestId("step-of")).toContainText("Layer 6: ");
  await expect(figure.locator(".staged-point")).toHaveCount(1);

  await page.getByTestId("back-layers").fill("12");
  await expect(page).toHaveURL(/back-layers=12/);
  await expect.poll(async () => (await factors())[1]).toBeLessThan((plain ?? 0) / 100);
  await page.getByTestId("back").getByRole("button", { name: "pre-norm" }).click();
  await expect(page).toHaveURL(/back-norm=pre/);
  await expect(figure.getByTestId("step-of")).toContainText("Layer 12: ");
});

test("from an average of the past to attention", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=masks&kind=encoder");
  const figure = page.getByTestId("triangle");
  await expect(figure.getByTestId("step-of")).toContainText("Step 1 of 4");
  await figure.getByTestId("scrubber").fill("3");
  await expect(page).toHaveURL(/mask-average=3/);
  await expect(figure.getByTestId("step-of")).toContainText("the same matrix");
  await figure.getByTestId("step-forward").click();
  await expect(figure.getByTestId("step-of")).toHaveText(/\d+ ?% of the weight lies elsewhere\.$/);
});

test("what GPT, BERT and the model on screen keep", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=sizes");
  const figure = page.getByTestId("kept-parts");
  const dropped = figure.locator("rect[stroke-dasharray]");
  await expect(dropped).toHaveCount(0);
  await figure.getByTestId("step-forward").click();
  await expect(dropped).toHaveCount(4);
  await figure.getByTestId("step-forward").click();
  await expect(dropped).toHaveCount(5);
  await page.keyboard.press("End");
  await expect(figure.getByTestId("step-of")).toHaveText("The model on screen. Parts that it keeps: 8 of 8.");
});
