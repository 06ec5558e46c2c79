// The chapter on activation patching: two sentences, the map of what brings the answer back, one cell dragged from one run
// onto the other, and the list of runs.

import type { Page } from "@playwright/test";

import { share } from "../numbers";
import { expect, type Scope, test } from "../scope";

const chapter = "tab=learn&chapter=patching";

/** A number as the page writes it. */
const number = (text: string | null) => share((text ?? "").replace("≈", ""));

const cell = (page: Page, row: number, column: number) =>
  page.locator(`[data-testid=patching-cell][data-patch='${row}-${column}']`);

const taken = (page: Page, row: number, column: number) =>
  page.locator(`[data-testid=patching-take][data-take='${row}-${column}']`);

/** Opens the chapter and waits for its map. */
async function open(scope: Scope, view = ""): Promise<void> {
  await scope.openLive(`${chapter}${view}`);
  await mapIsDone(scope.page);
}

async function mapIsDone(page: Page): Promise<void> {
  await expect(page.getByTestId("patching-progress")).toContainText(/(\d+) \/ \1 sites/);
}

test("the noun's own position brings the answer back in every layer of the encoder", async ({ page, scope }) => {
  await open(scope);
  await expect(page.getByTestId("patching-other")).toHaveValue("Je suis médecin");
  await expect(page.getByTestId("patching-step")).toContainText("“student” after your sentence, “doctor” after the other");
  // The embedding and three layers; the noun is two tokens here and one there.
  await expect(page.getByTestId("patching-cell")).toHaveCount(4 * 5);
  await expect(page.getByTestId("patching-lone")).toBeVisible();
  for (const row of [0, 1, 2, 3]) {
    expect(number(await cell(page, row, 2).textContent())).toBeGreaterThan(95);
    expect(Math.abs(number(await cell(page, row, 0).textContent()))).toBeLessThan(5);
    await expect(cell(page, row, 3)).toHaveText("—");
  }
  const prompt = page.locator("[data-prompt=predict-carries]");
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("It is 4. The largest share is");
});

test("one place is patched by a click, decoded again, kept, and what does not fit is marked", async ({ page, scope }) => {
  await open(scope);
  await cell(page, 2, 2).click();
  await expect(page).toHaveURL(/patch-place=encoder\.2\.mlp\.norm\*3\.3/);
  await expect(page.getByTestId("patching-share")).toContainText(/After layer 2.* of the difference/);
  await expect(page.getByTestId("patching-before").locator("li").first()).toContainText("doctor");
  await expect(page.getByTestId("patching-after").locator("li").first()).toContainText("student");
  await expect(page.getByTestId("patching-text-after")).toContainText("student");
  // In an encoder later layers are reached at every position, earlier ones at none.
  await expect(cell(page, 3, 0)).toHaveClass(/is-reached/);
  await expect(cell(page, 1, 2)).not.toHaveClass(/is-reached/);
  await page.getByTestId("keep-patch").click();
  await expect(page).toHaveURL(/patch-kept=encoder\.2\.mlp\.norm\*3\.3/);
  const kept = page.getByTestId("kept-patch");
  await expect(kept).toContainText("student");
  // Two tokens, where the run that is kept takes over a third.
  await page.getByTestId("patching-other").fill("à");
  await page.getByTestId("read-other").click();
  await expect(kept).toContainText("does not fit");
  await expect(kept).toHaveCount(1);
  await page.getByTestId("remove-patch").click();
  await expect(kept).toHaveCount(0);
});

test("a cell of one run is dragged onto another position of the other, or put there by keys", async ({ page, scope }) => {
  await open(scope, "&text=Elle+est+ici&patch-other=Il+est+ici");
  await taken(page, 1, 0).scrollIntoViewIfNeeded();
  await taken(page, 1, 0).hover();
  await page.mouse.down();
  await expect(page.getByTestId("patching-picked")).toContainText("Picked up");
  await cell(page, 1, 1).hover();
  await expect(cell(page, 1, 1)).toHaveClass(/is-over/);
  await page.mouse.up();
  await expect(page).toHaveURL(/patch-place=encoder\.1\.mlp\.norm\*1\.2/);
  await expect(page.getByTestId("patching-share")).toContainText("“Elle” onto “est”");
  await taken(page, 2, 0).focus();
  await page.keyboard.press("Enter");
  await expect(taken(page, 2, 0)).toHaveAttribute("aria-pressed", "true");
  await cell(page, 2, 0).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/patch-place=encoder\.2\.mlp\.norm\*1\.1/);
  await cell(page, 2, 0).press("ArrowUp");
  await expect(cell(page, 3, 0)).toBeFocused();
});

test("heads, the decoder and the other way round are maps of their own, and the address keeps them", async ({ page, scope }) => {
  await open(scope);
  await scope.choice("Stack", "Decoder").click();
  await scope.choice("What is taken over", "Attention out").click();
  // Self- and cross-attention of three layers, the start and four words; the last position predicts.
  await expect(page.getByTestId("patching-cell")).toHaveCount(6 * 5);
  await mapIsDone(page);
  const last = 4;
  await expect.poll(async () => number(await cell(page, 5, last).textContent())).toBeGreaterThan(90);
  expect(Math.abs(number(await cell(page, 3, last).textContent()))).toBeLessThan(5);
  await scope.choice("What is taken over", "Heads z").click();
  await mapIsDone(page);
  await expect(page.getByTestId("patching-cell")).toHaveCount(6 * 8);
  await expect(page.getByTestId("patching-take")).toHaveCount(0);
  await expect(page.locator(".patching-caption")).toHaveText(/^The other run\. In each cell/);
  await scope.choice("Taken over by", "your run").click();
  await mapIsDone(page);
  await expect(page).toHaveURL(/patch-stack=decoder&patch-what=heads&patch-into=clean/);
});

test("a map is stopped at any point, keeps its cells and is gone on with", async ({ page, scope }) => {
  const rest = `+ne+sait+pas+${"pourquoi+il+a+voulu+que+je+parte+avec+lui+demain+matin,+et+".repeat(4)}rien.`;
  await scope.openLive(`${chapter}&text=Tom${rest}&patch-other=Marie${rest}`);
  await expect(page.getByTestId("patching-progress")).toContainText(/[1-9]\d* \/ \d+ sites/);
  const stop = page.getByTestId("stop-patching");
  await stop.click();
  const progress = page.getByTestId("patching-progress");
  await expect(progress).toContainText("Stopped at");
  const known = number(/at (\d+)/.exec((await progress.textContent()) ?? "")?.[1] ?? null);
  expect(known).toBeGreaterThan(0);
  await expect(page.getByTestId("patching-cell").filter({ hasText: "·" }).first()).toBeVisible();
  await page.getByTestId("resume-patching").click();
  await mapIsDone(page);
});

test("what cannot be patched says so", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&patch-other=`);
  await expect(page.getByTestId("patching-refused")).toBeVisible();
  await page.getByTestId("patching-pair").nth(1).click();
  await expect(page.getByTestId("patching-step")).toContainText("“She” after your sentence, “He” after the other");
  await scope.openLive(`${chapter}&patch-other=Je+suis+%C3%A9tudiant`);
  await expect(page.getByTestId("patching-progress")).toContainText("do not differ");
});

test("the sentence model carries the subject to the last word", async ({ page, scope }) => {
  await open(scope);
  await page.getByTestId("found-sentences").click();
  await expect(page.getByTestId("patching-step")).toContainText("“her”", { timeout: 20_000 });
  await scope.becomesLive();
  await mapIsDone(page);
  await expect.poll(async () => number(await cell(page, 1, 1).textContent())).toBeGreaterThan(90);
  await expect.poll(async () => number(await cell(page, 3, 2).textContent())).toBeGreaterThan(85);
  await expect(cell(page, 1, 0)).toHaveText("0");
});

test("all places are estimated at once, and the best ten run in truth", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=patching&model=sentences&text=She+lost&patch-other=He+lost");
  await page.getByTestId("estimate-places").check();
  await expect(page).toHaveURL(/patch-all=1/);
  // Four layers of six heads and a network at each of three tokens.
  await expect(page.getByTestId("estimates-said")).toContainText("Places estimated by one gradient: 84. Run in truth: 10.");
  const rows = page.getByTestId("estimated-place");
  await expect(rows).toHaveCount(10);
  await expect(rows.locator("td").nth(1)).toContainText("%");
  for (const cell of await rows.locator("td:last-child").all()) await expect(cell).toContainText("%");
  await expect(page.getByTestId("places-graph").locator("circle")).toHaveCount(10);
  await rows.first().getByRole("button").click();
  await expect(page).toHaveURL(/patch-place=/);
});

test("sentences of different lengths have no estimates, and a link leads to two that have", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=patching&text=Je+suis+étudiant&patch-other=Je+suis+médecin&patch-all=1");
  await expect(page.getByTestId("estimates-said")).toContainText("different numbers of tokens");
  await page.getByTestId("even-pair").click();
  await expect(page.getByTestId("estimates-said")).toContainText("Run in truth: 10.");
});
