// The chapter on reading word by word and on sentences embedded by several hops of attention.

import { type Locator, type Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=embedding";

const sum = async (row: Locator): Promise<number> => {
  const cells = await row.locator("td").allTextContents();
  return cells.map(share).reduce((all, one) => all + one, 0);
};

const embed = async (page: Page, sentence: string): Promise<void> => {
  await page.getByTestId("embedded-sentence").fill(sentence);
  await page.getByTestId("embed").click();
};

test("an LSTMN reads the paper's sentence word by word, and only words before have weight", async ({ page, scope }) => {
  await scope.open(chapter);
  const lines = page.getByTestId("tape-line");
  await expect(lines.last()).toContainText("criminal");
  // The mark of the beginning, nine words and the period.
  await expect(lines).toHaveCount(11);
  const weights = async (line: number): Promise<number[]> => {
    const words = lines.nth(line).getByTestId("tape-word");
    const titles = await words.evaluateAll((all) => all.map((word) => word.getAttribute("title")));
    return titles.filter((title) => title !== null).map(share);
  };
  // At the second word there is one before it, which has all the weight.
  expect(await weights(0)).toEqual([]);
  expect(await weights(1)).toEqual([1]);
  const last = await weights(10);
  expect(last).toHaveLength(10);
  expect(Math.abs(last.reduce((all, one) => all + one, 0) - 1)).toBeLessThan(0.01);
  await expect(page.getByTestId("tape-unknown")).toContainText("chasing");

  await page.getByTestId("tapes").getByTestId("scrubber").fill("3");
  await expect(page).toHaveURL(/lstmn-word=3/);
  await expect(lines).toHaveCount(3);
  await expect(page.getByTestId("tape-said")).toContainText(/has a cosine of -?[\d.]+/);
  await expect(page.getByTestId("tape-follows")).toContainText("“is”");
  await lines.first().getByRole("button").click();
  await expect(page.getByTestId("tape-said")).toContainText("empty");

  await page.getByTestId("tapes-sentence").fill("Where is my zyzzyva?");
  await page.getByTestId("tapes-read").click();
  await expect(page).toHaveURL(/lstmn-sentence=Where\+is/);
  await expect(lines).toHaveCount(6);
  await expect(page.getByTestId("tape-unknown")).toContainText("zyzzyva");
  await page.getByTestId("tapes-sentence").fill("no ".repeat(41));
  await page.getByTestId("tapes-read").click();
  await expect(page.getByTestId("tapes-refused")).toContainText("41");
  await page.getByTestId("tapes-example").first().click();
  await expect(lines).toHaveCount(11);
});

test("the paper's sentence is read token by token, and only what was read is shaded", async ({ page, scope }) => {
  await scope.openLive(chapter);
  // The translator's encoder reads both ways.
  await expect(page.getByTestId("read-not-causal")).toBeVisible();
  await page.getByTestId("read-paper").click();
  await scope.becomesLive();
  const lines = page.getByTestId("read-line");
  await expect(lines.last()).toContainText("criminal");
  const count = await lines.count();
  expect(count).toBeGreaterThan(9);
  await expect(page.getByTestId("read-said")).toContainText("its largest weight is on");
  // The third line: three tokens are shaded, the third is the current one.
  const third = lines.nth(2).getByTestId("read-word");
  await expect(third.nth(2)).toHaveClass(/is-current/);
  await expect(third.nth(1)).toHaveAttribute("title", /^[01]\.\d{3}$/);
  await expect(third.nth(3)).not.toHaveAttribute("title", /./);
  await lines.nth(2).getByRole("button").click();
  await expect(lines).toHaveCount(3);
  await expect(page).toHaveURL(/read-token=3/);

  const of = (row: Locator) => row.getByTestId("read-word").nth(0).getAttribute("title");
  const own = await of(lines.nth(2));
  await page.getByRole("button", { name: "Mean over the layer’s heads" }).click();
  await expect(page).toHaveURL(/read-shading=layer/);
  await expect.poll(() => of(lines.nth(2))).not.toBe(own);
  const prompt = page.locator('[data-prompt="ask-first"]');
  await prompt.getByRole("textbox").fill("1");
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.locator(".verdict.right")).toBeVisible();
});

test("a sentence has a row of weights for each hop, and its mark is predicted", async ({ page, scope }) => {
  await scope.open(chapter);
  const hops = page.getByTestId("hop");
  await expect(hops).toHaveCount(4);
  for (const hop of await hops.all()) {
    expect(Math.abs((await sum(hop)) - 1)).toBeLessThan(0.05);
  }
  expect(Math.abs((await sum(page.getByTestId("hops-mean"))) - 1)).toBeLessThan(0.05);
  // A word stands over its weights.
  const middle = (cell: Element) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const box = range.getBoundingClientRect();
    return box.left + box.width / 2;
  };
  const head = await page.locator(".hops thead th").nth(2).evaluate(middle);
  expect(Math.abs(head - (await hops.first().locator("td").nth(1).evaluate(middle)))).toBeLessThan(3);
  const words = page.getByTestId("marks-words");
  await expect(words).toContainText("With all hops: question mark");
  await page.getByRole("button", { name: "I don't know where he lives." }).click();
  await expect(words).toContainText("With all hops: period");
  await expect(page).toHaveURL(/embedded=I\+don/);

  await embed(page, "Is the zyzzyva here?");
  await expect(page.getByTestId("hops-unknown")).toBeVisible();
  await expect(words).toContainText("With all hops: question mark");
  await expect(page.getByTestId("marks-typed")).toContainText("question mark");
  await embed(page, "?");
  await expect(page.getByTestId("embedded-refused")).toBeVisible();
  await embed(page, "no ".repeat(41));
  await expect(page.getByTestId("embedded-refused")).toContainText("41");
});

test("a hop is switched off, by keys too, and a link keeps it", async ({ page, scope }) => {
  await scope.open(chapter);
  const words = page.getByTestId("marks-words");
  await expect(words).toContainText("With all hops");
  const mean = page.getByTestId("hops-mean");
  const before = await mean.textContent();
  const switches = page.getByTestId("hop-on");
  for (const hop of [0, 1, 2]) {
    await switches.nth(hop).focus();
    await page.keyboard.press("Space");
  }
  await expect(page).toHaveURL(/hops-off=1\.2\.3/);
  await expect(mean).not.toHaveText(before ?? "");
  // The mean of one hop is that hop.
  const only = await page.getByTestId("hop").nth(3).locator("td").allTextContents();
  await expect(mean.locator("td")).toHaveText(only);
});

test("without the penalty the hops overlap more", async ({ page, scope }) => {
  await scope.open(chapter);
  const penalty = async (id: string): Promise<number> => {
    const words = await page.getByTestId(`overlap-${id}-penalty`).textContent();
    return Number(/[=<] (\S+)/.exec(words ?? "")?.[1]?.replace("−", "-"));
  };
  await expect(page.getByTestId("overlap-free-penalty")).toContainText("=");
  await expect(page.getByTestId("overlap-penalised-penalty")).toContainText(/[=<]/);
  const [penalised, free] = [await penalty("penalised"), await penalty("free")];
  expect(penalised).toBeLessThan(free);
  const first = await page.getByTestId("hops-mean").textContent();
  await page.getByRole("button", { name: "without the penalty", exact: true }).click();
  await expect(page).toHaveURL(/hops=free/);
  await expect(page.getByTestId("hops-mean")).not.toHaveText(first ?? "");
  // Each matrix keeps its place.
  await expect.poll(() => penalty("free")).toBe(free);
  await expect.poll(() => penalty("penalised")).toBe(penalised);
});

test("the architecture is drawn with a line for each weight, as wide as it is", async ({ page, scope }) => {
  await scope.open(chapter);
  const drawing = page.getByTestId("architecture");
  await expect(drawing.locator(".word-box")).toHaveText(["where", "did", "you", "buy", "this", "book"]);
  await expect(drawing.locator(".mark-box")).toHaveCount(3);
  const widths = await drawing
    .locator(".hop-line")
    .evaluateAll((lines) => lines.map((line) => Number(line.getAttribute("stroke-width"))));
  // Four hops, whose weights sum to one each; those without a line are below 0.01.
  expect(widths.reduce((sum, width) => sum + width, 0) / 8).toBeCloseTo(4, 1);
});

freshTest("a broken model says so, and the rest of the chapter goes on", async ({ page, scope }) => {
  await page.route(/models\/marks\/penalised\/model\..*safetensors/, (route) => route.fulfill({ body: "broken" }));
  await scope.open(chapter);
  await expect(page.getByTestId("lessons-problem").first()).toContainText("small model");
  await expect(page.getByTestId("overlap-free-penalty")).toContainText("=");
  await page.unroute(/models\/marks\/penalised\/model\..*safetensors/);
  await page.getByTestId("lessons-retry").first().click();
  await expect(page.getByTestId("hop")).toHaveCount(4);
});
