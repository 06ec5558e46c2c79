// The chapter on teacher forcing: a target of the visitor's own, read token by token, beside what the model wrote.

import { share } from "../numbers";
import { expect, test } from "../scope";

const chapter = "tab=learn&chapter=forcing";

/** A number as the page writes it. */
const number = (text: string | null | undefined) => share(text ?? "");

/** The log-likelihood that a table comes to. */
const logLikelihood = (text: string | null) => number(/= ([−-]?[\d.]+) \(/.exec(text ?? "")?.[1]);

test("the model's own text is read first: both sides are the same", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await expect(page.getByTestId("forced-or-free")).toContainText("the same tokens");
  const rows = page.getByTestId("given").locator("tbody tr");
  const written = page.getByTestId("written").locator("tbody tr");
  await expect(rows).toHaveCount(await written.count());
  // Greedy search takes the most probable token at every step.
  for (const rank of await rows.locator("td:nth-child(3)").allTextContents()) expect(rank).toBe("1");
  const [given, own] = await Promise.all(
    ["given", "written"].map((name) => page.getByTestId(`${name}-totals`).textContent()),
  );
  expect(logLikelihood(given ?? null)).toBeCloseTo(logLikelihood(own ?? null), 2);
});

test("a translation of one's own has the loss that transformers gives it, and its address keeps it", async ({
  page,
  scope,
}) => {
  await scope.openLive(`${chapter}&text=Je+suis+%C3%A9tudiant`);
  const box = page.getByRole("textbox", { name: "Your own translation" });
  await box.fill("I am a student");
  await box.press("Enter");
  await expect(page).toHaveURL(/[#&]forced=I\+am\+a\+student/);
  // `tests/fixtures/forced.json`: 1.9176 nats a token.
  const totals = page.getByTestId("given-totals");
  await expect(totals).toContainText("loss 1.918 nats a token");
  await expect(totals).toContainText("perplexity 6.8");
  await expect(page.getByTestId("forced-or-free")).toContainText("its own text more probable than yours");
  const losses = await page.getByTestId("given").locator("tbody td:nth-child(2)").allTextContents();
  const sum = losses.map(number).reduce((all, loss) => all + loss, 0);
  expect(sum).toBeCloseTo(-logLikelihood(await totals.textContent()), 1);
  await expect(page.getByTestId("given").locator("tr.another").first()).toBeVisible();
  const prompt = page.locator('[data-prompt="ask-search"]');
  await prompt.getByText("Show the answer").click();
  await expect(prompt).toContainText("Neither number says which text is better");
  await page.getByTestId("own-target").click();
  await expect(page.getByTestId("forced-or-free")).toContainText("the same tokens");
  await expect(page).not.toHaveURL(/forced=/);
});

test("a target that cannot be read is refused in its place, and what was written stays", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const written = page.getByTestId("written").locator("tbody tr");
  const before = await written.count();
  const box = page.getByTestId("forced-target");
  await box.fill("");
  await page.getByTestId("read-target").click();
  await expect(page.getByTestId("target-refused")).toBeVisible();
  await expect(written).toHaveCount(before);
  await box.fill("yes ".repeat(600));
  await box.press("Enter");
  await expect(page.getByTestId("target-refused")).toContainText(/\d+ tokens/);
  await box.fill("猿 yes");
  await box.press("Enter");
  await expect(page.getByTestId("target-refused")).toHaveCount(0);
  await expect(page.getByTestId("target-unknown")).toContainText("猿");
});

test("a model that goes on with a text reads a continuation", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences&text=I+don%27t+know+what&forced=you+want.`);
  // `tests/fixtures/forced.json`: 1.4231 nats a token.
  await expect(page.getByTestId("given-totals")).toContainText("loss 1.423 nats a token");
});

test("another sentence lets go of the target", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&forced=I+am+a+student`);
  await scope.unfold();
  await scope.translate("Où est la gare ?");
  await expect(page).not.toHaveURL(/forced=/);
  await scope.becomesLive();
  await expect(page.getByTestId("forced-or-free")).toContainText("the same tokens");
});
