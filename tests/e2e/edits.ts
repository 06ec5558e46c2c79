// Edited passes through an engine as it is served, held to what the same edits made in PyTorch by hooks
// (`tests/fixtures/edits.json`).

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "@playwright/test";

import { repository } from "./browser";
import { largestDifference } from "./differences";
import type { Engine } from "./engine";
import { readSafetensors } from "./safetensors";

/** On logits. */
const TOLERANCE = 1e-4;

/** An edit as the engine takes it. */
interface Edit {
  kind: string;
  order?: number[];
}

interface Case {
  name: string;
  model: string;
  source: number[];
  target: number[];
  edits: Edit[];
  /** Absent where an edit acts on tokens that are read at once. */
  greedy: number[] | null;
}

/** A text that a checkpoint reads, and its tokens. */
interface Text {
  text: string | null;
  source: number[];
  target: number[];
}

const fixtures = join(repository, "tests/fixtures");
const { max_new_tokens, cases }: { max_new_tokens: number; cases: Case[] } = JSON.parse(
  readFileSync(join(fixtures, "edits.json"), "utf8"),
);
const expected = readSafetensors(readFileSync(join(fixtures, "edits.safetensors"))).arrays;

/** Makes every edited pass of a checkpoint that the engine has loaded and compares its logits; where `isSearched`, what
 * greedy search appends while the edits act, too. Checkpoints without such cases pass. */
export async function compareEdits(
  engine: Engine,
  checkpoint: string,
  texts: Text[],
  isSearched: boolean,
): Promise<void> {
  for (const { name, source, target, edits, greedy } of cases.filter(({ model }) => model === checkpoint)) {
    const same = (text: Text) => text.text !== null && `${text.source}|${text.target}` === `${source}|${target}`;
    const text = texts.find(same)?.text;
    expect(text, name).toBeDefined();
    const ask = async (how: object) => {
      const answer = await engine.ask({ run: { text, search: { kind: "greedy" }, edits, ...how } });
      expect(answer, name).toMatchObject({ kind: "traced" });
      return readSafetensors(answer.bytes);
    };
    const prefix = given(source, edits);
    const pass = await ask({ prefix, max_new_tokens: prefix.length, quantities: ["logits"] });
    const [found, wanted] = [pass.arrays.get("logits"), expected.get(`${name}/logits`)];
    const [rows = 0, width = 0] = wanted?.shape ?? [];
    // What is forced ends at its first end token, which is predicted and not read; another order may put it early.
    const read = prefix.length === 0 ? rows : prefix.indexOf(source.at(-1) ?? NaN) + 1;
    expect(read, name).toBeGreaterThan(0);
    expect(found?.shape, name).toEqual([read, width]);
    expect(largestDifference(found?.data, wanted?.data.subarray(0, read * width)), name).toBeLessThan(TOLERANCE);

    if (greedy === null || !isSearched) continue;
    const { metadata } = await ask({ prefix: [], max_new_tokens, quantities: [] });
    const [first] = JSON.parse(metadata.decoding ?? "").hypotheses as { tokens: { id: number }[] }[];
    expect(first?.tokens.map(({ id }) => id), name).toEqual(greedy);
  }
}

/** The target tokens that are read after the start token: those of the source, in the order that it is read in. */
function given(source: number[], edits: Edit[]): number[] {
  const orders = edits.flatMap(({ kind, order }) => (kind === "permute" && order ? [order] : []));
  const inOrder = (tokens: number[], order: number[]) => order.flatMap((place) => tokens[place] ?? []);
  return orders.reduce(inOrder, source);
}
