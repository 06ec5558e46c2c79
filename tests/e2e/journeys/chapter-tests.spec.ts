// Every chapter's test, in both forms: each choice has one right answer, and what is marked wrong is wrong.

import type { Locator } from "@playwright/test";

import { expect, test } from "../scope";

/** The pages whose test is taken before and after. */
const tested = [
  "hand", "follow", "scale", "heads", "positions", "masks", "norms", "search", "training",
  "recurrent", "layers", "embedding",
  "roles", "explanation", "lens", "patching",
  "sizes", "long", "memory", "image",
];

const letters = ["A", "B", "C", "D"];

/** The questions that this text decides and whose answer is a letter. */
async function ofLetters(test: Locator): Promise<Locator[]> {
  const asked: Locator[] = [];
  for (const question of await test.getByTestId("question").all()) {
    const options = question.getByTestId("answer-choice").locator("option");
    if ((await options.filter({ hasText: /^\s*B\s*$/ }).count()) === 1) asked.push(question);
  }
  return asked;
}

for (const chapter of tested) {
  for (const sitting of ["before", "after"]) {
    test(`the test of ${chapter}, ${sitting} it, has one right letter for each choice`, async ({ page, scope }) => {
      const text = "Je+ne+sais+pas+ce+que+tu+veux.";
      await scope.openLive(`v=2&tab=learn&chapter=${chapter}&kind=encoder&layer=2&head=3&cell=4.1&text=${text}&lang=en`);
      const taken = page.locator(`[data-testid=test][data-sitting=${sitting}]`);
      await taken.locator("summary").first().click();
      await expect(taken.getByTestId("question")).toHaveCount(6);
      await expect(taken.getByTestId("answer-choice").first()).toBeVisible();
      // Questions wait for passes, which are run one after the other.
      await expect(taken.getByText(/on their way/)).toHaveCount(0, { timeout: 120_000 });
      await expect(taken.getByTestId("test-runs")).toBeHidden();
      const asked = await ofLetters(taken);
      expect(asked.length).toBeGreaterThan(0);
      const marks: string[][] = asked.map(() => []);
      for (const letter of letters) {
        for (const number of await taken.getByTestId("answer-number").all()) await number.fill("987654");
        const chosen: number[] = [];
        for (const [index, question] of asked.entries()) {
          const choice = question.getByTestId("answer-choice");
          const labels = await choice.locator("option").allTextContents();
          if (!labels.some((label) => label.trim() === letter)) continue;
          await choice.selectOption({ label: letter });
          chosen.push(index);
        }
        await taken.getByTestId("check").click();
        await expect(taken.getByTestId("test-result")).toContainText(" of 6 right");
        for (const index of chosen) {
          marks[index]?.push((await asked[index]?.getByTestId("mark").textContent()) ?? "");
        }
        await taken.getByTestId("retake").click();
      }
      for (const marked of marks) {
        expect(marked.filter((mark) => mark === "Right.")).toHaveLength(1);
        expect(marked.filter((mark) => mark === "Not right.").length).toBeGreaterThan(1);
      }
    });
  }
}
