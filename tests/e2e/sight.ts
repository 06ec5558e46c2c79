// What is in sight of a page: its controls, its smallest text, and how far the keyboard has to go.

import type { Page } from "@playwright/test";

/** Controls and the smallest type in the window. */
export interface Sight {
  /** Heads of the map. */
  heads: number;
  /** All other controls, by what they are called. */
  controls: string[];
  /** The smallest type in CSS pixels as it is seen, and what is written in it. */
  smallest: [number, string];
}

/** Looks at what the window shows without scrolling. */
export async function inSight(page: Page): Promise<Sight> {
  return page.evaluate(() => {
    const CONTROLS =
      "a[href], button, input, select, textarea, summary, [tabindex], [role=button], [role=radio], [role=slider]";
    const isSeen = (element: Element): boolean => {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
      const box = element.getBoundingClientRect();
      if (box.width < 2 || box.height < 2 || box.right <= 0 || box.bottom <= 0) return false;
      if (box.x >= innerWidth || box.y >= innerHeight) return false;
      const middle = (from: number, length: number, most: number): number =>
        Math.min(Math.max(from + length / 2, 0), most - 1);
      const at = document.elementFromPoint(
        middle(box.x, box.width, innerWidth),
        middle(box.y, box.height, innerHeight),
      );
      return at !== null && (element.contains(at) || at.contains(element));
    };
    const name = (element: Element): string =>
      (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 40);
    const seen = [...document.querySelectorAll(CONTROLS)].filter(isSeen);
    const isHead = (element: Element): boolean => element.matches("[data-testid=thumbnail]");

    // Type that a transform or an SVG scales is as large as it is drawn.
    const drawnSize = (element: HTMLElement | SVGElement): number => {
      const size = parseFloat(getComputedStyle(element).fontSize);
      if (element instanceof SVGGraphicsElement) {
        const matrix = element.getScreenCTM();
        return matrix === null ? size : size * Math.hypot(matrix.a, matrix.b);
      }
      const world = element.closest<HTMLElement>(".map-world");
      if (world === null || !(element instanceof HTMLElement)) return size;
      return size * (world.getBoundingClientRect().width / world.offsetWidth);
    };
    let smallest: [number, string] = [Infinity, ""];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() !== null) {
      const [text, element] = [texts.currentNode, texts.currentNode.parentElement];
      const words = text.textContent?.trim() ?? "";
      if (element === null || words === "" || element.closest(".visually-hidden") !== null) continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      if (box.width < 1 || box.right <= 0 || box.bottom <= 0) continue;
      if (box.x >= innerWidth || box.y >= innerHeight) continue;
      const size = drawnSize(element);
      if (size < smallest[0]) smallest = [size, words.slice(0, 40)];
    }
    return {
      heads: seen.filter(isHead).length,
      controls: seen.filter((element) => !isHead(element)).map(name),
      smallest,
    };
  });
}

/** How often Tab is pressed from the top of the page until an element has the focus that a selector finds; with `enter`,
 * Enter is pressed at the way past the header that leads there. */
export async function tabsTo(page: Page, selector: string, most: number, enter?: string): Promise<number> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    window.scrollTo(0, 0);
  });
  for (let count = 1; count <= most; count += 1) {
    await page.keyboard.press("Tab");
    const is = (wanted: string) =>
      page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, wanted);
    if (enter !== undefined && (await is(enter))) await page.keyboard.press("Enter");
    if (await is(selector)) return count;
  }
  return Infinity;
}
