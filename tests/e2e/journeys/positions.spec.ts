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
  await expect(reading).toHaveText(/position 0, dimension 0: [-−]?0\.0+/);
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
