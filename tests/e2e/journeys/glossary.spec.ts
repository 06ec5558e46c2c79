// The terms of the page are one tap away from their definitions.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { expect, freshTest, test } from "../scope";

test("a term of the figure's title is explained at a tap, and by keyboard", async ({ page, scope }) => {
  await scope.openLive();
  const tip = page.getByTestId("term-tip");
  const term = scope.figureTitle.locator("[data-term=cross_attention]");
  await term.click();
  await expect(tip).toContainText("the queries come from the decoder");
  await term.click();
  await expect(tip).toBeHidden();

  await term.focus();
  await page.keyboard.press("Enter");
  await expect(tip).toContainText("cross-attention");
  await expect(term).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(tip).toBeHidden();
  await expect(term).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(tip).toBeVisible();
  await page.keyboard.press("Shift+Tab");
  await expect(tip).toBeHidden();
  await term.click();
  await expect(tip).toBeVisible();
  await page.getByTestId("caption").click();
  await expect(tip).toBeHidden();
});

test("one definition is open at a time, and it is announced", async ({ page, scope }) => {
  await scope.openLive();
  const tip = page.getByTestId("term-tip");
  await scope.figureTitle.locator("[data-term=cross_attention]").click();
  await expect(tip).toContainText("the queries come from the decoder");
  await page.getByTestId("legend").locator("[data-term=attention_weight]").click();
  await expect(tip).toHaveCount(1);
  await expect(tip).not.toContainText("the queries come from the decoder");
  await expect(page.getByRole("status").filter({ has: tip })).toHaveCount(1);
});

test("every term of every tab has a definition that fits on a phone and on a laptop", async ({ page, scope }) => {
  await scope.openLive();
  for (const [tab, least] of [["heads", 2], ["decoding", 8]] as const) {
    await scope.show(`tab=${tab}`);
    await expect(page.getByTestId("loading")).toBeHidden();
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const terms = page.getByRole("tabpanel").locator("[data-term]:visible");
      await expect(terms.nth(least - 1)).toBeAttached();
      for (const term of await terms.all()) {
        await term.click();
        const tip = page.getByTestId("term-tip");
        await expect(tip.locator("p").last()).toHaveText(/\w{3}.*\.$/);
        const box = await tip.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
        await page.keyboard.press("Escape");
      }
    }
  }
});

test("definitions are in the page's language, and follow it", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await scope.openLive("lang=zh");
  await scope.figureTitle.locator("[data-term=cross_attention]").click();
  const tip = page.getByTestId("term-tip");
  await expect(tip).toContainText("交叉注意力");
  await expect(tip).not.toContainText("decoder");
  // Numbers follow it too: in Chinese no space stands before the sign of per cent.
  await expect(page.getByTestId("caption")).toContainText(/\d%/);
  await page.getByTestId("language").click();
  await expect(page.getByTestId("caption")).toContainText(/\d %/);
});

test("the whole glossary is in the words about the page", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await page.getByTestId("about").locator("summary").first().click();
  const glossary = page.getByTestId("about").getByTestId("glossary");
  await glossary.locator("summary").click();
  const strings = Object.keys(
    JSON.parse(readFileSync(join(repository, "assets/locales/en/glossary.json"), "utf8")),
  );
  await expect(glossary.locator("dt")).toHaveCount(strings.filter((key) => key.endsWith("_text")).length);
  await expect(glossary.locator("[data-entry=softmax]")).toContainText("sum to 1");
  await expect(glossary.locator("[data-entry=beam_search]")).toBeVisible();
});

freshTest("a text that came as HTML can mark terms", async ({ page, scope }) => {
  await scope.open();
  await scope.isDrawn();
  await page.evaluate(() => {
    const text = '<p><button type="button" class="term" data-term="softmax" id="marked">softmax</button></p>';
    document.querySelector("main")?.insertAdjacentHTML("afterbegin", text);
  });
  await page.locator("#marked").click();
  await expect(page.getByTestId("term-tip")).toContainText("positive numbers that sum to 1");
});

test("the model still fits on one screen", async ({ page, scope }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const language of ["en", "zh"]) {
    await scope.openLive(`lang=${language}`);
    const { height, inner } = await page.evaluate(() => ({
      height: document.documentElement.scrollHeight,
      inner: innerHeight,
    }));
    expect(height, language).toBeLessThanOrEqual(inner);
  }
});

test("the terms of the chapters' texts are explained where they first stand, in both languages", async ({
  page,
  scope,
}) => {
  for (const [language, words] of [["en", "what it looks for"], ["zh", "查询"]] as const) {
    await scope.openLive(`tab=learn&chapter=masks&lang=${language}`);
    const prose = page.getByTestId("chapter").locator(".prose");
    const query = prose.locator("[data-term=query]");
    await expect(query).toHaveCount(1);
    await query.focus();
    await page.keyboard.press("Enter");
    const tip = page.getByTestId("term-tip");
    await expect(tip).toContainText(words);
    await expect(query).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(tip).toBeHidden();
  }
});
