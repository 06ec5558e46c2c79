// Teaching with the page: a route walked by keyboard, presenter mode, tests before and after a chapter, predictions.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Locator, Page } from "@playwright/test";

import { repository } from "../browser";
import { expect, freshTest, type Scope, test } from "../scope";

interface Words {
  en: string;
  zh: string;
}

interface Stop {
  link: string;
  minutes: number;
  title: Words;
  students: Words;
}

interface Route {
  name: string;
  title: Words;
  stops: Stop[];
  reserve?: number;
  sheet?: { task: Words; answer: Words }[];
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
  for (const name of ["ninety", "week-1", "week-2", "week-3", "week-4"]) {
    test(`the route ${name} from its first to its last link by keyboard, in ${language}`, async ({ page, scope }) => {
      const { stops, reserve = 0 } = route(name);
      await scope.openLive(`${stop(stops, 0).link}&route=${name}&lang=${language}`);
      const next = page.getByTestId("next-stop");
      const all = reserve + stops.reduce((sum, { minutes }) => sum + minutes, 0);
      let left = all;
      for (const [index, open] of stops.entries()) {
        await expect(page.getByTestId("route-stop")).toHaveText(open.title[language]);
        const place = page.getByTestId("route-place");
        await expect(place).toContainText(language === "en" ? `${left} of ${all} min left` : `${left} / ${all} 分钟`);
        left -= open.minutes;
        for (const width of name === "ninety" && language === "en" ? [390, 1440] : [1440]) {
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
      expect(left).toBe(reserve);
      await expect(next).toHaveCount(0);
      await page.goBack();
      await expect(page.getByTestId("route-stop")).toHaveText(stop(stops, -2).title[language]);
    });
  }

  test(`a hand-out is printed alone: tasks on one sheet of A4, answers on another, in ${language}`, async ({ page, scope }) => {
    await scope.open(`tab=teach&lang=${language}`);
    await page.evaluate(() => (window.print = () => {}));
    const listed = page.getByTestId("teach-route");
    await expect(listed).toHaveCount(routes.length);
    // What an A4 page has between its margins, in CSS pixels.
    await page.setViewportSize({ width: Math.floor(((210 - 32) / 25.4) * 96), height: 900 });
    const height = ((297 - 28) / 25.4) * 96;
    for (const [index, { sheet }] of routes.entries()) {
      const card = listed.nth(index);
      if (index > 0) await card.locator("summary").press("Enter");
      if (!sheet) {
        await expect(card.getByTestId("print-tasks")).toHaveCount(0);
        continue;
      }
      for (const side of ["tasks", "answers"] as const) {
        await card.getByTestId(`print-${side}`).press("Enter");
        const printed = page.locator(`#printed-sheet .sheet-${side}`);
        await expect(printed).toBeHidden();
        await page.emulateMedia({ media: "print" });
        await expect(printed).toBeVisible();
        await expect(page.getByTestId("teach")).toBeHidden();
        for (const { task, answer } of sheet) {
          await expect(printed).toContainText(task[language]);
          if (side === "answers") await expect(printed).toContainText(answer[language]);
          else expect(await printed.locator(".sheet-answer").count()).toBe(0);
        }
        expect((await printed.boundingBox())?.height).toBeLessThanOrEqual(height);
        await page.emulateMedia({ media: "screen" });
        await page.evaluate(() => dispatchEvent(new Event("afterprint")));
        await expect(page.locator("#printed-sheet")).toHaveCount(0);
      }
    }
  });
}

for (const [language, name, plan] of [
  ["en", "Teach", "90 min · 18 stops"],
  ["zh", "教学", "90 分钟 · 18 站"],
] as const) {
  test(`Teach lists the routes with what each stop does, in ${language}`, async ({ page, scope }) => {
    await scope.open(`lang=${language}`);
    await page.getByRole("tab", { name }).click();
    await expect(page).toHaveURL(/tab=teach/);
    const listed = page.getByTestId("teach-route");
    await expect(listed).toHaveCount(routes.length);
    await expect(listed.first()).toContainText(plan);
    const stops = listed.first().getByTestId("teach-stop");
    for (const [index, stop] of route("ninety").stops.entries()) {
      await expect(stops.nth(index)).toContainText(stop.title[language]);
      await expect(stops.nth(index)).toContainText(`${stop.minutes} `);
      await expect(stops.nth(index)).toContainText(stop.students[language]);
    }
    await scope.fits(390, 1280, 1920);
    await stops.nth(2).getByTestId("stop-link").click();
    await expect(page.getByTestId("route-stop")).toHaveText(stop(route("ninety").stops, 2).title[language]);
    await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "start");
  });
}

test("a route and a chapter are presented from Teach", async ({ page, scope }) => {
  await scope.open("tab=teach&chapter=masks&lang=en");
  await page.getByTestId("present-route").first().click();
  await expect(page).toHaveURL(/route=ninety/);
  await expect(page.getByTestId("presenter")).toBeVisible();
  await page.goBack();
  await page.getByTestId("present").click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "masks");
  await expect(page.locator("[data-presented]")).toHaveCount(1);
});

test("a route keeps the visitor's sentence, and is found in Teach", async ({ page, scope }) => {
  await scope.openLive("tab=teach&text=Bonjour+.");
  const listed = page.getByTestId("teach-route").filter({ hasText: route("look").title.en });
  await listed.locator("summary").click();
  await listed.getByTestId("route-link").click();
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

for (const [width, height] of [
  [1280, 720],
  [1920, 1080],
] as const) {
  test(`a presented figure fills ${width} × ${height} with its title, and nothing is cut off`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await scope.openLive("tab=learn&chapter=heads&present=1&lang=en");
    const figure = page.locator("[data-presented]");
    for (const [number, title] of [
      "All heads on one sentence",
      "Two heads in full",
      "The whole layer on one page",
      "Several queries on the same memory",
      "How far, how widely",
    ].entries()) {
      await expect(page).toHaveURL(number === 0 ? /present=1/ : new RegExp(`figure=${number + 1}`));
      await expect(figure).toHaveAttribute("data-title", title);
      await expect.poll(() => shareOfHeight(figure)).toBeGreaterThan(0.6);
      await expect.poll(() => sticksOut(page)).toBe(false);
      expect(await scope.overflow()).toBeLessThanOrEqual(0);
      // Its nine steps come before the next figure.
      const steps = title === "The whole layer on one page" ? 9 : 1;
      for (let step = 0; step < steps; step += 1) await page.keyboard.press("PageDown");
    }
  });

  test(`the whole model is presented on one screen of ${width} × ${height}`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await scope.openLive("present=1&lang=en");
    await scope.isDrawn();
    expect(await scope.overflow()).toBeLessThanOrEqual(0);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(0);
    await page.keyboard.press("PageDown");
    await expect(page).toHaveURL(/step=2/);
  });
}

test("keys step what a presented figure plays before they go on", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=lens&present=1&lang=en");
  await expect(page.getByTestId("lens-layers")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/step=2/);
  await page.keyboard.press("PageUp");
  await expect(page).not.toHaveURL(/step=/);
  const steps = Number(/of (\d+)/.exec((await page.getByTestId("step-of").textContent()) ?? "")?.[1]);
  for (let step = 1; step < steps; step += 1) await page.keyboard.press("PageDown");
  await expect(page).toHaveURL(new RegExp(`step=${steps}`));
  await expect(page).not.toHaveURL(/figure=/);
  await page.keyboard.press("PageDown");
  await expect(page).toHaveURL(/figure=2/);
});

freshTest("a second window has the notes and the time, and its keys go on", async ({ page, scope }) => {
  const { stops } = route("look");
  await scope.openLive(`${stop(stops, 0).link}&route=look&present=1&lang=en`);
  const opens = page.waitForEvent("popup");
  await page.getByTestId("notes-window").click();
  const notes = await opens;
  await expect(notes.getByTestId("notes")).toContainText(stop(stops, 0).title.en);
  await expect(notes.getByTestId("notes")).toContainText(`Next: ${stop(stops, 1).title.en}`);
  await expect(notes.getByTestId("notes-time")).toContainText(/0:0\d of \d+ min at this stop/);
  await page.getByTestId("next-stop").click();
  await expect(notes.getByTestId("notes")).toContainText(stop(stops, 1).title.en);
  await notes.close();
  await page.evaluate(() => (window.open = () => null));
  await page.getByTestId("notes-window").click();
  await expect(page.getByTestId("notes-blocked")).toBeVisible();
});

test("a test before and after a chapter, graded on the visitor's sentence", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=masks&kind=encoder&lang=en");
  const before = sitting(page, "before");
  await before.getByText("Test yourself before you read").click();
  await expect(before.getByTestId("question")).toHaveCount(6);
  await number(before, "masked").fill("7000");
  await before.getByTestId("check").click();
  await expect(before.getByTestId("test-result")).toHaveText("0 of 6 right");
  // The answers are not given away before the chapter.
  await expect(before).not.toContainText("above the diagonal");

  const after = sitting(page, "after");
  await after.getByText("Test yourself again").click();
  const words = (await question(after, "masked").textContent()) ?? "";
  const n = Number(/of the (\d+) ×/.exec(words)?.[1]);
  expect(n).toBeGreaterThan(1);
  await number(after, "masked").fill(String((n * (n - 1)) / 2));
  await after.getByTestId("check").click();
  await expect(after.getByTestId("test-result")).toHaveText("1 of 6 right");
  await expect(after).toContainText("above the diagonal");
  await expect(after.getByTestId("test-scores")).toHaveText("before: 0/6, after: 1/6");
  await expect(page).toHaveURL(/graded=masks\.0\.1/);

  await page.reload();
  await expect(sitting(page, "after").getByTestId("test-scores")).toHaveText("before: 0/6, after: 1/6");
  await sitting(page, "before").getByTestId("retake").click();
  await expect(sitting(page, "after").getByTestId("test-scores")).toHaveText("before: –, after: 1/6");
});

test("a causal question runs its changes, and its measured effects decide the answer", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=masks&kind=encoder&layer=1&head=1&cell=3.1&text=Je+ne+sais+pas+ce+que+tu+veux.&lang=en");
  const after = sitting(page, "after");
  await after.locator("summary").focus();
  await page.keyboard.press("Enter");
  const causal = question(after, "masked_key");
  const choice = causal.getByTestId("answer-choice");
  await expect(choice).toBeVisible();
  await expect(after.getByTestId("test-runs")).toBeHidden();
  await choice.focus();
  await page.keyboard.press("a");
  await after.getByTestId("check").focus();
  await page.keyboard.press("Enter");
  const words = (await causal.textContent()) ?? "";
  const effects = [..."ABCD"].map((letter) => Number(new RegExp(`${letter} ([\\d.]+)[,.]`).exec(words)?.[1]));
  const most = "ABCD".charAt(effects.indexOf(Math.max(...effects)));
  await expect(causal).toContainText(`${most}. Measured`);
  await expect(causal.getByTestId("mark")).toHaveText(most === "A" ? "Right." : "Not right.");
});

test("passes with changes can be stopped and gone on with, in Chinese", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=norms&kind=encoder&lang=zh");
  const after = sitting(page, "after");
  const stop = after.getByTestId("stop-runs");
  // The button is there only while passes are to come.
  await page.evaluate(() => {
    const watch = new MutationObserver(() => {
      const button = document.querySelector<HTMLElement>('[data-sitting="after"] [data-testid="stop-runs"]');
      if (button === null) return;
      watch.disconnect();
      button.click();
    });
    watch.observe(document.body, { childList: true, subtree: true });
  });
  await after.locator("summary").click();
  await expect(after.getByTestId("test-runs")).toContainText("已停止");
  await expect(question(after, "sublayer_off")).toContainText("还没有运行");
  await stop.click();
  await expect(question(after, "sublayer_off").getByTestId("answer-choice")).toBeVisible();
  await expect(after.getByTestId("test-runs")).toBeHidden();
});

test("a question that the model cannot answer says so, and a page without a test has none", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=training&model=recurrent-bahdanau&lang=en");
  const before = sitting(page, "before");
  await before.locator("summary").click();
  await expect(question(before, "loss_without")).toContainText("cannot be asked of the model on screen");
  await scope.openLive("tab=learn&chapter=order&before=3_1&graded=order.1.31&lang=en");
  await expect(page.getByTestId("kit")).toBeVisible();
  await expect(page.getByTestId("test")).toHaveCount(0);
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

/** How much of the window's height an element takes. */
async function shareOfHeight(element: Locator): Promise<number> {
  return element.evaluate((element) => element.getBoundingClientRect().height / innerHeight);
}

/** Whether something of the presented figure lies outside of the window. */
async function sticksOut(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const shown = document.querySelectorAll("[data-presented], [data-presented] :is(canvas, svg, td, th, button)");
    const boxes = [...shown].map((element) => element.getBoundingClientRect());
    return boxes.some(({ right, bottom }) => right > innerWidth + 1 || bottom > innerHeight + 1);
  });
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
