// Teaching with the page: a route walked by keyboard, presenter mode, tests before and after a chapter, predictions.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Locator, Page } from "@playwright/test";

import { repository } from "../browser";
import { expect, test, type Scope } from "../scope";

interface Stop {
  link: string;
  minutes: number;
  title: { en: string; zh: string };
}

interface Route {
  name: string;
  stops: Stop[];
}

/** One of the stops; a negative index counts from the last. */
function stop(stops: Stop[], index: number): Stop {
  const found = stops.at(index);
  if (!found) throw new Error(`no stop ${index}`);
  return found;
}

const routes: Route[] = JSON.parse(
  readFileSync(join(repository, "assets/routes.json"), "utf8"),
);

for (const language of ["en", "zh"] as const) {
  test(`the route of 90 minutes from its first to its last link by keyboard, in ${language}`, async ({ page, scope }) => {
    const { stops } = route("ninety");
    await scope.openLive(`${stop(stops, 0).link}&route=ninety&lang=${language}`);
    const next = page.getByTestId("next-stop");
    let left = 90;
    for (const [index, open] of stops.entries()) {
      await expect(page.getByTestId("route-stop")).toHaveText(open.title[language]);
      const place = page.getByTestId("route-place");
      await expect(place).toContainText(language === "en" ? `${left} of 90 min left` : `${left} / 90`);
      left -= open.minutes;
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await isOpen(scope, open);
        await scope.fits(width);
      }
      if (index + 1 < stops.length) {
        if (index === 0) await next.focus();
        await expect(next).toBeFocused();
        await page.keyboard.press("Enter");
      }
    }
    expect(left).toBe(0);
    await expect(next).toHaveCount(0);
    await page.goBack();
    await expect(page.getByTestId("route-stop")).toHaveText(stop(stops, -2).title[language]);
  });
}

test("a route keeps the visitor's sentence, and is found in the chapters", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=masks&text=Bonjour+.");
  await page.getByTestId("teachers").getByText("For teachers").click();
  const links = page.getByTestId("route-link");
  await expect(links).toHaveCount(routes.length);
  await expect(links.first()).toContainText("90 minutes");
  await links.nth(1).click();
  await expect(page.getByTestId("route-stop")).toHaveText(stop(route("look").stops, 0).title.en);
  await expect(page).toHaveURL(/text=Bonjour/);
  await page.getByTestId("leave-route").click();
  await expect(page.getByTestId("route")).toHaveCount(0);
  await expect(page).not.toHaveURL(/route=/);
});

test("an unknown route is said to be one, and the page works", async ({ page, scope }) => {
  await scope.openLive("route=alchemy");
  await expect(page.getByTestId("route").getByRole("alert")).toContainText("does not have");
  await expect(scope.thumbnails.first()).toBeVisible();
});

test("presenting by keys: stages, figures, the next chapter, and out", async ({ page, scope }) => {
  await scope.open("tab=learn&follow=thinking-machines&lang=en");
  await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", "scores");
  await page.keyboard.press("p");
  await expect(page).toHaveURL(/present=1/);
  await expect(page.locator("html")).toHaveAttribute("data-type", "large");
  await expect(page.locator("header.header")).toBeHidden();
  await expect(page.locator("[data-presented]")).toHaveCount(1);
  // The keys of clickers and of keyboards alike.
  for (const [key, stage] of [
    ["PageDown", "scale"],
    ["ArrowRight", "softmax"],
    ["Space", "weigh"],
    ["PageUp", "softmax"],
    ["PageDown", "weigh"],
    ["PageDown", "sum"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(page.getByTestId("stages")).toHaveAttribute("data-stage", stage);
  }
  await page.keyboard.press("PageDown");
  await expect(page).toHaveURL(/figure=2/);
  await expect(page.getByTestId("stages")).toBeHidden();
  await expect(page.getByTestId("pairs")).toBeVisible();
  const chapter = page.getByTestId("chapter");
  await expect(page.getByTestId("present-figure")).toHaveText("Figure 2 of 2");
  await page.keyboard.press("PageDown");
  await expect(chapter).not.toHaveAttribute("data-chapter", "follow");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/present=/);
  await expect(page.locator("header.header")).toBeVisible();
  await expect(page.locator("[data-presented]")).toHaveCount(0);
});

test("presenting a route: notes on demand, steps of decoding, and keys that are typed", async ({ page, scope }) => {
  const { stops } = route("look");
  const last = stops.length - 1;
  await scope.openLive(`${stop(stops, last).link}&route=look&stop=${last}&present=1&lang=en`);
  await expect(page.getByTestId("route-notes")).toHaveCount(0);
  await page.keyboard.press("n");
  await expect(page.getByTestId("route-notes")).toBeVisible();
  await expect(page).toHaveURL(/notes=1/);
  await page.keyboard.press("n");
  await expect(page.getByTestId("route-notes")).toHaveCount(0);
  await page.keyboard.press("PageDown");
  await expect(page).toHaveURL(/step=2/);
  await page.keyboard.press("PageUp");
  await expect(page).not.toHaveURL(/step=/);
  // Before the first step is the stop before.
  await page.keyboard.press("PageUp");
  await expect(page.getByTestId("route-stop")).toHaveText(stop(stops, last - 1).title.en);
});

test("a test before and after a chapter, graded on the visitor's sentence", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=masks&kind=encoder&lang=en");
  const before = sitting(page, "before");
  await before.getByText("Test yourself before you read").click();
  await expect(before.getByTestId("question")).toHaveCount(5);
  await number(before, "masked").fill("7000");
  await before.getByTestId("check").click();
  await expect(before.getByTestId("test-result")).toHaveText("0 of 5 right");
  // The answers are not given away before the chapter.
  await expect(before).not.toContainText("above the diagonal");

  const after = sitting(page, "after");
  await after.getByText("Test yourself again").click();
  const words = (await question(after, "masked").textContent()) ?? "";
  const n = Number(/has (\d+) tokens/.exec(words)?.[1]);
  expect(n).toBeGreaterThan(1);
  await number(after, "masked").fill(String((n * (n - 1)) / 2));
  await number(after, "rows").fill(String(n));
  await number(after, "visible").fill(String(n));
  await number(after, "alone").fill("100 %");
  await question(after, "ahead").getByRole("button", { name: "true" }).click();
  await after.getByTestId("check").click();
  await expect(after.getByTestId("test-result")).toHaveText("5 of 5 right");
  await expect(after).toContainText("above the diagonal");
  await expect(after.getByTestId("test-scores")).toHaveText("before: 0/5, after: 5/5");
  await expect(page).toHaveURL(/graded=masks\.0\.31/);

  await page.reload();
  await expect(sitting(page, "after").getByTestId("test-scores")).toHaveText("before: 0/5, after: 5/5");
  await sitting(page, "before").getByTestId("retake").click();
  await expect(sitting(page, "after").getByTestId("test-scores")).toHaveText("before: –, after: 5/5");
});

test("a misconception leads to where it is seen, and keeps the sentence", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=start&text=Bonjour+.&lang=en");
  const kit = page.getByTestId("kit");
  await expect(kit).toContainText("A large weight explains the output");
  await expect(kit.getByRole("link", { name: "Attention is not Explanation" })).toHaveAttribute(
    "href",
    "https://arxiv.org/abs/1902.10186",
  );
  await kit.getByTestId("see-misconception").first().click();
  await expect(page).toHaveURL(/text=Bonjour.*importance=1|importance=1.*text=Bonjour/);
  await expect(scope.thumbnails.first()).toBeVisible();
});

test("a prediction is typed before the answer shows, and checked", async ({ page, scope }) => {
  await scope.open("tab=learn&chapter=scale&lang=en");
  const prompt = page.locator('[data-prompt="ask-weight"]');
  const verdict = prompt.getByTestId("prediction-verdict");
  await prompt.getByTestId("answer-number").fill("much");
  await prompt.getByTestId("check-prediction").click();
  await expect(verdict).toContainText("Enter a prediction first");
  await prompt.getByTestId("answer-number").fill("0.97");
  await expect(prompt.getByText("0.9746")).toBeHidden();
  await prompt.getByTestId("answer-number").press("Enter");
  await expect(verdict).toContainText("Your prediction is right: 0.975");
  await expect(prompt.getByText("0.9746")).toBeVisible();
  await expect(page).toHaveURL(/predicted=ask-weight_0\.97/);
  await expect(prompt.getByTestId("answer-number")).toHaveAttribute("readonly", "");
});

function route(name: string): Route {
  const found = routes.find((other) => other.name === name);
  if (found === undefined) throw new Error(`no route ${name}`);
  return found;
}

/** A chapter's test at one of its sittings. */
function sitting(page: Page, name: "before" | "after"): Locator {
  return page.locator(`[data-testid=test][data-sitting=${name}]`);
}

function question(test: Locator, name: string): Locator {
  return test.locator(`[data-question="ask-${name}"]`);
}

function number(test: Locator, name: string): Locator {
  return question(test, name).getByTestId("answer-number");
}

/** What a stop's link names is on screen. */
async function isOpen({ page, thumbnails }: Scope, stop: Stop): Promise<void> {
  const wanted = new URLSearchParams(stop.link);
  const chapter = wanted.get("chapter");
  if (chapter !== null) {
    await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", chapter);
    await expect(page.locator("[data-testid=chapter] .prose").first()).toBeVisible();
  } else if (wanted.get("show") === "next") {
    await expect(page.getByTestId("candidates")).toBeVisible();
  } else {
    await expect(thumbnails.first()).toBeVisible();
  }
}
