// A long time of use: 1,000 sentences in a row, and 100 changes of model and device. What the page holds must stay.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Browser, Page } from "@playwright/test";

import { repository } from "./browser";
import { type Held, measure } from "./memory";
import { expect, type Scope, freshTest as test } from "./scope";

/** How far what is held may grow between the first and the last measurement, as a share. */
const GROWTH = 0.05;

/** How far a part of the memory may grow in any case: WebAssembly's grows in steps and never shrinks, and functions are compiled
 * when they are first needed. The process as a whole may not. */
const STEP_BYTES = 500_000;

/** How far the page's WebAssembly memory may grow: reactive_graph 0.2 keeps the allocation of each dropped effect until the
 * signals that it read change. The release that lets go of them belongs to Leptos 0.9. */
const DROPPED_EFFECTS_BYTES = 3_000_000;

/** How many sentences, or changes, lie before each measurement. */
const SENTENCES = [100, 200, 500, 1_000];
const CHANGES = [12, 52, 100];

/** Of the sentences below those with the longest translations: words again and again up to the limit. */
const LONGEST = [
  "La fille de mon voisin cherche souvent un vieux film avec moi.",
  "La fille de mon voisin cherche souvent le train ?",
] as const;

test("1,000 sentences", async ({ browser, page, scope }) => {
  await scope.openLive("device=cpu");
  const rows = new Map<number, Held>();
  await scope.translate(LONGEST[0]);
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", LONGEST[0]);
  const most = await page.getByTestId("output-token").count();
  let done = 0;
  for (const count of SENTENCES) {
    const tokens = await page.evaluate(runSentences, { from: done, to: count });
    expect(tokens, "what was needed at once before each measurement is the most").toBeLessThanOrEqual(most);
    done = count;
    rows.set(count, await atRest(browser, page, scope));
  }
  await report("sentences", rows);
});

test("100 changes of model and device", async ({ browser, page, scope }) => {
  await scope.openLive("device=cpu");
  const rows = new Map<number, Held>();
  const device = page.getByTestId("device-name");
  const select = page.getByRole("combobox", { name: "Device" });
  const changes = [
    () => chooseModel(scope, "sentences", "Sentence model"),
    async () => {
      await scope.openDevice();
      await select.selectOption({ label: "WebGPU (software)" });
      await expect(device).toHaveText(/^WebGPU \(software\) · [\d.]+ M weights$/);
    },
    () => chooseModel(scope, "translator", "French, Chinese → English"),
    async () => {
      await scope.openDevice();
      await select.selectOption({ label: "CPU" });
      await expect(device).toHaveText(/^CPU(, \d+ threads)? · [\d.]+ M weights$/);
    },
  ];
  for (let count = 1; count <= Math.max(...CHANGES); count += 1) {
    await changes[(count - 1) % changes.length]?.();
    await scope.becomesLive();
    if (CHANGES.includes(count)) rows.set(count, await atRest(browser, page, scope));
  }
  await report("changes", rows);
});

async function chooseModel(scope: Scope, model: string, name: string): Promise<void> {
  await scope.chooseModel(model);
  await expect(scope.modelsButton).toContainText(name);
  await expect(scope.page.getByTestId("loading")).toBeHidden();
}

/** What is held with one and the same sentence on screen. The longest come before it, two of them, since one result stays until
 * the next is there: WebAssembly's memory is as large as what was needed at once, so every measurement follows the same need. */
async function atRest(browser: Browser, page: Page, scope: Scope): Promise<Held> {
  for (const sentence of [...LONGEST, "Je ne sais pas.", "Je suis étudiant."]) {
    await scope.translate(sentence);
    await expect(page.getByTestId("result")).toHaveAttribute("data-text", sentence);
    await scope.becomesLive();
  }
  await scope.comesToRest();
  return measure(browser, page);
}

/** Runs the sentences with these numbers, each as soon as the one before it is on screen. Returns the tokens of the longest
 * translation. */
async function runSentences({ from, to }: { from: number; to: number }): Promise<number> {
  const subjects = ["Je", "Tu", "Mon ami", "La fille de mon voisin", "Le chat noir"];
  const verbs = ["mange", "regarde", "cherche souvent", "ne voit pas", "aime"];
  const objects = ["une pomme", "le livre rouge", "la mer", "ses amis de Paris", "un vieux film", "le train", "du pain", "la maison"];
  const ends = [".", " !", " aujourd'hui.", " avec moi.", " ?"];
  const input = document.querySelector<HTMLTextAreaElement>("[data-testid=input]");
  if (input === null) throw new Error("there is no input");
  const answered = () => document.querySelector<HTMLElement>("[data-testid=result]")?.dataset.text;
  let most = 0;
  for (let number = from; number < to; number += 1) {
    // Every one of the 1,000 is another one, and long ones are among the first as among the last.
    const mixed = (number * 377) % 1_000;
    const word = (list: string[], place: number) => list[Math.floor(mixed / place) % list.length];
    input.value = `${word(subjects, 1)} ${word(verbs, 5)} ${word(objects, 25)}${word(ends, 200)}`;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    const due = performance.now() + 60_000;
    while (answered() !== input.value) {
      if (performance.now() > due) throw new Error(`sentence ${number} is not answered: ${input.value}`);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    most = Math.max(most, document.querySelectorAll("[data-testid=output-token]").length);
  }
  return most;
}

/** Prints the measurements, keeps them, and fails where the last is above the first by more than may be. */
async function report(name: string, rows: Map<number, Held>): Promise<void> {
  const measurements = [...rows].map(([count, held]) => ({ [name]: count, ...held }));
  console.table(measurements);
  const directory = join(repository, "target/e2e");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `soak-${name}.json`), JSON.stringify(measurements, null, 2));
  const [first, last] = [measurements[0], measurements.at(-1)] as unknown as [Held, Held];
  for (const what of Object.keys(last) as (keyof Held)[]) {
    if ((what as string) === name) continue;
    const isPart = what.endsWith("_bytes") && what !== "process_bytes";
    const step = what === "page_wasm_bytes" ? DROPPED_EFFECTS_BYTES : STEP_BYTES;
    const most = Math.max(first[what] * (1 + GROWTH), isPart ? first[what] + step : 0);
    expect.soft(last[what], what).toBeLessThanOrEqual(most);
  }
}
