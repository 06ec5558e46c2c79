// The chapter on judging a text: counts that follow two typed texts, and two texts that a model reads.

import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=judging";

test("the lecture's letters: 4/5, 3/4, 1/3, 0 and a brevity penalty of 0.819", async ({ page, scope }) => {
  await scope.open(chapter);
  const rows = page.getByTestId("bleu-table").locator("tbody tr");
  await expect(rows).toHaveCount(4);
  const counts = await rows.evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("td")].slice(0, 3).map((cell) => cell.textContent)),
  );
  expect(counts).toEqual([
    ["4", "5", "0.800"],
    ["3", "4", "0.750"],
    ["1", "3", "0.333"],
    ["0", "2", "0.000"],
  ]);
  await expect(page.getByTestId("brevity")).toContainText("e^(1 − 6/5) = 0.819");
  // The notes' formula with both weights up to bigrams, beside what sacreBLEU prints.
  await expect(rows.nth(1).locator("td").nth(3)).toHaveText("0.634");
  await expect(rows.nth(1).locator("td").nth(4)).toHaveText("0.681");
  await expect(page.getByTestId("sacrebleu-line")).toHaveText(
    "BLEU = 38.72 80.0/75.0/33.3/25.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)",
  );
  const rouge = page.getByTestId("rouge-table").locator("tbody tr");
  await expect(rouge.locator("td:nth-child(4)")).toHaveText(["0.667", "0.600", "0.667"]);
  await expect(page.getByTestId("common")).toContainText("A B C D");
});

test("the second B does not count, and the list follows n", async ({ page, scope }) => {
  await scope.open(chapter);
  const table = page.getByTestId("grams-table");
  await expect(table.locator("tr.differs")).toHaveCount(1);
  await expect(table.locator("tr.differs")).toContainText("B");
  await expect(page.getByTestId("grams-total")).toContainText("4 of 5 count");
  await page.getByTestId("judged-n").selectOption("3");
  await expect(page).toHaveURL(/judged-n=3/);
  await expect(table.locator("tbody th")).toHaveText(["ABB", "BBC", "BCD"]);
});

test("any two texts: what is typed is in the address and in every number", async ({ page, scope }) => {
  await scope.open(chapter);
  await page.getByRole("button", { name: "Words and punctuation" }).click();
  await page.getByRole("textbox", { name: "Reference", exact: true }).fill("She put butter on the bread.");
  await page.getByRole("textbox", { name: "Candidate" }).fill("She put socks on the bread.");
  await expect(page).toHaveURL(/judged-candidate=She\+put\+socks/);
  const rows = page.getByTestId("bleu-table").locator("tbody tr");
  await expect(rows.first().locator("td").nth(2)).toHaveText("0.857");
  await page.getByTestId("judged-candidate").fill("");
  await expect(page.getByTestId("brevity")).toContainText("b = 0");
  await page.getByTestId("judged-candidate").fill("A ".repeat(600));
  await expect(page.getByTestId("judged-too-long")).toBeVisible();
  await page.getByTestId("judged-lecture").click();
  await expect(page.getByTestId("brevity")).toContainText("0.819");
  await expect(page).not.toHaveURL(/judged-/);
});

test("a second reference counts what the first one lacks, and the link keeps it", async ({ page, scope }) => {
  await scope.open(chapter);
  const precisions = page.getByTestId("bleu-table").locator("tbody td:nth-child(4)");
  await expect(precisions.first()).toHaveText("0.800");
  await expect(page.getByTestId("judged-remove")).toBeDisabled();
  await page.getByTestId("judged-add").click();
  const second = page.getByRole("textbox", { name: "Reference 2" });
  // As sacreBLEU: 5/5, 4/4, 2/3, and half a match of two 4-grams.
  await second.fill("ABB");
  await expect(precisions).toHaveText(["1.000", "1.000", "0.667", "0.000"]);
  await expect(page.getByTestId("sacrebleu-line")).toHaveText(
    "BLEU = 52.31 100.0/100.0/66.7/25.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)",
  );
  await expect(page.getByTestId("grams-total")).toContainText("5 of 5 count");
  await expect(page.getByTestId("sacrebleu")).toContainText("references: 2");
  await expect(page).toHaveURL(/judged-reference-2=ABB/);
  await page.reload();
  await expect(second).toHaveValue("ABB");
  await page.getByTestId("judged-add").click();
  await expect(page.getByTestId("judged-add")).toBeDisabled();
  // Of references that are equally close, the shorter one decides: no penalty.
  await page.getByRole("textbox", { name: "Reference 3" }).fill("ABCD");
  await expect(page.getByTestId("sacrebleu-line")).toContainText("BP = 1.000");
  // By the lecture's rule the shortest one decides.
  await expect(page.getByTestId("brevity-shortest")).toContainText("l_s = 3, b = 1.000");
  // ROUGE-N sums over all three: 4 of 6, 3 of 3 and 4 of 4 letters; ROUGE-L has the one with the largest F, ABCD.
  const recalls = page.getByTestId("rouge-table").locator("tbody td:nth-child(4)");
  await expect(recalls).toHaveText(["0.846", "0.800", "1.000"]);
  await expect(page.getByTestId("common-with")).toHaveText("Reference 3");
  await page.getByTestId("judged-remove").click();
  await page.getByTestId("judged-remove").click();
  await expect(page.getByTestId("brevity-shortest")).toHaveCount(0);
  await expect(precisions.first()).toHaveText("0.800");
  await expect(page).not.toHaveURL(/judged-/);
});

test("predictions are held to what is counted", async ({ page, scope }) => {
  await scope.open(chapter);
  const prompt = page.locator('[data-prompt="ask-twice"]');
  await prompt.getByTestId("answer-number").fill("0.4");
  await prompt.getByTestId("check-prediction").click();
  await expect(prompt.locator(".verdict.right")).toBeVisible();
  await expect(prompt).toContainText("4 of 10 tokens count");
});

test("butter is more probable than socks, factor by factor", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  const rows = page.getByTestId("factors-1").locator("tbody tr");
  await expect(rows).toHaveCount(7);
  await expect(page.getByTestId("factors-1").locator("tr.differs th")).toHaveText("p(butter | … like bread and)");
  // 32.03 and 35.10 bits, as transformers has them: tests/fixtures/forced.json.
  await expect(page.getByTestId("chain-totals-1")).toContainText("2.3 × 10⁻¹⁰, 32.03 bits; tokens: 7");
  await expect(page.getByTestId("chain-totals-1")).toContainText("= 23.8.");
  await expect(page.getByTestId("chain-totals-2")).toContainText("35.10 bits");
  await expect(page.getByTestId("chain-totals-2")).toContainText("= 32.3.");
  await expect(page.getByTestId("chain-compared")).toContainText("first text is 8.38 times");
  const bits = await rows.locator("td:nth-child(3)").allTextContents();
  const sum = bits.map(Number).reduce((all, one) => all + one, 0);
  expect(Math.abs(sum - 32.03)).toBeLessThan(0.05);
  const prompt = page.locator('[data-prompt="ask-later"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("0.275 in the first text and 0.814 in the second");
});

test("two texts of one's own are read, and from right to left there are no numbers", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  await page.getByTestId("read-1").fill("I don't know what you want.");
  await page.getByTestId("read-2").fill("I don't know what you want.");
  await page.getByTestId("read-both").click();
  await expect(page).toHaveURL(/read-first=I\+don/);
  await expect(page.getByTestId("chain-compared")).toContainText("equally probable");
  // The loss of `tests/fixtures/forced.json`, 1.2210 nats, as a perplexity.
  await expect(page.getByTestId("chain-totals-1")).toContainText("= 3.39.");
  await page.getByRole("button", { name: "Right to left" }).click();
  await expect(page).toHaveURL(/factors=right-to-left/);
  await expect(page.getByTestId("no-factors")).toBeVisible();
  await expect(page.getByTestId("factors-1").locator("tbody td").first()).toHaveText("–");
  await page.getByTestId("read-own").click();
  await expect(page).not.toHaveURL(/read-first/);
});

test("from either end the factors of a sequence have one product", async ({ page, scope }) => {
  await scope.open(chapter);
  const products = page.getByTestId("order-products").locator("td");
  await expect(products).toHaveText(["0.054000", "0.054000"]);
  const rows = page.getByTestId("order-row");
  await expect(rows.first()).toContainText("p(A | C B eos)");
  await expect(rows.first().locator("td").first()).toHaveText("0.5000");
  await page.getByTestId("order-2").selectOption({ label: "B" });
  await expect(page).toHaveURL(/factored=0\.1\.1\.3/);
  await expect(products).not.toHaveText(["0.054000", "0.054000"]);
  const [forward, backward] = await products.allTextContents();
  expect(forward).toBe(backward);
  // At the last step the lecture's table has no A.
  await page.getByTestId("order-4").selectOption({ label: "A" });
  await expect(page.getByTestId("order-impossible")).toContainText("A B B A");
});

test("the notes' pair is read after a sentence, which is said", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await expect(page.getByTestId("chain")).toHaveCount(0);
  await page.getByTestId("chain-chinese").click();
  await scope.becomesLive();
  await expect(page.getByTestId("chain-source")).toContainText("I like bread.");
  await expect(page.getByTestId("chain-totals-1")).toContainText("73.73 bits; tokens: 8");
  await expect(page.getByTestId("chain-totals-2")).toContainText("74.45 bits; tokens: 8");
  await page.getByTestId("chain-sentences").click();
  await scope.becomesLive();
  await expect(page.getByTestId("chain-source")).toHaveCount(0);
  await expect(page.getByTestId("chain-totals-1")).toContainText("tokens: 7");
});
