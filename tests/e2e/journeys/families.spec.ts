// Checkpoints of every family on the page, in the place of a model that is served with it: the whole model is drawn, heads
// show what PyTorch `transformers` computed, and the model writes or guesses what it wrote or guessed.

import type { Page } from "@playwright/test";

import { expected, replaceCheckpoint, tiny } from "../checkpoint";
import { expect, freshTest, Scope } from "../scope";
import { walk } from "../stages";

/** A page of its own for each checkpoint, which stays from view to view. */
const test = freshTest.extend({
  scope: async ({ page }, use) => {
    await use(new Scope(page, true));
  },
});

/** A family's checkpoint: what its first layer's attention is called, and what the chapter on one head says of it alone. */
interface Family {
  checkpoint: string;
  /** The model in whose place it is. */
  model: "sentences" | "translator";
  kind: "encoder" | "decoder" | "cross";
  stages: string[];
  lacks: string[];
}

const LLAMAS = ["norm", "project-norm", "rotate", "swiglu"];
const T5S = ["embed-bias", "norm", "scores-unscaled", "softmax-unscaled", "weigh-unscaled"];

const FAMILIES: Family[] = [
  {
    checkpoint: "gpt2-tiny",
    model: "sentences",
    kind: "decoder",
    stages: ["embed-learned", "norm-layer", "feed-forward-norm"],
    lacks: ["rotate", "head-norm", "swiglu"],
  },
  { checkpoint: "qwen2", model: "sentences", kind: "decoder", stages: LLAMAS, lacks: ["head-norm"] },
  { checkpoint: "qwen3", model: "sentences", kind: "decoder", stages: [...LLAMAS, "head-norm"], lacks: [] },
  { checkpoint: "llama-yarn", model: "sentences", kind: "decoder", stages: LLAMAS, lacks: ["head-norm"] },
  { checkpoint: "padded-vocabulary", model: "sentences", kind: "decoder", stages: LLAMAS, lacks: ["head-norm"] },
  {
    checkpoint: "t5-v1_0",
    model: "translator",
    kind: "encoder",
    stages: [...T5S, "bias-t5-unscaled", "feed-forward-norm"],
    lacks: ["scale", "mask-unscaled"],
  },
  {
    checkpoint: "t5-v1_1",
    model: "translator",
    kind: "cross",
    stages: [...T5S, "project-cross-norm", "gated"],
    lacks: ["scale", "bias-t5-unscaled"],
  },
  {
    checkpoint: "bert-tiny",
    model: "translator",
    kind: "encoder",
    stages: ["embed-segments", "project", "feed-forward", "add-norm-again"],
    lacks: ["norm", "mask", "rotate"],
  },
];

/** One of the texts that PyTorch read. */
interface Case {
  name: string;
  source: number[];
  text: string | string[];
  greedy?: number[];
  masked?: number[];
  best?: number[][];
}

/** What PyTorch found of a checkpoint's first text. */
function found(checkpoint: string) {
  const { arrays, metadata } = expected(checkpoint);
  const [first]: Case[] = JSON.parse(metadata.fixture ?? "").cases;
  if (first === undefined) throw new Error(`${checkpoint} has no text`);
  const patterns = [...arrays].filter(([path]) => path.startsWith(`${first.name}/`) && path.endsWith(".pattern"));
  return { first, text: String(first.text), patterns: new Map(patterns) };
}

const SELVES = { encoder: "encoder.0.self", decoder: "decoder.0.self", cross: "decoder.0.cross" } as const;
/** The head and the cell that are looked at, from 0. */
const [HEAD, QUERY, KEY] = [1, 3, 1];

for (const { checkpoint, model, kind, stages, lacks } of FAMILIES) {
  test(`${checkpoint}: the map, a head and what the model says are PyTorch's`, async ({ page, scope }) => {
    const { first, text, patterns } = found(checkpoint);
    await replaceCheckpoint(page, model, tiny(checkpoint));
    const view = `model=${model}&text=${encodeURIComponent(text)}&kind=${kind}&layer=0&head=${HEAD}`;
    // What PyTorch was given to write is not what the model writes: the row of the start token alone is the same.
    const query = kind === "cross" ? 0 : QUERY;
    await scope.openLive(`${view}&cell=${query}.${KEY}`);
    await expect(scope.problem).toBeHidden();

    const heads = [...patterns.values()].map(({ shape }) => shape[0] ?? 0);
    await expect(scope.thumbnails).toHaveCount(heads.reduce((sum, count) => sum + count, 0));
    const pattern = patterns.get(`${first.name}/${SELVES[kind]}.pattern`);
    const [, rows = 0, columns = 0] = pattern?.shape ?? [];
    const weight = pattern?.data[(HEAD * rows + query) * columns + KEY] ?? NaN;
    expect(Math.abs((await scope.number(scope.value)) - weight)).toBeLessThan(2e-4);

    if (first.greedy !== undefined) await writes(page, scope, view, first.greedy);
    if (first.best !== undefined) await guesses(page, scope, first.best);

    await scope.openLive(`tab=learn&chapter=follow&follow-all=1&${view}`);
    const walked = await walk(scope);
    for (const stage of stages) expect(walked).toContain(stage);
    for (const stage of lacks) expect(walked).not.toContain(stage);
    await expect(page.getByText("on their way")).toHaveCount(0);
  });
}

/** The first tokens that the model writes, as the decoding steps show them. */
async function writes(page: Page, scope: Scope, view: string, greedy: number[]): Promise<void> {
  // Without a locked cell, which would open another step than the first.
  await scope.openLive(`${view}&tab=decoding`);
  const chosen = page.locator("[data-testid=candidate].chosen");
  for (const token of greedy.slice(0, 4)) {
    await expect(chosen).toHaveAttribute("data-token", String(token));
    await page.getByTestId("step-forward").click();
  }
}

/** The best tokens for each masked word, as the same tab shows them. */
async function guesses(page: Page, scope: Scope, best: number[][]): Promise<void> {
  await expect(page.getByTestId("guessed")).toContainText("[MASK] → ");
  await expect(page.getByTestId("map-embedding")).toContainText("Embedding + segments + positions → LayerNorm");
  await expect(page.getByTestId("map-output-layer")).toContainText("Output layer");
  await expect(page.getByTestId("map-words").locator(".map-word.chosen")).toHaveCount(1);
  await scope.inspect("Next word");
  const tables = page.getByTestId("guess");
  await expect(tables).toHaveCount(best.length);
  for (const [index, tokens] of best.entries()) {
    const rows = tables.nth(index).getByTestId("guessed-token");
    const shown = await rows.evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.token)));
    expect(shown).toEqual(tokens);
  }
}

test("a model that guesses masked words says how to mask one", async ({ page, scope }) => {
  await replaceCheckpoint(page, "translator", tiny("bert-tiny"));
  await scope.openLive("text=the%20old%20dog%20sits");
  await expect(page.getByTestId("guessed")).toContainText("Click a word in the bar at the foot of the page, or type [MASK]");
  await scope.inspect("Next word");
  await expect(page.getByTestId("no-masks")).toBeVisible();
  await scope.inspect("Heatmap");
  await scope.translate("the old [MASK] sits");
  await expect(page.getByTestId("guessed")).toContainText("[MASK] → ");
});

test("the map says that Qwen3 normalises queries and keys", async ({ page, scope }) => {
  await replaceCheckpoint(page, "sentences", tiny("qwen3"));
  await scope.openLive("model=sentences&text=the%20old%20dog");
  const blocks = page.getByTestId("model-map").locator(".block-name");
  await expect(blocks.first()).toContainText("RMSNorm(q), RMSNorm(k)");
});

test("of a model that uses one block again, the depths that each token used are PyTorch's", async ({ page, scope }) => {
  const { arrays } = expected("universal-act");
  const { first, text } = found("universal-act");
  const weights = [...arrays].filter(([path]) => /^sentence\/encoder\.\d+\.mlp\.depth_weight$/.test(path));
  expect(weights).toHaveLength(5);
  const used = first.source.map((_, token) => weights.filter(([, { data }]) => (data[token] ?? 0) > 0).length);
  expect(new Set(used).size).toBeGreaterThan(1);
  await replaceCheckpoint(page, "translator", tiny("universal-act"));
  await scope.openLive(`text=${encodeURIComponent(text)}`);
  await expect(page.getByTestId("depths-same")).toContainText("used up to 5 times");
  const rows = page.getByTestId("depths-encoder").locator("tbody tr");
  await expect(rows.locator(".depth-used")).toHaveText(used.map(String));
  await expect(page.getByTestId("depths-decoder").locator("tbody tr").first()).toContainText("start");
});

test("a model with weights of its own in each layer has no depths", async ({ page, scope }) => {
  await scope.openLive();
  await expect(scope.heatmap).toBeVisible();
  await expect(page.getByTestId("depths")).toHaveCount(0);
});

test("T5 takes a text that is longer than any it was trained on", async ({ page, scope }) => {
  await replaceCheckpoint(page, "translator", tiny("t5-v1_0"));
  // Three tokens a word: more than the 512 of its training.
  const text = "stars ".repeat(200).trim();
  await scope.openLive(`text=${encodeURIComponent(text)}&kind=encoder`);
  await expect(scope.problem).toBeHidden();
  await expect(scope.heatmap).toBeVisible();
});

test("GPT-2's bytes are shown as the characters they are", async ({ page, scope }) => {
  await replaceCheckpoint(page, "sentences", tiny("gpt2-tiny"));
  await scope.openLive("model=sentences&text=the%20old%20dog");
  await expect(scope.tokens).not.toContainText("Ġ");
  await expect(scope.tokens.locator(".token[title^='▁']").first()).toBeVisible();
});
