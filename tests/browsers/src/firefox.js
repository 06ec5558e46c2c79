// Firefox, driven by WebDriver BiDi. `FIREFOX` says where it is.

import puppeteer from "puppeteer-core";

import { PATIENCE_MS, SIZE, missing, pick } from "./browser.js";

/**
 * Starts Firefox with a new profile.
 *
 * @returns {Promise<import("./browser.js").Browser>}
 */
export async function launch() {
  const executablePath = process.env.FIREFOX;
  if (!executablePath) throw new Error("FIREFOX is not set: run these tests with `cargo xtask test --only browsers`");
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath,
    defaultViewport: SIZE,
    extraPrefsFirefox: { "intl.accept_languages": "en-US" },
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => {
    if (/content.security.policy|panicked at/i.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => {
    if (!isCutOff(error)) complaints.push(String(error));
  });

  return {
    async open(address) {
      // From one view to another of the same page, the address alone would load nothing.
      await page.goto("about:blank");
      await page.goto(address);
    },
    async reload() {
      await page.reload();
    },
    // Its types do not know functions of any kind.
    evaluate: /** @type {import("./browser.js").Evaluate} */ (page.evaluate.bind(page)),
    async click(selector, name = "") {
      const found = (await page.evaluateHandle(pick, selector, name)).asElement();
      if (!found) throw missing(selector, name);
      await /** @type {import("puppeteer-core").ElementHandle<Element>} */ (found).click();
    },
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    async screenshot(path) {
      await page.screenshot({ path: /** @type {`${string}.png`} */ (path) });
    },
    complaints: () => complaints,
    close: () => browser.close(),
  };
}

/**
 * Whether a load was cut off because the page was left: of that Firefox makes an error where a service worker was to
 * answer. A file that is missing for another reason shows on the page. @param {unknown} error
 */
function isCutOff(error) {
  return /A ServiceWorker intercepted the request and encountered an unexpected error/.test(String(error));
}
