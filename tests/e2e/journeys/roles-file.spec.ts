// Roles of heads on the visitor's sentences: measured in the tab, stopped and continued, or read from a file of `attn roles`.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Locator } from "@playwright/test";

import { expect, freshTest as test, type Scope } from "../scope";

const MODELS = join(__dirname, "../../../assets/models");
const SENTENCES = join(MODELS, "translator/sentences.tsv");

/** Opens the tool on sentences of the visitor, of which there are none yet. */
async function opensFile(scope: Scope, view = ""): Promise<void> {
  await scope.openLive(`show=claim&tool=roles&roles=1&roles-of=file${view}`);
  await expect(scope.page.getByTestId("corpus-measured")).toContainText("Nothing has been measured");
}

function measured(scope: Scope): Locator {
  return scope.page.getByTestId("corpus-measured");
}

test("pasted sentences are measured in the tab, and the address does not have them", async ({ page, scope }) => {
  await scope.openLive("show=claim&tool=roles&roles=1");
  await scope.choice("Roles measured on", "A file of yours").click();
  await expect(page).toHaveURL(/roles-of=file/);
  await expect(page.getByTestId("corpus-measure")).toBeDisabled();
  await page.getByText("Paste sentences").click();
  await page.getByTestId("corpus-text").fill("Je suis étudiant.\n\nLe chat noir dort.\nI am here.\tJe suis ici.\n");
  await page.getByTestId("corpus-use").click();
  await expect(page.getByTestId("corpus-given")).toHaveText("Pasted text, lines to be read: 3.");
  await page.getByTestId("corpus-measure").click();
  await expect(measured(scope)).toContainText("sentences: 3.");
  await expect(page.getByTestId("roles-said")).toContainText(/^Heads with a clear role: \d+ of 72/);
  expect(page.url()).not.toContain("chat");
  // Nothing else on screen is lost, and another run leaves the measurement alone.
  await scope.translate("Il pleut.");
  await expect(measured(scope)).toContainText("sentences: 3.");
  await page.getByTestId("corpus-text").fill(" \n");
  await page.getByTestId("corpus-use").click();
  await expect(page.getByTestId("corpus-fault")).toHaveText("There is no line that can be read.");
});

test("the tab measures what attn roles measures, and a measurement is stopped and continued", async ({
  page,
  scope,
}) => {
  test.slow();
  await opensFile(scope);
  await page.getByTestId("corpus-file").setInputFiles(SENTENCES);
  await expect(page.getByTestId("corpus-given")).toHaveText("sentences.tsv, lines to be read: 100.");
  await page.getByTestId("corpus-measure").click();
  await expect(page.getByTestId("corpus-progress")).toContainText(/Sentences read: [1-9]\d* of 100, about \d+ s left/);
  await page.getByTestId("corpus-cancel").click();
  await expect(page.getByTestId("corpus-go-on")).toBeVisible();
  const read = Number((await page.getByTestId("corpus-progress").textContent())?.match(/\d+/)?.[0]);
  expect(read).toBeLessThan(100);
  await expect(measured(scope)).toContainText(`sentences: ${read}.`);
  await page.getByTestId("corpus-go-on").click();
  await expect(measured(scope)).toContainText("sentences: 100.", { timeout: 120_000 });
  // A page that is loaded anew has no sentences of the visitor.
  await scope.follow("tab=learn&chapter=roles&roles-of=file&kind=encoder&layer=0&head=3");
  await expect(page.getByTestId("head-said")).toContainText("sentences: 100.");
  const published = JSON.parse(readFileSync(join(MODELS, "translator/roles.json"), "utf8"));
  const head = published.heads.find((head: { attention: string; head: number }) =>
    head.attention === "encoder.0.self" && head.head === 3);
  for (const role of ["previous", "next", "own", "first", "end", "punctuation"]) {
    const cell = page.locator(`[data-testid=role-score][data-role=${role}] td`).nth(2);
    expect(Math.abs(Number(await cell.textContent()) - head.scores[role].weight)).toBeLessThan(0.011);
  }
  await expect(page.getByTestId("most-marks").first()).toContainText(/Strongest: .+ → .+ \d+ %/);
  await expect(page.getByTestId("roles-point")).toHaveCount(48);
});

test("a file of attn roles is dropped, and one of another model is refused", async ({ page, scope }) => {
  await opensFile(scope);
  const drop = async (model: string) => {
    const json = readFileSync(join(MODELS, model, "roles.json"), "utf8");
    const files = await page.evaluateHandle((json) => {
      const files = new DataTransfer();
      files.items.add(new File([json], "roles.json"));
      return files;
    }, json);
    await page.dispatchEvent("[data-testid=corpus-drop]", "drop", { dataTransfer: files });
  };
  await drop("sentences");
  await expect(page.getByTestId("corpus-fault")).toContainText("roles.json is about other weights");
  await drop("translator");
  await expect(page.getByTestId("corpus-fault")).toBeHidden();
  await expect(measured(scope)).toHaveText("On screen: roles.json, sentences: 100.");
  await expect(page.getByTestId("models-sheet")).toBeHidden();
  await page.getByTestId("corpus-file").setInputFiles({
    name: "photo.png",
    mimeType: "image/png",
    buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
  });
  await expect(page.getByTestId("corpus-fault")).toHaveText("photo.png is no text in UTF-8.");
});

test("a file of attn roles beside the page is opened by its address", async ({ page, scope }) => {
  const json = readFileSync(join(MODELS, "translator/roles.json"), "utf8");
  await page.route("**/corpora/french.json", (route) => route.fulfill({ body: json, contentType: "application/json" }));
  const at = (name: string): string => `show=claim&tool=roles&roles=1&roles-of=file&roles-at=${name}`;
  await scope.openLive(at("corpora/french.json"));
  await expect(measured(scope)).toHaveText("On screen: corpora/french.json, sentences: 100.");
  await expect(page.getByTestId("roles-said")).toContainText(/^Heads with a clear role: \d+ of 72/);
  await expect(page).toHaveURL(/roles-at=corpora/);
  // Sentences that are measured here take its place, in the address too.
  await page.getByText("Paste sentences").click();
  await page.getByTestId("corpus-text").fill("Je suis étudiant.");
  await page.getByTestId("corpus-use").click();
  await page.getByTestId("corpus-measure").click();
  await expect(measured(scope)).toContainText("Pasted text, sentences: 1.");
  await expect(page).not.toHaveURL(/roles-at/);

  await scope.follow(at("corpora/nothing.json"));
  await expect(page.getByTestId("corpus-fault")).toContainText("corpora/nothing.json could not be fetched");
  await scope.follow(`${at("corpora/french.json")}&model=sentences`);
  await expect(page.getByTestId("corpus-fault")).toContainText("corpora/french.json is about other weights");
});

test("a file of attn importance beside the page is shown by its address", async ({ page, scope }) => {
  const read = (name: string): object => JSON.parse(readFileSync(join(MODELS, "translator", name), "utf8"));
  // What the page publishes was written before files named their weights.
  const { weights } = read("roles.json") as { weights: string };
  const scores = { ...read("importance.json"), pairs: 60_000, weights };
  await page.route("**/corpora/french.json", (route) => route.fulfill({ json: scores }));
  const at = "show=claim&tool=importance&importance=1&importance-of=sentences&importance-at=corpora/french.json";
  await scope.openLive(at);
  await expect(page.getByTestId("importance-set")).toContainText("On 60000 sentences BLEU is");
  await expect(page.getByTestId("importance-note")).toContainText("over the sentences of corpora/french.json");
  await expect(page).toHaveURL(/importance-at=corpora/);
  await scope.follow(`${at}&model=to-chinese`);
  await expect(page.getByTestId("importance-set")).toContainText("corpora/french.json is about other weights");
});

test("a decoder-only model reads random sequences after our sentences, and skips a line that is too long", async ({
  page,
  scope,
}) => {
  await opensFile(scope, "&model=sentences");
  await page.getByText("Paste sentences").click();
  await page.getByTestId("corpus-text").fill(`The cat sleeps.\n${"very ".repeat(300)}long\nShe reads a book.`);
  await page.getByTestId("corpus-use").click();
  await page.getByTestId("corpus-measure").click();
  await expect(page.getByTestId("corpus-progress")).toContainText(/induction: 50 of 50/, { timeout: 60_000 });
  await expect(measured(scope)).toContainText("sentences: 2.");
  await expect(page.getByTestId("corpus-skipped")).toHaveText("Skipped, too long for the model: 1 (lines 2).");
});
