// The chapter on choosing the next word: the lecture's table searched in four ways, and the search of the model itself.

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=search";

test("greedy search comes to the lecture's 0.048, and 0.054 is better", async ({ page, scope }) => {
  await scope.open(chapter);
  const finds = page.getByTestId("greedy-finds");
  await expect(finds).toHaveText("Greedy search finds A B C eos: 0.5 × 0.4 × 0.4 × 0.6 = 0.048.");
  await expect(page.getByTestId("better")).toContainText("A C B eos, 0.5 × 0.3 × 0.6 × 0.6 = 0.054");
  await expect(page.getByTestId("greedy-steps").locator("tbody tr")).toHaveCount(4);
  const prompt = page.locator('[data-prompt="ask-greedy"]');
  await prompt.getByRole("textbox").fill("0.048");
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.getByTestId("prediction-verdict").locator(".right")).toBeVisible();
});

test("tokens that are chosen at once miss the best sequence", async ({ page, scope }) => {
  await scope.open("tab=learn&chapter=search");
  const prompt = page.locator('[data-prompt="ask-at-once"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("A B C eos, whose probability is 0.048");
  await expect(prompt).toContainText("A C B eos with 0.054");
});

test("all 256 sequences are ranked, and A eos leads only without alpha", async ({ page, scope }) => {
  await scope.open(`${chapter}&search-by=exhaustive`);
  const rows = page.getByTestId("all-sequences").locator("tbody tr");
  await expect(page.getByTestId("sequence-count")).toContainText("256");
  await expect(rows).toHaveCount(10);
  await expect(rows.first()).toContainText("A C B eos");
  await expect(page.getByTestId("search-cost")).toContainText("85 rows of the table, 340 probabilities");
  await page.getByTestId("list-all").click();
  await expect(rows).toHaveCount(256);
  await expect(page).toHaveURL(/search-all=1/);

  await page.getByRole("button", { name: "Up to the first eos" }).click();
  await expect(page.getByTestId("sequence-count")).toContainText("121");
  await expect(rows.first()).toContainText("A C B eos");
  await page.getByTestId("search-methods").getByTestId("search-alpha").fill("0");
  await expect(rows.first()).toContainText("0.100");
  await expect(page).toHaveURL(/search-alpha=0/);
  await expect(page.getByTestId("alpha-table-reading")).toContainText("With α = 0.75: A C B eos");
});

test("a row that does not sum to one is told, and the results stay", async ({ page, scope }) => {
  await scope.open(chapter);
  const cell = page.getByRole("textbox", { name: "probabilities of the next token, row step 1, column A" });
  await cell.fill("0.6");
  await expect(page.getByTestId("table-fault")).toContainText("Row “step 1” sums to 1.10");
  await expect(page.getByTestId("greedy-finds")).toContainText("0.048");
  await page.getByRole("textbox", { name: "row step 1, column B" }).fill("0.1");
  await expect(page.getByTestId("table-fault")).toHaveCount(0);
  await expect(page.getByTestId("greedy-finds")).toContainText("0.6 × 0.4 × 0.4 × 0.6");
  await page.reload();
  await expect(page.getByTestId("greedy-finds")).toContainText("0.6 × 0.4 × 0.4 × 0.6");
  await page.getByTestId("search-reset").click();
  await expect(page.getByTestId("greedy-finds")).toContainText("0.048");
  await expect(page).not.toHaveURL(/search-table=/);
});

test("the beam's tree grows, and a node that is clicked is forced", async ({ page, scope }) => {
  await scope.open(`${chapter}&search-by=beam`);
  const methods = page.getByTestId("search-methods");
  const nodes = page.getByTestId("beam-tree").getByTestId("tree-node");
  await expect(nodes).toHaveCount(4);
  await methods.getByTestId("step-forward").click();
  await expect(nodes).toHaveCount(12);
  await methods.getByTestId("scrubber").fill("4");
  await expect(page.getByTestId("beam-tree").locator(".tree-node.best")).toHaveCount(4);
  await expect(page.getByTestId("beam-results").locator("tbody tr").first()).toContainText("A C B eos");

  const pruned = page.getByTestId("beam-tree").locator("[data-tokens='2']");
  await expect(pruned).toHaveClass(/pruned/);
  await pruned.press("Enter");
  await expect(page).toHaveURL(/search-prefix=2/);
  await expect(page.getByTestId("forced-prefix")).toContainText("Forced: C");
  await expect(page.getByTestId("beam-results").locator("tbody tr").first()).toContainText(/C /);
  await page.getByTestId("release-prefix").click();
  await expect(page).not.toHaveURL(/search-prefix=/);
});

test("what is drawn from is what is shown, and a seed draws the same again", async ({ page, scope }) => {
  await scope.open(`${chapter}&search-by=sampling&search-top-k=1`);
  await expect(page.getByTestId("drawn-from")).toHaveAccessibleName(/drawn from A: 1\.000, B: 0\.000/);
  const first = page.getByTestId("frequencies").locator("tbody tr").first();
  // With one token left, sampling is greedy search.
  await expect(first).toContainText("A B C eos");
  await page.getByTestId("search-top-k").fill("4");
  await expect(page.getByTestId("drawn-from")).toHaveAccessibleName(/drawn from A: 0\.500, B: 0\.200/);
  const sequence = page.getByTestId("first-sequence");
  const before = await sequence.textContent();
  await page.getByTestId("search-draw-again").click();
  await expect(page).toHaveURL(/search-seed=2/);
  await expect(sequence).not.toHaveText(before ?? "");
  await page.getByTestId("search-seed").fill("1");
  await page.getByTestId("search-seed").press("Enter");
  await expect(sequence).toHaveText(before ?? "");
});

test("10,000 words and 10 steps are 10 to the 40 sequences", async ({ page, scope }) => {
  await scope.open(chapter);
  await expect(page.getByTestId("cost-exhaustive")).toHaveText("10⁴⁰");
  await expect(page.getByTestId("cost-beam")).toHaveText("500,000");
  await expect(page.getByTestId("refused")).toContainText("10⁴⁰ sequences are too many");
  const isWhole = (field: HTMLInputElement) => field.scrollWidth <= field.clientWidth;
  expect(await page.getByTestId("count-n").evaluate(isWhole)).toBe(true);
  await page.getByTestId("count-n").fill("4");
  await page.getByTestId("count-t").fill("4");
  await page.getByTestId("count-t").press("Enter");
  await expect(page.getByTestId("cost-exhaustive")).toHaveText("256");
  await expect(page.getByTestId("refused")).toHaveText("");
  await expect(page).toHaveURL(/count-n=4&count-t=4/);
});

test("the model's own search is a tree, and a node forces its beginning", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&text=Je+suis+%C3%A9tudiant&beam=4&step=99`);
  const section = page.getByTestId("live-search");
  const nodes = page.getByTestId("live-tree").getByTestId("tree-node");
  await expect(page.getByTestId("live-tree").locator(".tree-node.best").first()).toBeVisible();
  await expect(page.getByTestId("live-alpha-table").locator("tbody tr")).toHaveCount(4);
  await expect(page.getByTestId("live-cost")).toContainText(/= 4 × [\d,]+ × \d+ = [\d,]+ probabilities\. Measured: \d+ ms/);
  await section.getByTestId("scrubber").fill("1");
  await expect(page).not.toHaveURL(/step=99/);
  const dropped = page.getByTestId("live-tree").locator(".tree-node.pruned").first();
  await dropped.click();
  await scope.becomesLive();
  await expect(page.getByTestId("live-forced")).toBeVisible();
  await expect(nodes.first()).toBeVisible();
  await page.getByTestId("live-release").click();
  await expect(page).not.toHaveURL(/[#&]prefix=/);

  await page.getByTestId("live-k").selectOption({ index: 0 });
  await expect(page).not.toHaveURL(/[#&]beam=/);
  await expect(section).toContainText("Greedy search has one result");
});

test("the model draws its words, from the probabilities that are shown, the same again for the same seed", async ({
  page,
  scope,
}) => {
  await scope.openLive(`${chapter}&text=Je+suis+%C3%A9tudiant`);
  const section = page.getByTestId("live-search");
  await section.getByRole("button", { name: "Sampling" }).click();
  const table = section.getByTestId("live-drawn");
  const reading = section.getByTestId("live-drawn-reading");
  // The model's own probabilities: both columns are the same.
  await expect(table.locator("tbody tr").nth(9)).toBeVisible();
  for (const row of await table.locator("tbody tr").all()) {
    const [model, drawn] = await row.locator("td").allTextContents();
    expect(drawn).toBe(model);
  }
  await expect(table.locator("tr.chosen")).toHaveCount(1);
  const numbers = /The random number was ([\d.]+)\..* reaches from ([\d.]+) to ([\d.]+),/;
  const [, uniform, from, to] = (numbers.exec((await reading.textContent()) ?? "") ?? []).map(Number);
  expect(from).toBeLessThanOrEqual((uniform ?? NaN) + 1e-4);
  expect(uniform).toBeLessThanOrEqual((to ?? NaN) + 1e-4);

  // At the last step of what was written, which is not the same step for another seed.
  const written = async () => {
    await section.getByTestId("scrubber").fill("99");
    return section.getByTestId("live-tree").locator(".tree-node.best").evaluateAll(
      (nodes) => nodes.map((node) => node.getAttribute("data-tokens")).join(" "),
    );
  };
  /** What is written once it is neither nothing nor this. */
  const other = async (before: string) => {
    let now = "";
    await expect.poll(async () => (now = await written()) !== "" && now !== before).toBe(true);
    return now;
  };

  // A hot model writes something else for another seed, and the same for the first one.
  const mild = await other("");
  await section.getByTestId("live-temperature").fill("200");
  const first = await other(mild);
  await section.getByTestId("live-draw-again").click();
  await other(first);
  await section.getByTestId("live-seed").fill("1");
  await section.getByTestId("live-seed").press("Enter");
  await expect.poll(written).toBe(first);

  // With one token left, sampling is greedy search.
  await section.getByTestId("live-top-k").fill("1");
  await section.getByTestId("live-top-k").press("Enter");
  await expect(reading).toContainText("Tokens left to draw from: 1.");
  await expect(table.locator("tr.chosen td").nth(1)).toHaveText("1.0000");
  const drawn = await written();
  await section.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page).not.toHaveURL(/sampling=/);
  await expect(table).toHaveCount(0);
  await expect.poll(written).toBe(drawn);
});

test("the tree of a search grows while it goes on", async ({ page, scope }) => {
  const text = "Je ne sais pas si nous pourrons partir demain matin, car il pleut depuis trois jours et la route est coupée";
  await scope.openLive(`${chapter}&step=99&text=${encodeURIComponent(text)}`);
  // Every count of nodes that the page tells of while it searches.
  await page.evaluate(() => {
    const told: string[] = [];
    Object.assign(window, { told });
    const growing = document.querySelector('[data-testid="live-growing"]');
    if (!growing) throw new Error("no place for the news");
    new MutationObserver(() => {
      const text = growing.textContent?.trim();
      if (text) told.push(text);
    }).observe(growing, { childList: true, characterData: true, subtree: true });
  });
  await page.getByTestId("live-k").selectOption({ index: 7 });
  await expect(page).toHaveURL(/beam=8/);
  await expect(page.getByTestId("live-growing")).toBeEmpty();
  await expect(page.getByTestId("live-alpha-table").locator("tbody tr")).toHaveCount(8);
  const told = await page.evaluate(() => (window as unknown as { told: string[] }).told);
  const counts = told.map((text) => Number(/(\d+)\.$/.exec(text)?.[1]));
  expect(counts.length).toBeGreaterThan(1);
  expect(counts).toEqual([...counts].sort((one, other) => one - other));
});
