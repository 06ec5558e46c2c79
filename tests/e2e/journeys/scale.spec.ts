// The chapter on scaling: its figures compute in a worker of their own, and its state is in the address.

import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=scale";

test("the lecture's row: softmax with and without scaling, to the digit", async ({ page, scope }) => {
  await scope.open(chapter);
  const bars = page.getByTestId("softmax-bars");
  // 12 among [1, 2, 7, 12, 8, 5, 2, 1]: 0.9746 of the weight; divided by √64, 0.36 of it.
  await expect(bars).toHaveAttribute("aria-label", /softmax\(s\).* 12: 0\.975/);
  await page.getByTestId("scale-width").fill("8");
  await expect(page).toHaveURL(/scale-width=8/);
  await expect(bars).toHaveAttribute("aria-label", /softmax\(s \/ √8\).* 12: 0\.626/);
  const prompt = page.locator('[data-prompt="ask-weight"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("0.9746");
  await expect(prompt).toContainText("0.6261");
});

test("scores can be changed, and the address keeps them", async ({ page, scope }) => {
  await scope.open(chapter);
  const scores = page.getByTestId("score");
  await expect(scores).toHaveCount(8);
  for (const index of [3, 4]) {
    await scores.nth(index).fill("5");
    await scores.nth(index).press("Enter");
  }
  await expect(page).toHaveURL(/scale-row=1\.2\.7\.5\.5\.5\.2\.1/);
  const bars = page.getByTestId("softmax-bars");
  await expect(bars).toHaveAttribute("aria-label", /softmax\(s\) 1: 0\.002, 2: 0\.005, 7: 0\.7\d\d/);
  // What is no score is refused in place.
  await scores.nth(0).fill("1000");
  await scores.nth(0).press("Enter");
  await expect(scores.nth(0)).toHaveValue("99");
  await page.getByTestId("reset-row").click();
  await expect(scores.nth(3)).toHaveValue("12");
});

test("the variance of random products grows with their width, and stays at one when scaled", async ({
  page,
  scope,
}) => {
  await scope.open(chapter);
  const plot = page.getByRole("slider", { name: "Random queries and keys" });
  await expect(plot).toBeVisible();
  await plot.focus();
  await page.keyboard.press("End");
  const reading = page.getByTestId("random-variance-readout");
  await expect(reading).toContainText("Var(q·k/√d)");
  const [, unscaled, scaled] =
    /Var\(q·k\) ([\d.]+).*Var\(q·k\/√d\) ([\d.]+)/.exec((await reading.textContent()) ?? "") ?? [];
  expect(Math.abs(Number(unscaled) - 64)).toBeLessThan(10);
  expect(Math.abs(Number(scaled) - 1)).toBeLessThan(0.16);
  const before = await reading.textContent();
  await page.getByTestId("scale-draw-again").click();
  await plot.focus();
  await page.keyboard.press("End");
  await expect(reading).not.toHaveText(before ?? "");
});

test("only some normalisations survive a constant added to every score", async ({ page, scope }) => {
  await scope.open(`${chapter}&scale-row=-3.1.2.0.0.0.0.0`);
  const facts = (name: string) => page.getByTestId(`normalised-${name}`).locator("dd");
  await expect(facts("exponential")).toHaveText(["2.72", "0", "0.000", "yes"]);
  // −3 squared outweighs everything.
  await expect(facts("square").nth(3)).toHaveText("no");
  await expect(facts("rectified").nth(1)).toHaveText("6");
});

test("the model's own queries and keys, and a row of the visitor's sentence", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&scale-of=head`);
  const bars = page.getByTestId("softmax-bars");
  await expect(bars).toHaveAttribute("aria-label", /Je: 0\.\d{3}/);
  const before = await bars.getAttribute("aria-label");
  await page.getByTestId("chapter-query").selectOption({ index: 1 });
  await expect(bars).not.toHaveAttribute("aria-label", before ?? "");
  const plot = page.getByRole("slider", { name: "This head's queries and keys" });
  await plot.focus();
  await page.keyboard.press("End");
  await expect(page.getByTestId("head-variance-readout")).toContainText(/Var\(q·k\) \d/);
});

freshTest("where the worker cannot be had, the chapter says so and tries again", async ({ page, scope }) => {
  let refuse = true;
  await page.route("**/lessons_bg*.wasm", (route) => (refuse ? route.abort() : route.continue()));
  await scope.open(chapter);
  const problem = page.getByTestId("lessons-problem").first();
  await expect(problem).toContainText("could not be loaded");
  // Text and everything else are there.
  await expect(page.getByText("The variance of a dot product")).toBeVisible();
  refuse = false;
  await problem.getByTestId("lessons-retry").click();
  await expect(page.getByTestId("lessons-problem")).toHaveCount(0);
  await expect(page.getByTestId("softmax-bars")).toHaveAttribute("aria-label", /12: 0\.975/);
});
