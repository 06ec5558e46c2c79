// Lines of verse: models that learned from five characters a line meet lines of seven.

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=positions";

test("a learned table names all characters of lines of five, and loses the sixth and seventh", async ({
  page,
  scope,
}) => {
  test.slow();
  await scope.openLive(`${chapter}&further=1`);
  await page.getByTestId("use-positions-model").last().click();
  await expect(page.getByTestId("device-name")).toHaveText(/ \d\d,\d{3} weights$/);
  const summary = page.getByTestId("verses-summary");
  await expect(summary).toHaveText("Correct: 12 of 12 up to character 5, 0 of 4 beyond.");
  const verses = page.getByTestId("verses");
  await expect(verses.getByRole("region", { name: /^Line \d$/ })).toHaveCount(4);
  const third = verses.getByRole("table", { name: "Line 3" });
  await expect(third.locator("thead th")).toHaveText(["reads", ..."风急天高猿啸哀"]);
  await expect(third.locator("tbody tr").nth(1).locator("td")).toHaveText(["–", "–", ..."风急天高猿"]);
  await expect(third.locator(".right")).toHaveText(["风 ✓", "急 ✓", "天 ✓"]);
  await expect(third.locator(".wrong")).toHaveCount(2);
  await expect(verses.getByRole("table", { name: "Line 1" }).locator(".wrong")).toHaveCount(0);
  // Of the table six rows were trained: the start's and one for each character.
  const rows = page.getByTestId("verse-rows");
  await expect(rows).toContainText("Rows up to 5 occurred in training");
  await rows.getByRole("application").focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("verse-rows-readout")).toContainText("position");
});

test("the same lines with RoPE, from the chapter itself", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(`${chapter}&way=rope&model=poems-learned`);
  const summary = page.getByTestId("verses-summary");
  await expect(summary).toContainText("0 of 4 beyond");
  await page
    .getByTestId("verses")
    .getByRole("group", { name: "How the model knows positions" })
    .getByRole("button", { name: "RoPE" })
    .click();
  // The distance goes on to the sixth character, and is lost at the seventh.
  await expect(summary).toHaveText("Correct: 12 of 12 up to character 5, 2 of 4 beyond.");
});

test("lines of one's own: a character without a token is said, and so is a line that is too long", async ({
  page,
  scope,
}) => {
  test.slow();
  await scope.openLive(`${chapter}&way=learned&model=poems-learned&text=${encodeURIComponent("风急天高龘啸哀")}`);
  const verses = page.getByTestId("verses");
  await expect(verses).toContainText("no token for 龘");
  await scope.openLive(
    `${chapter}&way=learned&model=poems-learned&text=${encodeURIComponent(`风急天高，${"风".repeat(40)}`)}`,
  );
  await expect(verses.locator(".notice.problem")).toContainText("Line 2");
  await expect(verses.getByRole("table", { name: "Line 1" })).toBeVisible();
});
