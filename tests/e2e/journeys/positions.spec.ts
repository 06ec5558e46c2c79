// Positional encodings: what is drawn, and what the pointer reads there.

import { expect, test } from "../scope";

test.beforeEach(async ({ scope }) => {
  await scope.open("tab=positions");
});

test("the sinusoidal encoding as a map tells position, dimension and value", async ({ page, scope }) => {
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

test("curves, the decay of similarity and RoPE are plotted with readings", async ({ page }) => {
  const plots = page.getByRole("tabpanel").getByRole("slider");
  await expect(plots.first()).toBeVisible();
  const curves = page.getByRole("slider", { name: "Curves per dimension" });
  const decay = page.getByRole("slider", { name: "Similarity of two positions" });
  const random = page.getByRole("slider", { name: "Random queries and keys" });
  for (const plot of [curves, decay, random]) {
    await plot.scrollIntoViewIfNeeded();
    await expect(plot.locator("svg")).toBeVisible();
    const before = await plot.getAttribute("aria-valuetext");
    await plot.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect(plot).not.toHaveAttribute("aria-valuetext", before ?? "");
  }
});

test("other random vectors give other curves", async ({ page }) => {
  const plot = page.getByRole("slider", { name: "Random queries and keys" }).locator("svg");
  const before = await plot.innerHTML();
  await page.getByTestId("draw-again").click();
  await expect.poll(() => plot.innerHTML()).not.toBe(before);
});

test("RoPE in a live pass: the pair's score is where its curve has it", async ({ page, scope }) => {
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
