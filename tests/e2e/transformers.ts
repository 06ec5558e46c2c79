// The tiny checkpoints of `tests/fixtures` through an engine as it is served, held to what PyTorch
// `transformers` computed.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, type Page, test } from "@playwright/test";

import { repository } from "./browser";
import { compareDerived } from "./derived";
import { largestDifference } from "./differences";
import { compareEdits } from "./edits";
import { Engine } from "./engine";
import { compareLens } from "./lens";
import { comparePatching } from "./patching";
import { type Floats, readSafetensors } from "./safetensors";

/** Tiny recurrent models, which have no residual stream to read. */
const RECURRENT = ["gru-fixed", "gru-both-ends", "gru-bahdanau", "gru-dot", "gru-general", "gru-concat", "gru-local"];

/** Tiny Universal Transformers: their logits are made of several depths, or signals are added at each. */
const UNIVERSAL = ["universal-act", "universal-eager", "universal-fixed"];

/** The tiny checkpoints: of every family, and of every convention that a family has. */
const CHECKPOINTS = [
  ...["marian-tiny", "marian-relu", "marian-gelu", "llama-tiny", "llama-gqa", "llama-bias"],
  ...["llama-linear", "llama-ntk", "llama-yarn", "llama-llama3", "padded-vocabulary", "qwen2", "qwen3"],
  ...["llama-betas", "llama-bounds", "qwen2-window", "mistral", "smollm3", "olmo2", "gemma2", "gemma3", "phi3", "phi3-long"],
  ...["gpt2-inverse", "gpt2-unscaled", "gpt-neox", "gpt-neox-serial"],
  ...["gpt2-tiny", "gpt2-one-layer", "t5-v1_0", "t5-v1_1", "bert-tiny", "bert-relu"],
  ...["roberta-tiny", "xlm-roberta-untied", "distilbert-tiny", "bart-tiny", "bart-untied", "m2m-tiny", "nllb-tiny"],
  ...["modernbert-tiny", "modernbert-biased", "mt5", "llama-one-layer", "gemma3-scalar"],
  ...RECURRENT,
  ...UNIVERSAL,
];

/** On attention weights, logits and hidden states. */
const TOLERANCE = 1e-4;
/** Every quantity of a pass. */
const EVERYTHING = [
  ...["token_embedding", "embedding", "query_before_norm", "key_before_norm"],
  ...["query_before_rope", "key_before_rope", "query", "key", "value"],
  ...["scores", "scaled_scores", "position_bias", "masked_scores", "center", "pattern", "z"],
  ...["pre", "pre_linear", "post", "out", "out_norm", "residual", "norm", "final_norm", "state", "readout", "halting", "depth_weight", "logits"],
];

interface Hypothesis {
  tokens: number[];
  score: number;
}

/** What `transformers` found of a model that writes text. */
interface Written {
  name: string;
  text: string | null;
  source: number[];
  target: number[];
  greedy: number[];
  beam: Hypothesis[];
}

/** What it found of a model that guesses masked words. */
interface Guessed {
  name: string;
  /** A text, or two that are read together, which the page has no way to ask for. */
  text: string[] | null;
  source: number[];
  masked: number[];
  /** The likeliest tokens at each masked word. */
  best: number[][];
}

interface Searches {
  beam_width: number;
  length_penalty: number;
  max_new_tokens: number;
}

type Description = (Searches & { cases: Written[] }) | { beam_width?: undefined; cases: Guessed[] };

/** What a trace says of its decoding. */
interface Decoding {
  hypotheses: { tokens: { id: number }[]; score: number }[];
}

const directory = join(repository, "tests/fixtures/tiny");

/** What of a checkpoint's fixture is compared. */
interface Extent {
  /** The texts that are decoded by greedy and by beam search; all are read in one pass. */
  searched: (name: string) => boolean;
  /** Whether texts are decoded with edits too; every edited pass is compared. */
  editedTextsAreDecoded: boolean;
}

/** Loads one checkpoint after the other into one engine, as the page does, and compares what their fixtures hold. What is
 * wrong with one is told, and the others are still looked at. */
export async function compareAll(page: Page, script: string, extent?: Extent): Promise<void> {
  await page.route("**/fixtures/*/*", (route) => {
    const [checkpoint = "", name = ""] = route.request().url().split("/").slice(-2);
    return route.fulfill({ path: join(directory, checkpoint, name) });
  });
  const engine = await Engine.start(page, script);
  const faults: string[] = [];
  for (const checkpoint of CHECKPOINTS) {
    await test.step(checkpoint, () => compare(page, engine, checkpoint, extent)).catch((fault: Error) =>
      faults.push(`${checkpoint}: ${fault.message}`),
    );
  }
  expect(faults).toEqual([]);
}

/** Loads a checkpoint and compares what the fixture holds of it. */
async function compare(
  page: Page,
  engine: Engine,
  checkpoint: string,
  { searched, editedTextsAreDecoded }: Extent = { searched: () => true, editedTextsAreDecoded: true },
): Promise<void> {
  const { arrays, metadata } = readSafetensors(
    readFileSync(join(directory, checkpoint, "expected.safetensors")),
  );
  const fixture: Description = JSON.parse(metadata.fixture ?? "");
  const base = new URL(`./fixtures/${checkpoint}/`, page.url()).href;
  const ready = await engine.ask({ load: { base, allow_fallback_adapter: true } });
  expect(ready).toMatchObject({ kind: "ready" });

  if (![...RECURRENT, ...UNIVERSAL].includes(checkpoint)) await compareLens(engine, checkpoint);
  await compareDerived(engine, checkpoint);
  await comparePatching(engine, checkpoint);
  const expected = (name: string) => [...arrays].filter(([path]) => path.startsWith(`${name}/`));
  if (fixture.beam_width === undefined) {
    const texts = fixture.cases.filter(({ text }) => text?.length === 1);
    expect(texts.length).toBeGreaterThan(3);
    for (const each of texts) await compareGuesses(engine, each, expected(each.name));
    return;
  }
  const texts = fixture.cases.filter(({ text }) => text !== null);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.some(({ name }) => searched(name))).toBe(true);
  for (const each of texts) {
    await comparePass(engine, each, expected(each.name));
    if (searched(each.name)) await compareSearches(engine, each, fixture);
  }
  await compareEdits(engine, checkpoint, texts, editedTextsAreDecoded);
}

/** Asks for a run over the text of a fixture's case. */
async function run(engine: Engine, text: string | null, how: object) {
  const answer = await engine.ask({ run: { text, prefix: [], search: { kind: "greedy" }, ...how } });
  expect(answer).toMatchObject({ kind: "traced" });
  return readSafetensors(answer.bytes);
}

/** One pass over the tokens that `transformers` read. */
async function comparePass(
  engine: Engine,
  { name, text, source, target }: Written,
  expected: [string, Floats][],
): Promise<void> {
  // An encoder–decoder's target is forced; the last token of a prefix is predicted, not read.
  const prefix = source.length === 0 ? [] : [...target.slice(1), source.at(-1)];
  const how = { prefix, max_new_tokens: prefix.length, quantities: EVERYTHING };
  const trace = await run(engine, text, how);
  const meta = JSON.parse(trace.metadata.trace ?? "");
  expect(ids(meta.source)).toEqual(source);
  expect(ids(meta.target)).toEqual(target);
  compareArrays(name, trace.arrays, expected);
}

/** One pass over a text with masked words, and the tokens that are likeliest at each of them. */
async function compareGuesses(
  engine: Engine,
  { name, text, source, masked, best }: Guessed,
  expected: [string, Floats][],
): Promise<void> {
  const how = { max_new_tokens: 0, quantities: EVERYTHING };
  const trace = await run(engine, text?.[0] ?? null, how);
  const meta = JSON.parse(trace.metadata.trace ?? "");
  expect(ids(meta.source)).toEqual(source);
  expect(meta.target).toEqual([]);
  compareArrays(name, trace.arrays, expected);
  const guesses: { place: number; candidates: { token: { id: number } }[] }[] = JSON.parse(
    trace.metadata.guesses ?? "[]",
  );
  expect(guesses.map(({ place }) => place)).toEqual(masked);
  const found = guesses.map(({ candidates }) => ids(candidates.map(({ token }) => token)));
  expect(found).toEqual(best);
}

const ids = (tokens: { id: number }[]): number[] => tokens.map((token) => token.id);

function compareArrays(
  name: string,
  found: Map<string, Floats>,
  expected: [string, Floats][],
): void {
  expect(expected.length).toBeGreaterThan(1);
  for (const [path, { shape, data }] of expected) {
    const place = path.slice(name.length + 1);
    // A model that adds no vectors to embeddings has one place for both.
    const array = found.get(place) ?? found.get(place.replace(/token_embedding$/, "embedding"));
    expect(array?.shape, path).toEqual(shape);
    expect(largestDifference(array?.data, data), path).toBeLessThan(TOLERANCE);
  }
}

/** Greedy and beam search. */
async function compareSearches(
  engine: Engine,
  { text, greedy, beam }: Written,
  { beam_width: width, length_penalty, max_new_tokens }: Searches,
): Promise<void> {
  const decoded = async (search: object): Promise<Hypothesis[]> => {
    const { metadata } = await run(engine, text, { search, max_new_tokens, quantities: [] });
    const { hypotheses }: Decoding = JSON.parse(metadata.decoding ?? "");
    return hypotheses.map(({ tokens, score }) => ({ tokens: tokens.map(({ id }) => id), score }));
  };
  expect((await decoded({ kind: "greedy" }))[0]?.tokens).toEqual(greedy);
  const found = await decoded({ kind: "beam", width, length_penalty });
  expect(found.map(({ tokens }) => tokens)).toEqual(beam.map(({ tokens }) => tokens));
  for (const [index, { score }] of found.entries()) {
    expect(Math.abs(score - (beam[index]?.score ?? NaN))).toBeLessThan(TOLERANCE);
  }
}
