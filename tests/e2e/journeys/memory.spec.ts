// A page that is used for long holds no more than one that was just opened.

import type { Page } from "@playwright/test";

import { countNodes } from "../memory";
import { expect, freshTest as test, type Scope } from "../scope";

const SENTENCES = 20;

test("no node is left over of a sentence that is gone", async ({ page, scope }) => {
  await scope.openLive();
  const examples = page.getByTestId("example");
  const run = async (): Promise<void> => {
    for (const [example, word] of [[examples.nth(1), "bibliothèque"], [examples.nth(0), "suis"]] as const) {
      await scope.openTexts();
      await example.click();
      await shows(scope, word);
    }
  };
  await run();
  const before = await countNodes(page);
  for (let done = 0; done < SENTENCES; done += 2) await run();
  expect(await countNodes(page)).toBe(before);
});

test("of a sentence that is typed, only what the browser keeps to undo the typing", async ({ context, page, scope }) => {
  await scope.openLive();
  const type = async (): Promise<void> => {
    for (const [sentence, word] of [["Je ne sais pas.", "sais"], ["Je suis étudiant.", "étudiant"]] as const) {
      await scope.translate(sentence);
      await shows(scope, word);
    }
  };
  await type();
  const before = await countNodes(page);
  for (let done = 0; done < SENTENCES; done += 2) await type();
  const grown = (await countNodes(page)) - before;

  const bare = await context.newPage();
  await bare.setContent("<textarea></textarea>");
  expect(grown).toBeLessThanOrEqual(await undoNodes(bare));
});

/** Waits for the answer to a sentence with this word. */
async function shows(scope: Scope, word: string): Promise<void> {
  await expect(scope.tokens).toContainText(word);
  await scope.becomesLive();
}

/** How many nodes a text box keeps after as many changes as there are sentences. */
async function undoNodes(page: Page): Promise<number> {
  const box = page.getByRole("textbox");
  await box.fill("first");
  const before = await countNodes(page);
  for (let done = 0; done < SENTENCES; done += 1) await box.fill(`text ${done}`);
  return (await countNodes(page)) - before;
}
