// The first minute: what the page is, four ways in, and no more in sight than one needs.

import { expect, freshTest, test } from "../scope";
import { inSight, tabsTo } from "../sight";

/** Controls beside the heads of the map that the first screen may show; two of them export the map and the head. */
const MOST_CONTROLS = 38;

const WINDOWS = [
  { width: 1440, height: 900, least: 10 },
  { width: 1280, height: 720, least: 10 },
  { width: 390, height: 844, least: 9 },
];

for (const { width, height, least } of WINDOWS) {
  test(`at ${width} × ${height} few controls are in sight, and all type can be read`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await scope.openLive();
    await expect(page.getByTestId("welcome")).toBeVisible();
    const { heads, controls, smallest } = await inSight(page);
    if (width > 1000) expect(heads).toBeGreaterThan(40);
    expect(controls.length, controls.join(" | ")).toBeLessThanOrEqual(MOST_CONTROLS);
    expect(smallest[0], smallest[1]).toBeGreaterThanOrEqual(least);
    await scope.fits(width);
    // The map as a whole too.
    await page.getByTestId("model-map").scrollIntoViewIfNeeded();
    const below = (await inSight(page)).smallest;
    expect(below[0], below[1]).toBeGreaterThanOrEqual(least);
  });
}

test("the map shows all of the model at a laptop's size, or scrolls to the chosen head", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await scope.openLive();
  await expect(scope.head("cross", 3, 4)).toBeInViewport({ ratio: 0.9 });
  await scope.open("kind=encoder&layer=0&head=0");
  await scope.becomesLive();
  await expect(scope.head("encoder", 1, 1)).toBeInViewport({ ratio: 0.9 });
  const side = (await scope.head("encoder", 1, 1).boundingBox())?.width ?? 0;
  expect(side).toBeGreaterThanOrEqual(18);
});

for (const [language, words] of [
  ["en", ["New here", "Nothing you type leaves this machine"]],
  ["zh", ["第一次来", "不会离开这台机器"]],
] as const) {
  test(`a beginner is led to the ten screens, in ${language}`, async ({ page, scope }) => {
    await scope.openLive(`lang=${language}`);
    const welcome = page.getByTestId("welcome");
    for (const word of words) await expect(welcome).toContainText(word);
    await welcome.getByTestId("door-start").click();
    await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "start");
    await page.goBack();
    await expect(welcome).toBeVisible();
  });
}

freshTest("who knows the page dismisses the words; the ways in stay behind the question mark", async ({ page, scope }) => {
  await scope.openLive();
  const top = async () => (await page.getByTestId("input").boundingBox())?.y ?? 0;
  const before = await top();
  await page.getByTestId("welcome-close").click();
  await expect(page.getByTestId("welcome")).toHaveCount(0);
  expect(await top()).toBeLessThan(before);
  await scope.openLive();
  await expect(page.getByTestId("welcome")).toHaveCount(0);
  await page.keyboard.press("?");
  await page.getByTestId("door-try").click();
  await expect(scope.text).toBeFocused();
});

test("a claim about a head is two clicks from the first screen", async ({ page, scope }) => {
  await scope.openLive();
  await page.getByTestId("welcome").getByTestId("door-claim").click();
  await page.getByTestId("tool-off").click();
  await expect(page.getByTestId("claim-off")).toBeVisible();
});

test("a model is opened from the first screen", async ({ page, scope }) => {
  await scope.openLive();
  await page.getByTestId("welcome").getByTestId("door-model").click();
  await expect(page.getByTestId("models-sheet")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("models-sheet")).toBeHidden();
});

freshTest("by keyboard the sentence and the heatmap are within five tabs", async ({ page, scope }) => {
  await scope.openLive();
  expect(await tabsTo(page, "[data-testid=input]", 5, "[data-testid=skip-to-text]")).toBeLessThanOrEqual(5);
  await scope.openLive();
  expect(await tabsTo(page, "[data-testid=heatmap]", 5, "[data-testid=skip-to-contents]")).toBeLessThanOrEqual(5);
});

test("the steps are a slider, by pointer and by keyboard", async ({ page, scope }) => {
  await scope.openLive();
  const slider = page.getByRole("slider", { name: "Decoding step" });
  await page.getByTestId("output-token").nth(3).click();
  await expect(slider).toHaveAttribute("aria-valuenow", "4");
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(slider).toHaveAttribute("aria-valuetext", /^Step 3 of/);
  await page.keyboard.press("End");
  await expect(page.getByTestId("output-token").last()).toHaveClass(/current/);
  await page.keyboard.press("Home");
  await expect(slider).toHaveAttribute("aria-valuenow", "1");
});
