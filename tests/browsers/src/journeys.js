// What a visitor does first, written once for every browser.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { PageEnded } from "./browser.js";
import { Scope } from "./scope.js";
import { Server } from "./server.js";

const pictures = fileURLToPath(new URL("../../../target/browsers", import.meta.url));

/** Everything that another visit on the CPU needs but for the engine. */
const VISIT = [
  /page_bg\..*wasm$/,
  /translator\/config\..*json$/,
  /translator\/tokenizer\..*json$/,
  /translator\/model\..*safetensors$/,
];
/** Everything that the chapter on scaling needs besides. */
const CHAPTER = [/split_learn\..*wasm$/, /lessons_bg\..*wasm$/, /chapters\/scale\.en\..*json$/];

/** Whether a wait on shared memory need not block. @param {Scope} scope */
const waits = (scope) => scope.browser.evaluate(() => "waitAsync" in Atomics);

/**
 * Takes all journeys in a browser.
 *
 * @param {string} name of the browser
 * @param {() => Promise<import("./browser.js").Browser>} launch starts it with a new profile
 * @param {{ threads: boolean, offline: boolean }} abilities `threads`: whether it shares memory between workers;
 *   `offline`: whether threads start without a server too. Either only where it can wait on shared memory without blocking,
 *   as Firefox can from version 145 on
 */
export function journeys(name, launch, { threads, offline }) {
  describe(name, () => {
    const server = new Server();
    before(() => server.start());
    // Where a journey stopped it, the next one starts it.
    afterEach(() => server.start());
    after(() => server.stop());

    /** @param {string} title @param {(scope: Scope) => Promise<void>} take */
    const journey = (title, take) => {
      const attempt = async () => {
        const browser = await launch();
        try {
          await take(new Scope(browser, server));
          assert.deepEqual(browser.complaints(), []);
        } catch (error) {
          await photograph(browser, `${name} ${title}`);
          throw error;
        } finally {
          await browser.close();
        }
      };
      test(title, async (context) => {
        try {
          await attempt();
        } catch (error) {
          if (!(error instanceof PageEnded)) throw error;
          // A browser that crashes once in some hundred journeys is no fault of the page; one that crashes twice is.
          context.diagnostic(`taken again: ${error.message}`);
          await server.start();
          await attempt();
        }
      });
    };

    journey("live: the model answers on the CPU", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      const cores = await scope.browser.evaluate(() => navigator.hardwareConcurrency);
      // On one core there is nobody to share with.
      const shared = threads && cores > 1 && (await waits(scope));
      await scope.reads("[data-testid=device-name]", shared ? /^CPU, \d+ threads · / : /^CPU · /);
    });

    journey("run: a sentence that is typed is translated", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      await scope.translate("Je ne sais pas.", /(don't|do not) know/);
      await scope.reads("[data-testid=source-tokens]", /sais/);
    });

    journey("step: decoding goes on by one token", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      await scope.reads("[data-testid=step-of]", /^Step 1 of \d+$/);
      await scope.browser.click("button", "One step forward");
      await scope.reads("[data-testid=step-of]", /^Step 2 of \d+$/);
    });

    journey("chapter: a figure is computed when it is opened", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      await scope.openChapter();
    });

    journey("reload: the second and third visit and a link find the page alive", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      await scope.keeps(...VISIT, /engine-cpu.*_bg\..*wasm$/);
      await scope.browser.reload();
      await scope.becomesLive();
      await scope.follow("./?text=Il+pleut.");
      await scope.becomesLive();
      await scope.reads("[data-testid=translation]", /raining/);
      await scope.open();
      await scope.becomesLive();
    });

    journey("offline: without a server page, model and chapter are there", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      await scope.openChapter();
      const kept = offline && (await waits(scope));
      await scope.keeps(...VISIT, ...CHAPTER, kept ? /engine-cpu-threads.*_bg\..*wasm$/ : /engine-cpu_bg\..*wasm$/);

      await scope.server.stop();
      await scope.browser.reload();
      await scope.showsChapter();
      await scope.becomesLive();
      await scope.openTab("Explore");
      await scope.translate("Je ne sais pas.", /(don't|do not) know/);
      await scope.open();
      await scope.becomesLive();
    });

    journey("keyboard: run and step need no pointer", async (scope) => {
      await scope.open();
      await scope.becomesLive();
      await scope.tabTo("[role=tab]");
      await scope.browser.press("ArrowRight");
      await scope.reads("[role=tab][aria-selected=true]", /^Learn$/);
      await scope.browser.press("ArrowLeft");
      await scope.reads("[role=tab][aria-selected=true]", /^Explore$/);
      await scope.tabTo("[data-testid=input]");
      await scope.replaceText("Je ne sais pas.");
      await scope.reads("[data-testid=translation]", /(don't|do not) know/);
      await scope.tabTo("button[aria-label='One step forward']");
      await scope.browser.press(" ");
      await scope.reads("[data-testid=step-of]", /^Step 2 of \d+$/);
    });
  });
}

/** @param {import("./browser.js").Browser} browser @param {string} name */
async function photograph(browser, name) {
  await mkdir(pictures, { recursive: true });
  // What the journey failed of matters more than that the browser shows nothing any more.
  await browser.screenshot(join(pictures, `${name.replaceAll(/\W+/g, "-")}.png`)).catch(() => {});
}
