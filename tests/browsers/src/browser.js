// What journeys ask of a browser, and what the two drivers have in common.

/**
 * A window of a browser with a profile of its own.
 *
 * @typedef {object} Browser
 * @property {(address: string) => Promise<void>} open loads this address
 * @property {() => Promise<void>} reload
 * @property {Evaluate} evaluate runs a function in the page; its result can be a promise, and has to fit into JSON
 * @property {(selector: string, name?: string) => Promise<void>} click the first such element in
 *   sight, by the pointer
 * @property {(text: string) => Promise<void>} type into what has the focus
 * @property {(key: Key) => Promise<void>} press
 * @property {(path: string) => Promise<void>} screenshot
 * @property {() => string[]} complaints what the page wrote to the console that it must not
 * @property {() => Promise<void>} close ends the browser and forgets its profile
 */

/**
 * @typedef {<Arguments extends unknown[], Result>(
 *   act: (...given: Arguments) => Result, ...given: Arguments
 * ) => Promise<Awaited<Result>>} Evaluate
 */

/** @typedef {"Enter" | "Tab" | " " | "ArrowLeft" | "ArrowRight"} Key */

/** How long a page may take to load, and a condition to come true. */
export const PATIENCE_MS = 60_000;

/** The size of a window. */
export const SIZE = { width: 1440, height: 900 };

/**
 * The first element in sight that fits a selector and, unless the name is empty, has this accessible name. Runs in the
 * page.
 *
 * @param {string} selector
 * @param {string} name
 */
export function pick(selector, name) {
  /** @param {Element} element */
  const named = (element) => (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
  return [...document.querySelectorAll(selector)].find(
    (element) => element.getClientRects().length > 0 && (name === "" || named(element) === name),
  );
}

/** @param {string} selector @param {string} name */
export function missing(selector, name) {
  return new Error(`nothing in sight is ${selector}${name === "" ? "" : ` named "${name}"`}`);
}

/** There is no page any more to ask. */
export class PageEnded extends Error {
  name = "PageEnded";
}
