// Accessibility as axe-core sees it: every tab and every chapter, in English on a wide light screen and in Chinese on a narrow
// dark one.

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { CHAPTERS } from "../chapters";
import { expect, test } from "../scope";

const VIEWS = [
  "tab=heads",
  "tab=decoding",
  ...CHAPTERS.map((name) => `tab=learn&chapter=${name}`),
  // Screens of the first chapter that have other figures.
  ...[3, 4, 6, 9].map((stage) => `tab=learn&chapter=start&stage=${stage}`),
  // That chapter begins with sinusoids.
  "tab=learn&chapter=positions&way=rope",
  "show=claim&off=cross.1.3-encoder.0.2&importance=1",
  "show=claim&tool=roles&roles=1&roles-of=sentences",
  "show=claim&tool=importance&importance=1&game=100",
  ...["patch", "lens", "permute", "compare", "align", "raw"].map((tool) => `show=claim&tool=${tool}`),
  // Weights that are given, in the lines, and the game.
  "tab=heads&show=lines&weights=cross.1.3.3.0.500&game=100",
  // A test with its marks, a route, and a route that is presented.
  "tab=learn&chapter=masks&before=1&after=1&graded=masks.0.31",
  "tab=heads&kind=cross&route=ninety&stop=9",
  "tab=decoding&route=look&stop=4&present=1&notes=1",
  "tab=learn&chapter=heads&present=1",
  "tab=teach",
];

for (const [language, width, height, theme] of [
  ["en", 1440, 900, "light"],
  ["zh", 390, 844, "dark"],
] as const) {
  test(`axe finds nothing wrong in ${language} at ${width} pixels, ${theme}`, async ({ page, scope }) => {
    test.setTimeout(900_000);
    await page.setViewportSize({ width, height });
    // A beam, so that its tables are there too.
    await scope.openLive(`beam=4&lang=${language}`);
    const found: string[] = [];
    for (const view of VIEWS) {
      await scope.show(`beam=4&lang=${language}&theme=${theme}&${view}`);
      if (view.includes("off=")) await expect(page.getByTestId("effect-summary")).toContainText("log p");
      // Numbers that are computed or fetched for a figure come after it.
      await page.waitForTimeout(500);
      for (const violation of await violations(page)) found.push(`${view}: ${violation}`);
    }
    expect(found).toEqual([]);
  });
}

/** Every violation with the elements that it concerns. */
async function violations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, help, nodes }) => {
    const where = nodes.map(({ target, any }) => `${target.join(" ")} (${any.map(({ message }) => message).join("; ")})`);
    return `${id}: ${help}: ${where.join(", ")}`;
  });
}
