// Patched runs through an engine as it is served, held to what PyTorch's hooks gave (`tests/fixtures/patching.json`).

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "@playwright/test";

import { repository } from "./browser";
import type { Engine } from "./engine";

/** On differences of logits. */
const TOLERANCE = 1e-4;

interface Map {
  stack: string;
  patched: string;
  into: string;
  cells: (number | null)[];
}

interface Case {
  model: string;
  text: string;
  other: string;
  target: number[];
  answer: number;
  against: number;
  ends: { clean: number; other: number };
  maps: Map[];
}

/** What the engine answers. */
interface Found {
  ends: { clean: number; other: number };
  cells: { row: number; column: number; difference: number }[];
}

const fixture: { cases: Case[] } = JSON.parse(
  readFileSync(join(repository, "tests/fixtures/patching.json"), "utf8"),
);

/** Has the engine, which has loaded a checkpoint, compute every map that the fixture has of it. */
export async function comparePatching(engine: Engine, checkpoint: string): Promise<void> {
  for (const { model, maps, ends, text, other, target, answer, against } of fixture.cases) {
    if (model !== checkpoint) continue;
    const pair = { text, other, target, answer, against };
    for (const { stack, patched, into, cells } of maps) {
      const question = { map: { pair, stack, patched, into } };
      const reply = await engine.ask({ ask: { question: { patching: { question } } } });
      const expected = { kind: "answer", answer: { patching: { map: {} } } };
      expect(reply, `${checkpoint}: ${stack} ${patched}`).toMatchObject(expected);
      compareMap((reply.answer as { patching: { map: Found } }).patching.map, ends, cells);
    }
  }
}

function compareMap(found: Found, ends: Found["ends"], cells: (number | null)[]): void {
  expect(Math.abs(found.ends.clean - ends.clean)).toBeLessThan(TOLERANCE);
  expect(Math.abs(found.ends.other - ends.other)).toBeLessThan(TOLERANCE);
  // Cells come row by row; those without a partner are left out.
  const expected = cells.filter((cell) => cell !== null);
  expect(found.cells).toHaveLength(expected.length);
  const apart = found.cells.map(({ difference }, place) => Math.abs(difference - (expected[place] ?? NaN)));
  for (const difference of apart) expect(difference).toBeLessThan(TOLERANCE);
}
