// The chapter on positions, sinusoids and RoPE's decay: what is drawn, and what the pointer reads there.

import { expect, test } from "../scope";

const way = (name: string): string => `tab=learn&chapter=positions&way=${name}`;

test("the sinusoidal encoding as a map tells position, dimension and value", async ({ page, scope }) => {
  await scope.open(way("sinusoidal"));
  const map = page.getByRole("application", { name: /Map of the encoding/ });
  await scope.pointAt(map, 0.001, 0.001);
  // Position 0, dimension 0 is sin 0.
  const reading = page.getByTestId("encoding-map-readout");
  await expect(reading).toHaveText(/position 0, dimension 0 \(sin\): 0\.0+/);
  await map.focus();
  await page.mouse.move(0, 0);
  await page.keyboard.press("ArrowDown");
  await expect(reading).toContainText("position");
});

test("curves, the decay of similarity and RoPE are plotted with readings", async ({ page, scope }) => {
  for (const [name, title] of [
    ["sinusoidal", "Curves per dimension"],
    ["sinusoidal", "Similarity of two positions"],
    ["rope", "Random queries and keys"],
  ] as const) {
    await scope.open(way(name));
    const plot = page.getByRole("slider", { name: title });
    await plot.scrollIntoViewIfNeeded();
    await expect(plot.locator("svg")).toBeVisible();
    const before = await plot.getAttribute("aria-valuetext");
    await plot.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect(plot).not.toHaveAttribute("aria-valuetext", before ?? "");
  }
});

test("the formula is that of the order that is drawn, and periods are named", async ({ page, scope }) => {
  await scope.open(`${way("sinusoidal")}&dimension=0&stride=1`);
  const formula = page.getByTestId("sinusoidal-formula");
  await expect(formula).toHaveText("PE(p, i) = sin(p / 100002i/d), PE(p, i + d/2) = cos(p / 100002i/d)");
  const periods = page.getByTestId("periods").locator("td:last-child");
  await expect(periods).toHaveText(["6.3", "6.8", "7.3", "7.8"]);
  await expect(page.getByTestId("periods").locator("tbody tr").nth(1)).toContainText("2π · 100002/256");
  await expect(page.getByTestId("marked-period")).toContainText("Dimension 0 (sin) repeats every 6.3 positions");
  await scope.choice("Order of dimensions", "Alternating, as in the paper").click();
  await expect(formula).toHaveText("PE(p, 2i) = sin(p / 100002i/d), PE(p, 2i + 1) = cos(p / 100002i/d)");
  await expect(periods).toHaveText(["6.3", "6.3", "6.8", "6.8"]);
});

test("a period that is longer than what is drawn is said to be", async ({ page, scope }) => {
  await scope.open(`${way("sinusoidal")}&dimension=100&stride=1`);
  await expect(page.getByTestId("marked-period")).toContainText("more than the 100 that are drawn");
  await page.getByTestId("dimension").fill("10");
  await expect(page.getByTestId("marked-period")).toContainText("the upright lines mark one period");
});

test("other random vectors give other curves", async ({ page, scope }) => {
  await scope.open(way("rope"));
  const plot = page.getByRole("slider", { name: "Random queries and keys" }).locator("svg");
  const before = await plot.innerHTML();
  await page.getByTestId("draw-again").click();
  await expect.poll(() => plot.innerHTML()).not.toBe(before);
});

test("RoPE in a live pass: the pair's score is where its curve has it", async ({ page, scope }) => {
  await scope.open(way("rope"));
  await page.getByRole("button", { name: "Switch to the sentence model" }).click();
  const recorded = page.getByTestId("pair-recorded");
  await expect(recorded).toContainText(/q·k = [-−]?\d+\.\d{3}/);
  await scope.becomesLive();
  await page.getByTestId("rope-query").selectOption({ index: 3 });
  await page.getByTestId("rope-key").selectOption({ index: 1 });
  await expect(recorded).toContainText("2 apart");
  const [, score = ""] = /q·k = ([-−]?\d+\.\d{3})/.exec((await recorded.textContent()) ?? "") ?? [];

  const plot = page.getByRole("slider", { name: "This head's own queries and keys" });
  await plot.focus();
  for (let presses = 0; presses < 9; presses += 1) {
    if ((await plot.getAttribute("aria-valuenow")) === "2") break;
    await page.keyboard.press("ArrowRight");
  }
  await expect(plot).toHaveAttribute("aria-valuenow", "2");
  await expect(page.getByTestId("head-rope-readout")).toContainText(score);
});

test("an address of the former tab opens the chapter at what its model does", async ({ page, scope }) => {
  for (const [model, name] of [
    ["", "sinusoidal"],
    ["&model=sentences", "rope"],
  ] as const) {
    await scope.open(`tab=positions&seed=5${model}`);
    await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "positions");
    await expect(page.locator(`button[data-choice="${name}"]`).first()).toHaveAttribute("aria-pressed", "true");
    await expect(page).toHaveURL(/tab=learn.*seed=5|seed=5.*tab=learn/);
  }
});

test("the map's embedding opens the chapter at what the model does", async ({ page, scope }) => {
  await scope.openLive();
  await scope.zoomIn();
  await page.getByTestId("map-embedding").first().click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "positions");
  await expect(page.getByTestId("encoding-map")).toBeVisible();
});
