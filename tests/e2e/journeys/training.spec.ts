// Training, watched: a small model learns in the browser, and is a model of the page afterwards.

import { readFile } from "node:fs/promises";

import type { Locator, Page } from "@playwright/test";

import { expect, freshTest as test, Scope } from "../scope";
import { put } from "../worker";

const CHAPTER = "tab=learn&chapter=training";
/** So small that its steps take a moment. */
const TINY = `${CHAPTER}&train-letters=3&train-shortest=2&train-longest=3&train-layers=1&train-heads=2&train-d=16&train-batch=8`;
const TRAINER = /\/worker-trainer\.\w+\.js$/;

/** The row of a run in the list. */
const row = (page: Page, run: number): Locator => page.locator(`[data-testid=training-runs] tr[data-run="${run}"]`);

const state = (page: Page, run: number): Locator => row(page, run).getByTestId("training-state");

/** Trains what the form says to its end. */
async function train(page: Page, run = 1): Promise<void> {
  await page.getByTestId("training-start").click();
  await expect(state(page, run)).toHaveText("finished");
}

test("loss, accuracy and maps form, and every checkpoint can be gone back to", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=100`);
  // 3 letters, the sign and three special tokens.
  await expect(page.getByTestId("training-size")).toContainText("7 tokens");
  await train(page);
  await expect(row(page, 1).getByTestId("training-step")).toHaveText("100 / 100");
  expect(await scope.number(row(page, 1).getByTestId("training-speed"))).toBeGreaterThan(0);
  const loss = await scope.number(row(page, 1).getByTestId("training-loss-now"));
  expect(loss).toBeGreaterThan(0);
  expect(loss).toBeLessThan(Math.log(7));
  await expect(page.getByTestId("training-map")).toHaveCount(2);
  await expect(page.getByTestId("training-loss").locator("svg")).toContainText("run 1");

  const checkpoint = page.getByTestId("training-checkpoint");
  const facts = page.getByTestId("training-facts");
  await expect(facts).toContainText("Step 100 ·");
  await checkpoint.focus();
  await page.keyboard.press("Home");
  await expect(facts).toContainText("Step 0 ·");
  await expect(page).toHaveURL(/train-step=0/);
  await page.keyboard.press("ArrowRight");
  await expect(facts).toContainText("Step 2 ·");
  await page.keyboard.press("End");
  await expect(facts).toContainText("Step 100 ·");
  await expect(page).not.toHaveURL(/train-step=/);
});

test("a run that is over tells its first loss, its maps and its predictions, and is downloaded and used", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=20`);
  await train(page);
  await test.step("nothing is wider than a phone", async () => {
    await scope.fits(320);
    await page.setViewportSize({ width: 1280, height: 720 });
  });
  await test.step("before the first step the loss is about that of a model that knows nothing", async () => {
    const prompt = page.locator('[data-prompt="ask-start"]');
    await prompt.getByText("Show the answer").click();
    await expect(prompt).toContainText("1.946");
    const began = /began at (\d\.\d+)/.exec(String(await prompt.textContent()));
    expect(Math.abs(Number(began?.[1]) - Math.log(7))).toBeLessThan(1);
  });
  await test.step("weights or gradients, of any head, tell their cells", async () => {
    const large = page.locator('[data-matrix="training-one"]');
    await expect(large).toContainText("head 1");
    await page.getByTestId("training-map").nth(1).click();
    await expect(large).toContainText("head 2");
    await expect(page).toHaveURL(/train-map=2/);
    await large.getByRole("application").focus();
    await expect(page.getByTestId("sight")).toContainText("weight");
    await scope.choice("What the maps show", "Gradients").click();
    await expect(page).toHaveURL(/train-maps=gradients/);
    await large.getByRole("application").focus();
    await expect(page.getByTestId("sight")).toContainText("gradient");
  });
  await test.step("an input of one's own is watched, and one without an answer refused", async () => {
    const watch = page.getByTestId("training-watch");
    await watch.fill("cab");
    await watch.press("Enter");
    const predictions = page.getByTestId("training-predictions");
    await expect(predictions.getByRole("row", { name: /^Right/ })).toContainText("cab");
    await watch.fill("cat");
    await watch.press("Enter");
    await expect(page.getByTestId("training-watch-problem")).toContainText("no character “t”");
    await expect(predictions.getByRole("row", { name: /^Right/ })).toContainText("cab");
  });
  await test.step("a checkpoint is downloaded in Hugging Face's layout", async () => {
    const contents = new Map<string, Buffer>();
    for (const button of await page.getByTestId("training-download").all()) {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      contents.set(download.suggestedFilename(), await readFile(await download.path()));
    }
    expect([...contents.keys()]).toEqual(["config.json", "tokenizer.json", "model.safetensors"]);
    const config = JSON.parse(String(contents.get("config.json")));
    expect(config.hidden_size).toBe(16);
    expect(JSON.parse(String(contents.get("tokenizer.json"))).model).toBeDefined();
    const weights = contents.get("model.safetensors") ?? Buffer.alloc(8);
    const header = JSON.parse(weights.subarray(8, 8 + Number(weights.readBigUInt64LE(0))).toString());
    expect(Object.keys(header)).toContain("model.embed_tokens.weight");
  });
  await test.step("a storage that does not answer is said, and the model stays to be used", async () => {
    await page.evaluate(() => {
      CacheStorage.prototype.open = () => new Promise(() => {});
    });
    const use = page.getByTestId("training-use");
    await use.click();
    await expect(page.getByTestId("training-not-kept")).toContainText("its storage does not answer");
    await expect(use).not.toHaveAttribute("aria-disabled", "true");
  });
});

test("a run pauses, goes on, and trains beside one with another seed", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=5000`);
  await page.getByTestId("training-start").click();
  await expect(state(page, 1)).toHaveText("training");
  await page.getByTestId("training-pause").click();
  await expect(state(page, 1)).toHaveText("paused");
  const step = row(page, 1).getByTestId("training-step");
  // While it trained on, nothing would be at rest.
  await scope.comesToRest();
  await expect(state(page, 1)).toHaveText("paused");
  const paused = await step.textContent();
  await page.getByTestId("training-go-on").click();
  await expect(step).not.toHaveText(String(paused));

  await page.getByTestId("training-another-seed").click();
  await expect(page).toHaveURL(/train-seed=2/);
  await expect(state(page, 2)).toHaveText("training");
  await expect(state(page, 1)).toHaveText("paused");
  await page.getByTestId("training-beside").click();
  await expect(page.getByTestId("training-column")).toHaveCount(2);
  await expect(page).toHaveURL(/train-beside=1/);
  await page.getByTestId("training-alone").click();
  await expect(page.getByTestId("training-column")).toHaveCount(1);
  await page.getByTestId("training-remove").click();
  await expect(row(page, 2)).toHaveCount(0);
  await expect(page.getByTestId("training-column")).toHaveAttribute("data-run", "1");
});

test("what was trained goes on while another part of the page is open", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=300`);
  await page.getByTestId("training-start").click();
  await expect(state(page, 1)).toHaveText("training");
  await scope.openTab("Explore");
  await scope.openTab("Learn");
  await expect(state(page, 1)).toHaveText("finished");
});

test("a comparison trains two runs at the same time", async ({ page, scope }) => {
  await scope.open(CHAPTER);
  await page.locator('[data-testid=training-lesson][data-choice="positions"]').click();
  await expect(page.getByTestId("training-column")).toHaveCount(2);
  for (const run of [1, 2]) await expect(state(page, run)).toHaveText("training");
  await expect(row(page, 1)).toContainText("None");
  await expect(row(page, 2)).toContainText("RoPE");
});

test("a recurrent model learns, shows its alignment and is a model of the page", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=60`);
  await scope.choice("Architecture", "Recurrent").click();
  await expect(page).toHaveURL(/train-stacks=recurrent-bahdanau/);
  // What belongs to a Transformer is not there to be chosen.
  for (const field of ["training-layers", "training-heads", "training-positions"]) {
    await expect(page.getByTestId(field)).toHaveCount(0);
  }
  const width = page.getByTestId("training-width");
  await width.fill("15");
  await width.press("Enter");
  await expect(page.getByTestId("training-problem")).toContainText("Choose an even width");
  await width.fill("16");
  await width.press("Enter");
  await train(page);
  await expect(row(page, 1)).toContainText("Recurrent · Bahdanau’s attention · d 16");
  await expect(page.getByTestId("training-map")).toHaveCount(1);
  await scope.choice("What the maps show", "Gradients").click();
  await page.locator('[data-matrix="training-one"]').getByRole("application").focus();
  await expect(page.getByTestId("sight")).toContainText("gradient");
  await expect(page.getByTestId("training-own-layout")).toContainText("does not open these files");

  await page.getByTestId("training-use").click();
  await scope.becomesLive();
  await expect(page.getByTestId("models-button")).toContainText("Copy, Bahdanau’s attention, step 60");
  await expect(page.getByTestId("map-recurrence")).toHaveCount(2);
  await expect(scope.thumbnails).toHaveCount(1);
});

test("a recurrent run and a Transformer's are summed up, and one vector has no map", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=40&train-stacks=recurrent-fixed`);
  await train(page);
  await expect(page.getByTestId("training-no-maps")).toContainText("no attention");
  await expect(page.getByTestId("training-takeaway")).toHaveCount(0);
  await scope.choice("Architecture", "Encoder–decoder").click();
  await train(page, 2);
  await page.getByTestId("training-beside").click();
  const takeaway = page.getByTestId("training-takeaway");
  await expect(takeaway).toContainText("Run 1 (Recurrent, ");
  await expect(takeaway).toContainText("Run 2 (Transformer, ");
  await expect(takeaway).toContainText(/Steps per second: \d+\.\d of the recurrent model, \d+\.\d of the Transformer/);
  await expect(page.getByTestId("training-no-maps")).toHaveCount(1);
});

test("settings with which no run can begin are refused in words", async ({ page, scope }) => {
  await scope.open(CHAPTER);
  const problem = page.getByTestId("training-problem");
  const heads = page.getByTestId("training-heads");
  await heads.fill("3");
  await heads.press("Enter");
  await expect(problem).toContainText("32 cannot be split into heads of an even width (heads: 3)");
  // It keeps the focus, so it is only said to be disabled.
  await page.getByTestId("training-start").click({ force: true });
  await expect(page.getByTestId("training-none")).toBeVisible();
  await heads.fill("4");
  await heads.press("Enter");
  await expect(problem).toBeEmpty();

  await page.getByTestId("training-task").selectOption({ label: "Your own pairs" });
  await page.getByTestId("training-text").fill("one = un\ntwo");
  await expect(problem).toContainText("line 2 has nothing after");
  await expect(page).toHaveURL(/train-text=/);
  await page.reload();
  await expect(page.getByTestId("training-text")).toHaveValue("one = un\ntwo");
});

test("a loss that is not a number ends the run in words, and what is on screen stays", async ({ page, scope }) => {
  // The first snapshot comes; then the worker says that it diverged.
  await put(
    page,
    `const post = self.postMessage.bind(self);
     self.postMessage = (message, transfer) => {
       if (!JSON.parse(message.header).progress) return post(message, transfer);
       post({ id: message.id, header: JSON.stringify({ failed: { diverged: { step: 7 } } }) }, []);
     };`,
    1,
    TRAINER,
  );
  await scope.open(`${TINY}&train-steps=100`);
  await page.getByTestId("training-start").click();
  await expect(page.getByTestId("training-failure")).toContainText("the learning rate is too high");
  await expect(state(page, 1)).toHaveText("ended");
  await expect(page.getByTestId("training-go-on")).toHaveCount(0);
  await expect(page.getByTestId("training-facts")).toContainText("Step 0 ·");
});

test("a worker that does not start is said, and started again", async ({ page, scope }) => {
  await put(page, `throw new Error("no trainer today");`, 1, TRAINER);
  await scope.open(`${TINY}&train-steps=20`);
  await page.getByTestId("training-start").click();
  await expect(page.getByTestId("training-failure")).toContainText("no trainer today");
  await page.getByTestId("training-go-on").click();
  await expect(state(page, 1)).toHaveText("finished");
});

test("a trained model is a model of the page, and of the next visit", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=50`);
  await train(page);
  await page.getByTestId("training-use").click();
  await expect(page).toHaveURL(/model=trained-[0-9a-f]{12}/);
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(2);
  await expect(page.getByTestId("models-button")).toContainText("Copy, layers 1, step 50");

  await page.reload();
  await scope.becomesLive();
  await expect(scope.thumbnails).toHaveCount(2);
  await scope.inspect("Next word");
  await expect(page.getByTestId("step-of")).toBeVisible();

  await scope.openTab("Learn");
  await page.getByTestId("chapter").waitFor();
  await scope.open(`${CHAPTER}`);
  await expect(page.getByTestId("training-kept-model")).toHaveCount(1);
  await page.getByTestId("training-forget").click();
  await expect(page.getByTestId("training-kept")).toHaveCount(0);
});

test("models that two tabs keep are both kept, and each tab knows of them", async ({ page, scope, context }) => {
  const other = await context.newPage();
  const otherScope = new Scope(other);
  await otherScope.open(`${TINY}&train-steps=50&train-seed=2`);
  await scope.open(`${TINY}&train-steps=50`);
  await train(page);
  await page.getByTestId("training-use").click();
  await expect(page.getByTestId("models-button")).toContainText("Copy");
  await expect(other.getByTestId("training-kept-model")).toHaveCount(1);

  await train(other);
  await other.getByTestId("training-use").click();
  await expect(other.getByTestId("models-button")).toContainText("Copy");
  await scope.open(CHAPTER);
  await expect(page.getByTestId("training-kept-model")).toHaveCount(2);
  await page.getByTestId("training-forget").first().click();
  await expect(page.getByTestId("training-kept-model")).toHaveCount(1);
  await otherScope.open(CHAPTER);
  await expect(other.getByTestId("training-kept-model")).toHaveCount(1);
});

test("a link to a model that is not kept says so and leads to its settings", async ({ page, scope }) => {
  await scope.open("model=trained-0a1b2c3d4e5f&text=ab%3D&train-layers=3");
  await expect(scope.problem).toContainText("this one does not have it");
  await page.getByTestId("train-again").click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "training");
  await expect(page.getByTestId("training-layers")).toHaveValue("3");
});

test("words are summed up in digits, as a task of the page", async ({ page, scope }) => {
  await scope.open(`${CHAPTER}&train-task=numerals&train-digits=1&train-steps=4`);
  await expect(page.getByText("after “forty-two=”, write “42”")).toBeVisible();
  // The letters of ten words, ten digits, the sign and three special tokens.
  await expect(page.getByTestId("training-size")).toContainText("29 tokens");
  await train(page);
  await expect(row(page, 1).getByTestId("training-step")).toHaveText("4 / 4");
  await page.getByTestId("training-task").selectOption({ label: "Addition" });
  await expect(page).toHaveURL(/train-task=addition/);
});

test("QK-norm is a choice of a decoder alone, kept in the address, and a comparison starts both", async ({ page, scope }) => {
  await scope.open(`${TINY}&train-steps=10`);
  const parameters = async () => {
    const text = (await page.getByTestId("training-size").textContent()) ?? "";
    return Number((text.split(" ")[0] ?? "").replaceAll(",", ""));
  };
  await expect(page.getByTestId("training-size")).toContainText("parameters");
  const without = await parameters();
  await page.getByTestId("training-qk-norm").check();
  await expect(page).toHaveURL(/train-qk-norm=1/);
  // One layer with heads of width 8: a gain for each component of queries and of keys.
  expect(await parameters()).toBe(without + 16);
  await scope.choice("Architecture", "Encoder–decoder").click();
  await expect(page.getByTestId("training-qk-norm")).toHaveCount(0);
  await page.locator('[data-testid=training-lesson][data-choice="head-norm"]').click();
  await expect(page.locator("[data-testid=training-runs] tr[data-run]")).toHaveCount(2);
  await expect(row(page, 2)).toContainText("QK-norm");
  await expect(row(page, 1)).not.toContainText("QK-norm");
});
