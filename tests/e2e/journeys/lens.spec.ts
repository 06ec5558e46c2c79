// The chapter on the logit lens: what each layer says of the next word, a logit as a sum of parts, and why one word and
// not another.

import type { Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, type Scope, test } from "../scope";

const chapter = "tab=learn&chapter=lens";

/** A number as the page writes it. */
const number = (text: string | null | undefined) => share(text ?? "");

/** The numbers in what is said of a sum: the parts' and the model's own. */
async function sums(page: Page, figure: string): Promise<[number, number]> {
  const words = page.getByTestId(`${figure}-sum`);
  const shown = await words.textContent();
  const [, sum, logit] = /: ([+−-][\d.]+)\..*: ([+−-][\d.]+)\./.exec(shown ?? "") ?? [];
  return [number(sum), number(logit)];
}

const cell = (page: Page, layer: number, position: number) =>
  page.locator(`[data-testid=lens-cell][data-cell='${layer}-${position}']`);

/** Opens the chapter and waits for its numbers. */
async function open(scope: Scope, view = ""): Promise<void> {
  await scope.openLive(`${chapter}${view}`);
  await expect(scope.page.getByTestId("lens-table")).toBeVisible();
  await expect(scope.page.getByTestId("lens-difference-sum")).toBeVisible();
}

test("every layer is read, and the last one says what the model wrote", async ({ page, scope }) => {
  await open(scope);
  // Three layers and the embedding, at each position that the decoder reads.
  const positions = await page.getByTestId("lens-table").locator("thead tr").first().locator("th[scope=col]").count();
  expect(positions).toBeGreaterThan(3);
  await expect(page.getByTestId("lens-cell")).toHaveCount(4 * positions);
  await expect(page.getByTestId("lens-answer")).toContainText("is number 1 ");
  const words = page.getByTestId("lens-unfolded").getByRole("listitem");
  await expect(words).toHaveCount(5);
  await cell(page, 0, 0).click();
  await expect(page.getByTestId("lens-answer")).toContainText("before the first layer");
  await expect(page).toHaveURL(/lens-layer=0/);
  await expect(cell(page, 0, 0)).toHaveAttribute("aria-pressed", "true");
});

test("arrow keys go through the table, and the step goes along", async ({ page, scope }) => {
  await open(scope);
  await cell(page, 3, 0).focus();
  await page.keyboard.press("ArrowDown");
  await expect(cell(page, 2, 0)).toBeFocused();
  await expect(cell(page, 2, 0)).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("ArrowRight");
  await expect(cell(page, 2, 1)).toBeFocused();
  await expect(page.getByTestId("step-of")).toContainText("Step 2 of");
  await page.getByTestId("step-forward").click();
  await expect(cell(page, 2, 2)).toHaveAttribute("aria-pressed", "true");
});

test("the parts sum to the logit, of one word and of the difference of two", async ({ page, scope }) => {
  await open(scope);
  for (const figure of ["lens-logit", "lens-difference"]) {
    const [sum, logit] = await sums(page, figure);
    expect(Math.abs(sum - logit)).toBeLessThan(3e-4);
  }
  // Beside a network that adds ten times as much, heads have a scale of their own.
  const bars = page.getByTestId("lens-logit").getByTestId("lens-head").locator(".lens-bar");
  const heights = await bars.evaluateAll((drawn) => drawn.map((bar) => bar.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeGreaterThan(20);
  // The embedding, three layers of two attentions and a network, the biases.
  await expect(page.getByTestId("lens-logit").locator("tbody tr")).toHaveCount(1 + 3 * 3 + 1);
  const rows = page.getByTestId("lens-logit").locator("td.lens-row-sum");
  const together = (await rows.allTextContents()).map(number).reduce((all, part) => all + part, 0);
  const [, logit] = await sums(page, "lens-logit");
  expect(together).toBeCloseTo(logit, 0);
});

test("both words are chosen by a click, and the address keeps them", async ({ page, scope }) => {
  await open(scope);
  const pressed = (choice: string) =>
    page.getByTestId("lens-candidates").locator(`[data-choice=${choice}][aria-pressed=true]`);
  await expect(pressed("word")).toHaveCount(1);
  const [, before] = await sums(page, "lens-difference");
  const third = page.getByTestId("lens-candidate").nth(2);
  await third.locator("[data-choice=against]").click();
  await expect(page).toHaveURL(/lens-against=3/);
  await expect.poll(async () => (await sums(page, "lens-difference"))[1]).toBeGreaterThan(before);
  // The word that was compared with becomes the word: they change places.
  await third.locator("[data-choice=word]").click();
  await expect.poll(async () => (await sums(page, "lens-difference"))[1]).toBeLessThan(0);
  await expect(third.locator("[data-choice=word]")).toHaveAttribute("aria-pressed", "true");
});

test("a head's share stands beside what really changes without it", async ({ page, scope }) => {
  await open(scope);
  await expect(page.getByTestId("lens-head-compared")).toContainText("No head is chosen");
  const head = page.getByTestId("lens-logit").locator("[data-testid=lens-head][data-head='cross.2.0']");
  await head.click();
  await expect(head).toHaveAttribute("aria-pressed", "true");
  await expect(page).toHaveURL(/lens-head=cross\.3\.1/);
  const changes = page.getByTestId("lens-change");
  await expect(changes).toHaveCount(2);
  for (const change of await changes.all()) await expect(change).toHaveText(/^[+−]?\d/);
  const share = number(await page.getByTestId("lens-share").first().textContent());
  const bar = number(await head.locator(".lens-bar-value").textContent());
  expect(share).toBeCloseTo(bar, 1);
});

test("heads that are off on screen are off here, and add nothing", async ({ page, scope }) => {
  await open(scope, "&off=cross.2.0");
  const head = page.getByTestId("lens-logit").locator("[data-head='cross.2.0']");
  await expect(head.locator(".lens-bar-value")).toHaveText("0.00");
  const [sum, logit] = await sums(page, "lens-logit");
  expect(Math.abs(sum - logit)).toBeLessThan(3e-4);
});

test("a pre-norm model is told from a post-norm one", async ({ page, scope }) => {
  await open(scope);
  await expect(page.getByTestId("chapter")).toContainText("This model is post-norm");
  await open(scope, "&model=sentences&text=I+don%27t+know+what");
  await expect(page.getByTestId("chapter")).toContainText("This model is pre-norm");
  const [sum, logit] = await sums(page, "lens-logit");
  expect(Math.abs(sum - logit)).toBeLessThan(3e-4);
});
