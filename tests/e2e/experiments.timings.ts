// How long the live experiments of the chapters of part IV take, from the press of the button to the last number.

import type { Page } from "@playwright/test";

import { kept } from "./kept";
import { expect, freshTest as test } from "./scope";

interface Experiment {
  name: string;
  view: string;
  /** The control that begins it. */
  button: string;
  /** Resolves when the last number is there. */
  ends: (page: Page) => Promise<void>;
}

const LONG = { timeout: 600_000 };

const EXPERIMENTS: Experiment[] = [
  {
    name: "64 tokens decoded with a cache and without (sentence model)",
    view: "tab=learn&chapter=memory&model=sentences&text=She+lost+the",
    button: "measure-decoding",
    ends: (page) => expect(page.getByTestId("decoding-times").getByRole("status").first()).toHaveText("64 of 64", LONG),
  },
  {
    name: "100 sentences with 6, 3, 2 and 1 heads of keys",
    view: "tab=learn&chapter=memory&model=sentences&text=She+lost+the",
    button: "measure-groups",
    ends: (page) => expect(page.locator("tr[data-trained=false]").last().locator("td").nth(1)).toHaveText("100", LONG),
  },
  {
    name: "100 sentences by the model trained with one head of keys, its download included",
    view: "tab=learn&chapter=memory&model=sentences&text=She+lost+the",
    button: "measure-trained",
    ends: (page) => expect(page.locator("tr[data-trained=true] td").nth(1)).toHaveText("100", LONG),
  },
  {
    name: "four models of recall, trained",
    view: "tab=learn&chapter=recall",
    button: "train-recall",
    ends: (page) => expect(page.getByTestId("recall-progress")).toHaveText("All four models are trained.", LONG),
  },
  {
    name: "induction, two layers and one, 800 steps each",
    view: "tab=learn&chapter=induction&model=induction&text=gatemnkpgatemnkp",
    button: "induction-start",
    ends: async (page) => {
      await expect(page.getByTestId("induction-progress")).toHaveCount(2);
      for (const progress of await page.getByTestId("induction-progress").all()) {
        await expect(progress).toContainText("Step 800 of 800", LONG);
      }
    },
  },
  {
    name: "84 places estimated, ten run in truth",
    view: "tab=learn&chapter=patching&model=sentences&text=She+lost&patch-other=He+lost",
    button: "estimate-places",
    ends: async (page) => {
      const exact = page.getByTestId("estimated-place").locator("td:last-child");
      await expect(exact.filter({ hasText: "%" })).toHaveCount(10, LONG);
    },
  },
  {
    name: "three kinds of model load and guess",
    view: "tab=learn&chapter=kinds",
    button: "kinds-run",
    ends: (page) => expect(page.getByTestId("kinds-guess").filter({ hasText: "%" })).toHaveCount(15, LONG),
  },
];

test("experiments of part IV", async ({ page, scope }) => {
  const took: Record<string, string> = {};
  for (const { name, view, button, ends } of EXPERIMENTS) {
    await scope.open(view);
    const control = page.getByTestId(button);
    await expect(control).toBeEnabled();
    await page.waitForTimeout(3_000);
    const began = Date.now();
    await control.click();
    // What is counted appears after the click.
    await page.waitForTimeout(100);
    await ends(page);
    took[name] = `${((Date.now() - began) / 1000).toFixed(1)} s`;
    console.log(name, took[name]);
  }
  await kept("experiments", took);
});
