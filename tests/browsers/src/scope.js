// The page as these journeys see it. It is found by what is on it; of its addresses nothing is taken for granted.

import assert from "node:assert/strict";

import { PATIENCE_MS, PageEnded } from "./browser.js";

export class Scope {
  /**
   * @param {import("./browser.js").Browser} browser
   * @param {import("./server.js").Server} server
   */
  constructor(browser, server) {
    this.browser = browser;
    this.server = server;
  }

  async open() {
    await this.browser.open(this.server.address);
  }

  /** Waits for a result of the model itself. */
  async becomesLive() {
    await this.until("the page is live", () => {
      const origin = document.querySelector("[data-testid=origin]");
      return origin?.getAttribute("data-origin") === "live" && !document.querySelector("[data-testid=partial]:not(.is-hidden)");
    });
  }

  /** Types a sentence over the one that is there, and waits until its translation is as expected.
   *
   * @param {string} sentence @param {RegExp} translation */
  async translate(sentence, translation) {
    await this.browser.click("[data-testid=input]");
    await this.replaceText(sentence);
    await this.reads("[data-testid=translation]", translation);
    await this.becomesLive();
  }

  /** Types over what stands in the text box that has the focus, and sends it. @param {string} text */
  async replaceText(text) {
    await this.browser.evaluate(() => {
      const { activeElement } = document;
      if (!(activeElement instanceof HTMLTextAreaElement)) throw new Error("the text box has not the focus");
      activeElement.select();
    });
    await this.browser.type(text);
    await this.browser.press("Enter");
  }

  /** @param {string} name */
  async openTab(name) {
    await this.browser.click("[role=tab]", name);
    await this.reads("[role=tab][aria-selected=true]", new RegExp(`^${name}$`));
  }

  /** Opens the chapter on scaling from the tabs on; its bars are computed when it is opened. */
  async openChapter() {
    await this.openTab("Learn");
    await this.until("there is an index of chapters", () => document.querySelector("nav[aria-label=Chapters]") !== null);
    await this.browser.click("nav[aria-label=Chapters] a", "Why √dₖ, why eˣ");
    await this.showsChapter();
  }

  /** Text and figures of that chapter are there, with the share that softmax gives to 12 in the lecture's row. */
  async showsChapter() {
    await this.reads(".prose", /\w/);
    await this.until("the chapter's bars are computed", () => {
      const bars = document.querySelector("[data-testid=softmax-bars]");
      return /softmax\(s\).* 12: 0\.975/.test(bars?.getAttribute("aria-label") ?? "");
    });
  }

  /** Waits until an element has such a text. @param {string} selector @param {RegExp} text */
  async reads(selector, text) {
    await this.until(
      `${selector} reads ${text}`,
      (selector, text) => new RegExp(text).test(document.querySelector(selector)?.textContent?.trim() ?? ""),
      selector,
      text.source,
    );
  }

  /** Waits until files with such addresses are kept, the page itself among them. @param {RegExp[]} addresses */
  async keeps(...addresses) {
    await this.until(
      `these are kept: ${addresses.join(" ")}`,
      async (addresses) => {
        /** @type {string[]} */
        const kept = [];
        for (const name of await caches.keys()) {
          kept.push(...(await (await caches.open(name)).keys()).map(({ url }) => url));
        }
        const page = new URL("./", location.href).href;
        return kept.includes(page) && addresses.every((address) => kept.some((url) => new RegExp(address).test(url)));
      },
      addresses.map(({ source }) => source),
    );
  }

  /** Follows a link to another view, in the same tab and by loading the page anew. @param {string} href */
  async follow(href) {
    await this.browser.evaluate((href) => {
      Reflect.set(window, "before", true);
      const link = Object.assign(document.createElement("a"), { href, textContent: "elsewhere", id: "link" });
      document.body.prepend(link);
    }, href);
    await this.browser.click("#link");
    await this.until("the page is loaded anew", () => !Reflect.has(window, "before"));
  }

  /** Moves the focus on, key by key, until it is on such an element. @param {string} selector */
  async tabTo(selector) {
    for (let count = 0; count < 80; count += 1) {
      await this.browser.press("Tab");
      const there = await this.browser.evaluate(
        (selector) => document.activeElement?.matches(selector) ?? false,
        selector,
      );
      if (there) return;
    }
    assert.fail(`the tab key does not lead to ${selector}`);
  }

  /**
   * Waits until a condition holds in the page, which may be loading.
   *
   * @template {unknown[]} Arguments
   * @param {string} what
   * @param {(...given: Arguments) => boolean | Promise<boolean>} holds
   * @param {Arguments} given
   */
  async until(what, holds, ...given) {
    const end = Date.now() + PATIENCE_MS;
    let hindrance = "";
    while (Date.now() < end) {
      try {
        if (await this.browser.evaluate(holds, ...given)) return;
        hindrance = "";
      } catch (error) {
        if (error instanceof PageEnded) throw new PageEnded(`${what}: not before the page ended`, { cause: error });
        hindrance = ` (${error})`;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`${what}: not within ${PATIENCE_MS / 1000} s${hindrance}`);
  }
}
