// The logit lens and direct attribution through an engine as it is served, held to what PyTorch computed
// (`tests/fixtures/lens.json`).

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "@playwright/test";

import { repository } from "./browser";
import { largestDifference } from "./differences";
import type { Engine } from "./engine";

/** On probabilities and on shares. */
const TOLERANCE = 1e-4;

/** What `lens.py` found of a layer, position by position. */
interface Layer {
  probabilities: number[][];
  rank: number[];
  probability: number[];
}

interface Shares {
  row: number;
  token: number;
  against: number | null;
  logit: number;
  values: number[];
}

interface Case {
  model: string;
  text: string;
  target: number[];
  answers: number[];
  layers: Layer[];
  attribution: Shares[];
}

/** What the engine answers. */
interface Reading {
  words: { probability: number }[];
  rank: number;
  probability: number;
}

const fixture: { words: number; cases: Case[] } = JSON.parse(
  readFileSync(join(repository, "tests/fixtures/lens.json"), "utf8"),
);

/** Runs the text of a checkpoint, which the engine has loaded, and compares every layer and every share. */
export async function compareLens(engine: Engine, checkpoint: string): Promise<void> {
  const one = fixture.cases.find(({ model }) => model === checkpoint);
  if (one === undefined) throw new Error(`lens.json has nothing of ${checkpoint}`);
  const { text, target: prefix } = one;
  const how = { search: { kind: "greedy" }, prefix, max_new_tokens: prefix.length, quantities: [] };
  const run = await engine.ask({ run: { text, ...how } });
  expect(run).toMatchObject({ kind: "traced" });
  const ask = async (kind: string, fields: object) => {
    const question = { result: { run: run.id, question: { lens: { [kind]: fields } } } };
    const reply = await engine.ask({ ask: { question } });
    expect(reply).toMatchObject({ kind: "answer", answer: { lens: { [kind]: {} } } });
    return (reply.answer as { lens: { [kind: string]: { [field: string]: unknown } } }).lens[kind] ?? {};
  };
  const lens = await ask("layers", { words: fixture.words });
  expect((lens.answers as { id: number }[]).map(({ id }) => id)).toEqual(one.answers);
  const layers = lens.layers as Reading[][];
  expect(layers).toHaveLength(one.layers.length);
  for (const [layer, expected] of one.layers.entries()) compareLayer(layers[layer] ?? [], expected);
  for (const { row, token, against, logit, values } of one.attribution) {
    const wanted = { row, token, ...(against === null ? {} : { against }) };
    const parts = await ask("parts", wanted);
    expect(Math.abs((parts.logit as number) - logit)).toBeLessThan(TOLERANCE);
    const shares = (parts.shares as { value: number }[]).map(({ value }) => value);
    expect(largestDifference(shares, values), `${checkpoint}, row ${row}`).toBeLessThan(TOLERANCE);
    const sum = shares.reduce((all, value) => all + value, 0);
    expect(Math.abs(sum - (parts.logit as number))).toBeLessThan(TOLERANCE);
  }
}

function compareLayer(found: Reading[], { probabilities, rank, probability }: Layer): void {
  expect(found).toHaveLength(rank.length);
  for (const [position, reading] of found.entries()) {
    const words = reading.words.map((word) => word.probability);
    expect(largestDifference(words, probabilities[position] ?? [])).toBeLessThan(TOLERANCE);
    expect(Math.abs(reading.probability - (probability[position] ?? NaN))).toBeLessThan(TOLERANCE);
    // Two logits may be the same but for rounding.
    expect(Math.abs(reading.rank - (rank[position] ?? NaN))).toBeLessThanOrEqual(1);
  }
}
