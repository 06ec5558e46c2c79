// Decodes with one model in a tab and on `attn serve`, by the same page, in turns:
//
//   node src/tab-and-server.js LINK GGUF [tokens] [rounds]
//
// LINK is what the server of the model printed. Both sides use all processors of the machine.

import { chromium } from "playwright-core";

/** @import { Page } from "playwright-core" */

const TEXT = "The animal didn't cross the street because it was too tired.";
const PATIENCE_MS = 120_000;

const [link = "", model = "", tokens = "33", rounds = "3"] = process.argv.slice(2);
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [...sandbox, "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const there = await opened(link);
  const here = await opened(`${new URL(link).origin}/#device=cpu`);
  await here.getByTestId("models-button").click();
  await here.getByTestId("mine-files").setInputFiles(model);
  await here.waitForURL(/model=mine/, { timeout: PATIENCE_MS });
  // The round 0 warms both up.
  for (let round = 0; round <= Number(rounds); round += 1) {
    for (const [place, page] of /** @type {const} */ ([["server", there], ["tab", here]])) {
      const [one, all] = [await decoded(page, 1), await decoded(page, Number(tokens))];
      const token_ms = (all.ms - one.ms) / (Number(tokens) - 1);
      const figures = { token_ms: rounded(token_ms), tokens_per_s: rounded(1000 / token_ms) };
      if (round > 0) console.log(JSON.stringify({ place, device: all.device, ...figures, text: all.text }));
    }
  }
} finally {
  await browser.close();
}

/** @param {string} address */
async function opened(address) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(address);
  await page.locator("[data-origin=live]").first().waitFor();
  return page;
}

/**
 * Lets the page write so many tokens after the text; returns the time of decoding as the page says it.
 *
 * @param {Page} page
 * @param {number} tokens
 */
async function decoded(page, tokens) {
  const fragment = new URLSearchParams(new URL(page.url()).hash.slice(1));
  // Another text first, so that the same one is computed again.
  for (const text of [`${TEXT} ${Math.random()}`, TEXT]) {
    fragment.set("text", text);
    fragment.set("new-tokens", String(tokens));
    await page.evaluate((fragment) => (location.hash = fragment), fragment.toString());
    await page.waitForFunction((text) => new URLSearchParams(location.hash.slice(1)).get("text") === text, text);
    await page.waitForTimeout(300);
    await page.getByTestId("loading").waitFor({ state: "hidden" });
    await page.getByTestId("partial").waitFor({ state: "hidden" });
  }
  const timing = (await page.getByTestId("timing").textContent()) ?? "";
  return {
    ms: Number(/decoding (\d+(?:\.\d+)?) ms/.exec(timing)?.[1]),
    device: (await page.getByTestId("device-name").textContent()) ?? "",
    text: (await page.getByTestId("translation").textContent()) ?? "",
  };
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 10) / 10;
}
