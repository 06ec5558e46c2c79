// Takes the pictures in docs/screenshots: every tab, both themes, both languages, two sizes.

import { join } from "node:path";

import { repository } from "./browser";
import { expect, test } from "./scope";

const SCREENS = [
  { size: "1440x900", theme: "light" },
  { size: "1440x900", theme: "dark" },
  { size: "390x844", theme: "light" },
] as const;

// A view of each tab that shows what the tab is for.
const VIEWS = {
  heads: "layer=2&cell=3.2",
  decoding: "tab=decoding&step=3",
  positions: "tab=positions",
};

for (const { size, theme } of SCREENS) {
  for (const language of ["en", "zh"]) {
    for (const [tab, view] of Object.entries(VIEWS)) {
      const name = `${tab}-${size}-${theme}-${language}.png`;
      test(name, async ({ page, scope }) => {
        const [width = 0, height = 0] = size.split("x").map(Number);
        await page.setViewportSize({ width, height });
        await scope.openLive(`${view}&theme=${theme}&lang=${language}`);
        await expect(page.getByTestId("loading")).toBeHidden();
        // On a phone the tab is what the picture is of, and begins below the first screen.
        if (width < 600) await page.getByRole("tablist").evaluate((tabs) => tabs.scrollIntoView());
        await page.screenshot({
          path: join(repository, "docs/screenshots", name),
          animations: "disabled",
        });
      });
    }
  }
}
