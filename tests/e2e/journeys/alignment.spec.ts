// The chapter on word alignment.

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=alignment";

test("words are aligned by the best heads, by one, and by the row that is chosen", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const reading = page.getByTestId("align-reading");
  await expect(reading).toContainText(/Links: \d+; words of the target: \d+\. Read by the row that writes/);
  await expect(reading).toContainText(/alignment error rate of 0\.\d\d/);
  const rows = page.getByTestId("align-pair");
  await expect(rows.first()).toBeVisible();
  const count = await rows.count();
  await expect(page.locator("[data-link]")).toHaveCount(count);
  await page.locator("[data-head='2-0']").dblclick();
  await expect(page).toHaveURL(/aligned-heads=3\.1(&|$)/);
  await expect(reading).toContainText("heads: 1");
  await page.getByTestId("align-all").click();
  await expect(reading).toContainText("heads: 24");
  await scope.choice("Which row of the map", "The row that reads it").click();
  await expect(page).toHaveURL(/aligned-row=reading/);
  await expect(reading).toContainText("by the row that reads");
  await page.getByTestId("align-end").uncheck();
  await expect(page).toHaveURL(/aligned-end=kept/);
  await expect(reading).not.toContainText("error rate");
});

test("a model that goes on with its text has no words to align", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  await page.getByTestId("align-refused").getByTestId("use-translator").click();
  await expect(page.getByTestId("align-reading")).toContainText("heads:");
});
