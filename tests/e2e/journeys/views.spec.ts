// Every chapter, every tab and every tool, in English on a wide light screen and in Chinese on a narrow dark one: it opens and
// fits, axe-core finds nothing wrong, and the console hears of no error. It is loaded anew, and Back leads to it again; of
// chapters, whose addresses all work alike, every fifth is.

import AxeBuilder from "@axe-core/playwright";
import type { ConsoleMessage, Locator, Page } from "@playwright/test";

import { CHAPTERS } from "../chapters";
import { expect, type Scope, test } from "../scope";

/** A chapter's figures have their numbers: what the model needs to have, or what it stands at, where it begins with neither. */
const NEEDS: Record<string, string> = {
  embedding: "model=sentences",
  recurrent: "model=recurrent-bahdanau&step=2",
  universal: "model=universal",
};

const VIEWS = [
  "tab=heads",
  "tab=heads&beam=4",
  "tab=decoding&beam=4",
  "tab=teach",
  ...CHAPTERS.map((name) => [`tab=learn&chapter=${name}`, NEEDS[name]].filter(Boolean).join("&")),
  // Screens of the first chapter that have other figures.
  ...[3, 4, 6, 9].map((stage) => `tab=learn&chapter=start&stage=${stage}`),
  // That chapter begins with sinusoids.
  "tab=learn&chapter=positions&way=rope",
  "tab=learn&chapter=positions&way=learned&model=poems-learned",
  ...["exhaustive", "beam", "sampling"].map((by) => `tab=learn&chapter=search&search-by=${by}&stage=3`),
  "tab=learn&chapter=hand&stage=4&hand-both=1",
  "tab=learn&chapter=judging&model=sentences",
  "show=claim&off=cross.1.3-encoder.0.2&importance=1",
  "show=claim&tool=weight&cell=3.0&weights=cross.1.3.3.0.1000",
  "tab=heads&cell=3.0&weights=cross.1.3.3.0.1000",
  "show=claim&tool=roles&roles=1&roles-of=sentences",
  "show=claim&tool=importance&importance=1&game=100",
  ...["patch", "lens", "permute", "compare", "align", "raw"].map((tool) => `show=claim&tool=${tool}`),
  // Weights that are given, in the lines, and the game; several heads and rows.
  "tab=heads&show=lines&weights=cross.1.3.3.0.500&game=100",
  "tab=heads&show=sentence&with=1.4&rows=1.2",
  // A test with its marks, a route, and a route that is presented.
  "tab=learn&chapter=masks&before=1&after=1&graded=masks.0.31",
  "tab=heads&kind=cross&route=ninety&stop=9",
  "tab=decoding&route=look&stop=4&present=1&notes=1",
  "tab=learn&chapter=heads&present=1",
];

for (const [place, view] of VIEWS.entries()) {
  test(`${view} opens and fits every window`, async ({ page, scope }) => {
    const errors = hearErrors(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await scope.openLive(`${view}&lang=en&theme=light`);
    await scope.comesToRest();
    expect(await violations(page), "light").toEqual([]);
    if (view.includes("chapter=")) expect(await overlaps(page.getByTestId("chapter"))).toEqual([]);
    await scope.fits(320, 768, 1100, 1920);

    await page.setViewportSize({ width: 390, height: 844 });
    await scope.show(`${view}&lang=zh&theme=dark`);
    await scope.comesToRest();
    expect(await violations(page), "dark").toEqual([]);
    await scope.fits(320, 390, 1920);

    if (!view.includes("chapter=") || place % 5 === 0) {
      const title = await heading(scope);
      await page.reload();
      await scope.becomesLive();
      expect(await heading(scope)).toBe(title);
      await page.goBack();
      await expect(page.locator("html")).toHaveAttribute("lang", /^en/);
      await scope.becomesLive();
    }
    expect(errors()).toEqual([]);
  });
}

/** The errors that the console hears of, and those that nobody caught. */
function hearErrors(page: Page): () => string[] {
  const errors: string[] = [];
  const hears = (message: ConsoleMessage): void => {
    if (message.type() === "error") errors.push(message.text());
  };
  // What Playwright gives in the place of a service worker's registration that it blocks is none.
  const isBlocked = (error: Error): boolean => error.message.endsWith("(reading 'installing')");
  const uncaught = (error: Error): void => void (isBlocked(error) || errors.push(error.message));
  page.on("console", hears).on("pageerror", uncaught);
  return () => {
    page.off("console", hears).off("pageerror", uncaught);
    return errors;
  };
}

/** The first words of the tab that is open. */
async function heading({ page }: Scope): Promise<string | null> {
  return page.getByRole("tabpanel").locator("h2, h3").first().textContent();
}

/** Every violation with the elements that it concerns. */
async function violations(page: Page): Promise<string[]> {
  // The page has no frames, for which the other mode opens a second page.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.map(({ id, help, nodes }) => {
    const where = nodes.map(({ target, any }) => `${target.join(" ")} (${any.map(({ message }) => message).join("; ")})`);
    return `${id}: ${help}: ${where.join(", ")}`;
  });
}

/** Pairs of a chapter's parts that lie over each other, by their classes. Figures that stay in sight are where they are
 * before anything is scrolled. */
async function overlaps(chapter: Locator): Promise<string[]> {
  return chapter.evaluate((chapter) => {
    scrollTo(0, 0);
    const parts = [...chapter.children].map((part) => ({ name: part.className, box: part.getBoundingClientRect() }));
    return parts.flatMap((one, place) =>
      parts
        .slice(place + 1)
        .filter(({ box }) => {
          const across = Math.min(one.box.right, box.right) - Math.max(one.box.left, box.left);
          const down = Math.min(one.box.bottom, box.bottom) - Math.max(one.box.top, box.top);
          return across > 2 && down > 2;
        })
        .map((other) => `${one.name} and ${other.name}`),
    );
  });
}
