// Takes the pictures in docs/screenshots: every tab in both themes, every chapter in one, both languages, two sizes.

import { join } from "node:path";

import { repository } from "./browser";
import { CHAPTERS } from "./chapters";
import { expect, freshTest as test } from "./scope";

const SCREENS = [
  { size: "1440x900", theme: "light" },
  { size: "1440x900", theme: "dark" },
  { size: "390x844", theme: "light" },
] as const;

// A view of each tab that shows what the tab is for.
const TABS = {
  explore: "layer=2&cell=3.2",
  "next-word": "show=next&step=3",
};

// Where a chapter's first figure shows more than at its beginning: what to open it at.
const FIGURES: Record<string, string> = {
  start: "stage=6",
  follow: "stage=5",
  heads: "kind=encoder&layer=0",
  roles: "kind=encoder&layer=0&head=3",
  layers: "stage=4",
  recurrent: "model=recurrent-bahdanau&step=2",
  embedding: "model=sentences&text=The+FBI+is+chasing+a+criminal+on+the+run+.",
  image: "picture=16",
  masks: "kind=encoder&layer=0",
  forcing: "forced=I+am+a+student",
  search: "search-by=beam&stage=3",
  order: "words=3.1.2.0.4",
  positions: "way=rope",
  lens: "step=1&lens-head=cross.2.0",
  patching: "patch-place=encoder.1.mlp.norm*2.2",
  explanation: "kind=cross&layer=1&head=3&reweighed=permuted.7.cross.1.3&explained-seed=7",
  compare: "kind=encoder&layer=1&head=3&compare-cell=2.3",
  universal: "model=universal&halt-token=3",
  derived: "kind=cross&layer=2&step=2",
};

const chapters = CHAPTERS.map(
  (chapter) => [`learn-${chapter}`, `tab=learn&chapter=${chapter}&${FIGURES[chapter] ?? ""}`] as const,
);

for (const { size, theme } of SCREENS) {
  const [width = 0, height = 0] = size.split("x").map(Number);
  const views = theme === "dark" ? Object.entries(TABS) : [...Object.entries(TABS), ...chapters];
  for (const language of ["en", "zh"]) {
    for (const [tab, view] of views) {
      const name = `${tab}-${size}-${theme}-${language}.png`;
      test(name, async ({ page, scope }) => {
        await page.setViewportSize({ width, height });
        await scope.openLive(`${view}&theme=${theme}&lang=${language}`);
        await expect(page.getByTestId("loading")).toBeHidden();
        await expect(page.getByText(/on their way|正在路上/)).toHaveCount(0);
        // What the picture is of begins below the first screen: on a phone the tab, of a chapter its text.
        const first = tab.startsWith("learn-") ? page.getByTestId("chapter") : page.getByRole("tablist");
        if (width < 600 || tab.startsWith("learn-")) {
          await first.evaluate((element) => element.scrollIntoView());
        }
        await page.screenshot({
          path: join(repository, "docs/screenshots", name),
          animations: "disabled",
        });
      });
    }
  }
}
