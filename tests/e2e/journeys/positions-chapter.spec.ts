// The chapter on positions: every way to know them, RoPE by hand, and six models that differ in nothing else.

import { share } from "../numbers";
import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=positions";

/** A number as the page writes it. */
const number = (text: string | null) => share(text ?? "");

test("RoPE by hand: moving both changes nothing, moving one does, and the address keeps it", async ({
  page,
  scope,
}) => {
  await scope.open(`${chapter}&way=rope`);
  const turned = page.getByTestId("turned-score");
  const relative = page.getByTestId("relative-score");
  const before = number(await turned.textContent());
  expect(number(await relative.textContent())).toBeCloseTo(before, 3);
  await page.getByTestId("turn-plane").focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/[#&]m=3/);
  const moved = number(await turned.textContent());
  expect(Math.abs(moved - before)).toBeGreaterThan(0.1);
  expect(number(await relative.textContent())).toBeCloseTo(moved, 3);
  await page.getByTestId("turn-key").fill("6");
  await expect(turned).toHaveText((await relative.textContent()) ?? "");
  expect(number(await turned.textContent())).toBeCloseTo(before, 3);
  await expect(page).toHaveURL(/[#&]n=6/);
  await expect(page.getByTestId("turn-query")).toHaveValue("3");
  const prompt = page.locator('[data-prompt="ask-shift"]');
  await prompt.getByText("Show the answer").click();
  const said = await prompt.locator("details").textContent();
  const numbers = said?.match(/[−-]?\d+\.\d+/g)?.map(number) ?? [];
  expect(numbers).toHaveLength(2);
  expect(numbers[0]).toBeCloseTo(numbers[1] ?? NaN, 3);
});

test("the turn is derived from the sums of angles, below the plane and above the matrix", async ({ page, scope }) => {
  await scope.open(`${chapter}&way=rope`);
  const title = page.getByRole("heading", { name: "From the sum of angles to the matrix" });
  await expect(title).toBeVisible();
  const [plane, derived, matrix] = await Promise.all(
    [page.getByTestId("turn"), title, page.getByTestId("rotation-matrix")].map((part) => part.boundingBox()),
  );
  expect(plane?.y).toBeLessThan(derived?.y ?? 0);
  expect(derived?.y).toBeLessThan(matrix?.y ?? 0);
});

test("every line of the derivation has the query's numbers, and comes to what the matrix gives", async ({ page, scope }) => {
  await scope.open(`${chapter}&way=rope&m=2`);
  const lines = page.getByTestId("derivation-lines").locator("tbody tr");
  const results = async () =>
    (await lines.locator("td:last-child").allTextContents()).map(number);
  await expect(lines.nth(7)).toContainText("= x cos θ − y sin θ");
  await expect(lines.nth(7)).toContainText("1.600 · (−0.416) − 0.500 · 0.909");
  for (const m of ["2", "7"]) {
    await page.getByTestId("derivation-query").fill(m);
    await expect(page).toHaveURL(new RegExp(m === "2" ? "way=rope" : "[#&]m=7"));
    await expect(page.getByTestId("derivation-lines")).toContainText(`m = ${m}`);
    const [, , , , , x0, x1, x2, y0, y1, y2, x, y] = await results();
    for (const value of [x0, x1, x2]) expect(value).toBeCloseTo(x ?? NaN, 2);
    for (const value of [y0, y1, y2]) expect(value).toBeCloseTo(y ?? NaN, 2);
  }
});

test("the matrix tells what a cell is made of", async ({ page, scope }) => {
  await scope.open(`${chapter}&way=rope&m=2`);
  const matrix = page.getByTestId("rotation-matrix");
  await matrix.getByRole("application").or(matrix.locator("[tabindex='0']")).first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(matrix.getByTestId("made-of")).toContainText("sin(2 · 10000^(−0/8)) = 0.9093");
});

test("each way has its figures, and a scaled RoPE turns more slowly", async ({ page, scope }) => {
  await scope.open(`${chapter}&way=alibi`);
  await expect(page.getByTestId("alibi-slopes")).toContainText("λ = 1/256");
  await scope.choice("How the model knows positions", "Sinusoidal").click();
  await expect(page.getByTestId("encoding-map")).toBeVisible();
  await scope.choice("How the model knows positions", "T5 bias").click();
  await expect(page.getByTestId("buckets")).toBeVisible();
  await scope.choice("How the model knows positions", "RoPE").click();
  const turns = page.getByTestId("rope-turns");
  await expect(turns).toHaveCount(0);
  await page.getByTestId("positions-further").check();
  await turns.getByRole("slider").focus();
  await page.keyboard.press("Home");
  const readout = page.getByTestId("rope-turns-readout");
  await expect(readout).toContainText("linear × 4");
  const text = (await readout.textContent()) ?? "";
  const of = (name: string) => number(text.split(name)[1]?.match(/\d+\.\d+/)?.[0] ?? "");
  // Powers of ten: four times as long.
  expect(of("linear × 4 ") - of("b = 10000 ")).toBeCloseTo(Math.log10(4), 2);
});

test("the six models' scores, and one of them on the visitor's letters", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(`${chapter}&way=learned`);
  const row = (way: string) => page.locator(`[data-testid="six-ways"] tr[data-encoding="${way}"]`);
  await expect(row("rope")).toContainText("99.8 % (0.01)");
  await expect(row("learned")).toContainText("4.8 % (14.59)");
  await expect(page.locator(".prose-code")).toContainText("attn eval");
  await expect(page.getByTestId("copy-code")).toBeVisible();
  const prompt = page.locator('[data-prompt="ask-beyond"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("RoPE 99.8 %");
  await expect(page.getByTestId("learned-table")).toHaveCount(0);
  await page.getByTestId("use-positions-model").first().click();
  await expect(page).toHaveURL(/model=positions-learned/);
  await scope.becomesLive();
  await expect(page.getByTestId("learned-table")).toBeVisible();
  await expect(page.getByTestId("learned-similarity")).toContainText("trained rows");
  await scope.unfold();
  await scope.openTexts();
  await page.getByTestId("example").last().click();
  await scope.becomesLive();
  const summary = page.getByTestId("named-summary");
  await expect(summary).toContainText("29 of 29 up to letter 32");
  const beyond = (await summary.textContent())?.match(/(\d+) of (\d+) beyond/) ?? [];
  expect(Number(beyond[2])).toBeGreaterThan(20);
  // A learned table has nothing to say there.
  expect(Number(beyond[1])).toBeLessThan(Number(beyond[2]) / 3);
  await expect(page.getByTestId("named-letters").locator(".wrong").first()).toBeVisible();
});

test("ALiBi's biases are those of the pass on screen", async ({ page, scope }) => {
  test.slow();
  await scope.openLive(`model=positions-alibi&${chapter}&way=alibi`);
  const bias = page.getByTestId("head-bias");
  await bias.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  // Four heads: slopes 1/4, 1/16, 1/64, 1/256.
  await expect(page.getByTestId("head-bias-readout")).toContainText("head 1 −0.250");
  await expect(page.getByTestId("head-bias-readout")).toContainText("head 4 −0.004");
});

freshTest("scores that cannot be fetched are said, and the rest works", async ({ page, scope }) => {
  await page.route(/models\/positions\/results/, (route) => route.abort());
  await scope.open(`${chapter}&way=rope`);
  await expect(page.locator(".notice.problem")).toContainText("could not be loaded");
  await expect(page.getByTestId("turned-score")).toHaveText(/\d/);
});
