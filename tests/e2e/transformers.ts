// The tiny checkpoints of `tests/fixtures` through an engine as it is served, held to what PyTorch
// `transformers` computed.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, type Page } from "@playwright/test";

import { repository } from "./browser";
import { Engine } from "./engine";
import { type Floats, readSafetensors } from "./safetensors";

/** The checkpoints that `tests/fixtures/generate.py` makes. */
export const CHECKPOINTS = ["marian-tiny", "marian-relu", "marian-gelu", "llama-tiny", "llama-gqa"];

/** On attention weights, logits and hidden states. */
const TOLERANCE = 1e-4;
/** Every quantity of a pass. */
const EVERYTHING = [
  ...["token_embedding", "embedding", "query_before_rope", "key_before_rope", "query", "key", "value"],
  ...["scores", "scaled_scores", "position_bias", "masked_scores", "pattern", "z"],
  ...["pre", "pre_linear", "post", "out", "residual", "norm", "final_norm", "logits"],
];

interface Hypothesis {
  tokens: number[];
  score: number;
}

interface Case {
  name: string;
  text: string | null;
  source: number[];
  target: number[];
  greedy: number[];
  beam: Hypothesis[];
}

interface Description {
  beam_width: number;
  length_penalty: number;
  max_new_tokens: number;
  cases: Case[];
}

/** What a trace says of its decoding. */
interface Decoding {
  hypotheses: { tokens: { id: number }[]; score: number }[];
}

const directory = join(repository, "tests/fixtures/tiny");

/** Loads a checkpoint and compares everything that the fixture holds of it. */
export async function compare(page: Page, script: string, checkpoint: string): Promise<void> {
  await page.route("**/fixtures/**", (route) => {
    const name = route.request().url().replace(/.*\//, "");
    return route.fulfill({ path: join(directory, checkpoint, name) });
  });
  const { arrays, metadata } = readSafetensors(
    readFileSync(join(directory, checkpoint, "expected.safetensors")),
  );
  const fixture: Description = JSON.parse(metadata.fixture ?? "");
  const engine = await Engine.start(page, script);
  const base = new URL("./fixtures/", page.url()).href;
  const ready = await engine.ask({ kind: "load", base, files: [], allow_fallback_adapter: true });
  expect(ready).toMatchObject({ kind: "ready" });

  const texts = fixture.cases.filter((each) => each.text !== null);
  expect(texts.length).toBeGreaterThan(3);
  for (const each of texts) {
    const expected = [...arrays].filter(([name]) => name.startsWith(`${each.name}/`));
    await comparePass(engine, each, expected);
    await compareSearches(engine, each, fixture);
  }
}

/** Asks for a run over the text of a fixture's case. */
async function run(engine: Engine, text: string | null, how: object) {
  const answer = await engine.ask({ kind: "run", text, prefix: [], search: { kind: "greedy" }, ...how });
  expect(answer).toMatchObject({ kind: "traced" });
  return readSafetensors(answer.bytes);
}

/** One pass over the tokens that `transformers` read. */
async function comparePass(
  engine: Engine,
  { name, text, source, target }: Case,
  expected: [string, Floats][],
): Promise<void> {
  // An encoder–decoder's target is forced; the last token of a prefix is predicted, not read.
  const prefix = source.length === 0 ? [] : [...target.slice(1), source.at(-1)];
  const how = { prefix, max_new_tokens: prefix.length, quantities: EVERYTHING };
  const trace = await run(engine, text, how);
  const meta = JSON.parse(trace.metadata.trace ?? "");
  const ids = (tokens: { id: number }[]) => tokens.map((token) => token.id);
  expect(ids(meta.source)).toEqual(source);
  expect(ids(meta.target)).toEqual(target);
  expect(expected.length).toBeGreaterThan(2);
  for (const [path, { shape, data }] of expected) {
    const found = trace.arrays.get(path.slice(name.length + 1));
    expect(found?.shape, path).toEqual(shape);
    expect(largestDifference(found?.data ?? new Float32Array(), data), path).toBeLessThan(TOLERANCE);
  }
}

/** Greedy and beam search. */
async function compareSearches(
  engine: Engine,
  { text, greedy, beam }: Case,
  { beam_width: width, length_penalty, max_new_tokens }: Description,
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

/** Infinite where something is missing or not a number. */
function largestDifference(found: Float32Array, expected: Float32Array): number {
  if (found.length !== expected.length) return Infinity;
  let largest = 0;
  for (const [index, value] of expected.entries()) {
    const difference = Math.abs((found[index] ?? NaN) - value);
    if (Number.isNaN(difference)) return Infinity;
    largest = Math.max(largest, difference);
  }
  return largest;
}
