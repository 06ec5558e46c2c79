// Maps derived from attention weights, through an engine and the lessons' worker as they are served, held to what PyTorch
// computed (`tests/fixtures/derived.safetensors`).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, type Page } from "@playwright/test";

import { repository } from "./browser";
import type { Engine } from "./engine";
import { type Floats, readSafetensors } from "./safetensors";

/** On every number. */
const TOLERANCE = 1e-4;

interface Case {
  model: string;
  text: string;
  source: number[];
  target: number[];
  row: number;
  token: number;
  logit: number;
  log_probability: number;
}

interface Matrix {
  shape: number[];
  data: number[];
}

const fixture = readSafetensors(readFileSync(join(repository, "tests/fixtures/derived.safetensors")));
const { cases }: { cases: Case[] } = JSON.parse(fixture.metadata.fixture ?? "");

/** The attentions of a case, as arrays are named: `decoder.0.cross`. */
const attentions = (model: string): string[] =>
  [...fixture.arrays.keys()]
    .filter((name) => name.startsWith(`${model}/`) && name.endsWith(".rollout"))
    .map((name) => name.slice(model.length + 1, -".rollout".length));

const array = (name: string): Floats => {
  const found = fixture.arrays.get(name);
  if (found === undefined) throw new Error(`derived.safetensors has no ${name}`);
  return found;
};

function compare(found: Matrix, name: string): void {
  const expected = array(name);
  expect(found.shape, name).toEqual(expected.shape);
  const apart = found.data.map((value, index) => Math.abs(value - (expected.data[index] ?? NaN)));
  expect(apart.every((difference) => difference < TOLERANCE), `${name}: ${Math.max(...apart)}`).toBe(true);
}

/** Runs the text of a checkpoint, which the engine has loaded, and compares rollout and the lengths of values of every
 * attention. A checkpoint that the fixture lacks is passed over. */
export async function compareDerived(engine: Engine, checkpoint: string): Promise<void> {
  const one = cases.find(({ model }) => model === checkpoint);
  if (one === undefined) return;
  const { text, target: prefix } = one;
  const how = { search: { kind: "greedy" }, prefix, max_new_tokens: prefix.length, quantities: [] };
  const run = await engine.ask({ run: { text, ...how } });
  expect(run).toMatchObject({ kind: "traced" });
  const ask = async (kind: string, fields: object): Promise<Matrix> => {
    const question = { result: { run: run.id, question: { lens: { [kind]: fields } } } };
    const reply = await engine.ask({ ask: { question } });
    expect(reply).toMatchObject({ kind: "answer", answer: { lens: { [kind]: {} } } });
    return (reply.answer as { lens: { [kind: string]: Matrix } }).lens[kind] as Matrix;
  };
  for (const attention of attentions(checkpoint)) {
    compare(await ask("joint", { map: "rollout", attention }), `${checkpoint}/${attention}.rollout`);
    compare(await ask("value_lengths", { attention }), `${checkpoint}/${attention}.lengths`);
  }
}

/** Gradients times weights of every attention of tiny checkpoints, by the lessons' worker. */
export async function compareGradients(page: Page, checkpoints: string[]): Promise<void> {
  const dist = process.env.DIST ?? join(repository, "dist");
  const script = readdirSync(dist).find((file) => /^worker-lessons\.[0-9a-f]+\.js$/.test(file));
  const directory = join(repository, "tests/fixtures/tiny");
  await page.route("**/lessons-alone.html", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
  );
  await page.route("**/tiny/*/*", (route) =>
    route.fulfill({ path: join(directory, ...new URL(route.request().url()).pathname.split("/").slice(-2)) }),
  );
  await page.goto("./lessons-alone.html");
  await page.evaluate(startLessons, script ?? "");
  for (const checkpoint of checkpoints) {
    const one = cases.find(({ model }) => model === checkpoint);
    if (one === undefined) throw new Error(`derived.safetensors has nothing of ${checkpoint}`);
    const config = JSON.parse(readFileSync(join(directory, checkpoint, "config.json"), "utf8"));
    const translates = config.is_encoder_decoder === true;
    const start: number = config.decoder_start_token_id ?? config.pad_token_id;
    const isBert = config.model_type === "bert";
    const sides = translates
      ? { source: one.source, target: [start, ...one.target.slice(0, -1)] }
      : { source: isBert ? one.source : [], target: isBert ? [] : one.source };
    const model = await Promise.all(
      ["config.json", "model.safetensors"].map(async (name) => ({
        name,
        url: new URL(`tiny/${checkpoint}/${name}`, page.url()).href,
        ...(await described(join(directory, checkpoint, name))),
      })),
    );
    for (const attention of attentions(checkpoint)) {
      for (const of of ["logit", "log_probability"] as const) {
        const asked = { ...sides, row: one.row, token: one.token, of, attention };
        const reply = await page.evaluate(
          (question) => (globalThis as unknown as Asking).askLessons(question),
          JSON.stringify({ gradient: { model, asked } }),
        );
        const { answered } = JSON.parse(reply) as { answered?: { gradient: { value: number; product: Matrix } } };
        if (answered === undefined) throw new Error(`${checkpoint}: ${reply}`);
        expect(Math.abs(answered.gradient.value - one[of])).toBeLessThan(TOLERANCE);
        compare(answered.gradient.product, `${checkpoint}/${attention}.${of}`);
      }
    }
  }
}

/** Length and digest of a file, as the manifest would have them. */
async function described(path: string): Promise<{ bytes: number; sha256: string }> {
  const contents = readFileSync(path);
  const digest = await crypto.subtle.digest("SHA-256", contents);
  return { bytes: contents.length, sha256: Buffer.from(digest).toString("hex") };
}

/** What `startLessons` leaves on the page. */
interface Asking {
  askLessons(question: string): Promise<string>;
}

/** Runs on the page: starts the worker and waits until it listens. */
function startLessons(script: string): Promise<void> {
  const worker = new Worker(`./${script}`, { type: "module" });
  let id = 0;
  (globalThis as unknown as Asking).askLessons = (header) =>
    new Promise((resolve, reject) => {
      id += 1;
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }: MessageEvent<{ header: string }>) => resolve(data.header);
      worker.postMessage({ id, header });
    });
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = () => resolve();
  });
}
