// The chapter on order: the model reads the sentence again with its tokens moved.

import { scientific } from "../numbers";
import { expect, test, type Scope } from "../scope";

const chapter = "tab=learn&chapter=order";

/** The measured differences, from the first setting to the last. */
async function differences(scope: Scope): Promise<number[]> {
  const cells = scope.page.getByTestId("order-difference");
  await expect(cells.filter({ hasText: "…" })).toHaveCount(0);
  return (await cells.allTextContents()).map(scientific);
}

test("without positions outputs move with their tokens, with positions they do not", async ({
  page,
  scope,
}) => {
  await scope.openLive(chapter);
  // The chapter begins with the tokens reversed.
  await expect(page.getByTestId("order-measured")).toBeVisible();
  const [off, on] = await differences(scope);
  expect(off).toBeLessThan(2e-5);
  expect(on).toBeGreaterThan(0.1);
  await page.locator('[data-prompt="ask-order"]').getByText("Show the answer").click();
  await expect(page.locator('[data-prompt="ask-order"]')).toContainText("× 10⁻");
});

test("a token moves by keyboard and keeps the focus, and the address keeps the order", async ({
  page,
  scope,
}) => {
  await scope.openLive(chapter);
  const words = page.getByTestId("word-order").getByRole("listitem");
  await page.getByTestId("order-reset").click();
  await expect(page).toHaveURL(/words=1\.2\.3/);
  const first = await words.nth(0).textContent();
  await words.nth(0).getByRole("button").focus();
  await page.keyboard.press("ArrowRight");
  await expect(words.nth(1)).toHaveText(first ?? "");
  await expect(words.nth(1).getByRole("button")).toBeFocused();
  await page.keyboard.press("End");
  await expect(words.last()).toHaveText(first ?? "");
  await expect(page).toHaveURL(/words=(\d+\.)+1/);
  await page.getByTestId("order-reset").click();
  await expect(words.nth(0)).toHaveText(first ?? "");
  await page.getByTestId("order-reverse").click();
  await expect(words.last()).toHaveText(first ?? "");
  await expect(page).not.toHaveURL(/words=/);
});

test("the map of the moved tokens is the other one, moved", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const cells = (id: string) => page.locator(`[data-matrix="${id}"] svg text`);
  await expect(cells("order-moved").first()).toBeVisible();
  const [plain, moved] = [await cells("order-plain").allTextContents(), await cells("order-moved").allTextContents()];
  expect(moved).toEqual([...plain].reverse());
  await page.getByTestId("order-positions").check();
  await expect(page).toHaveURL(/words-positions=1/);
  await expect(cells("order-moved")).not.toHaveText([...plain].reverse());
});

test("a causal mask alone tells order", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&model=sentences`);
  await expect(page.getByTestId("order-measured")).toBeVisible();
  const [neither, masked, both] = await differences(scope);
  expect(neither).toBeLessThan(1e-4);
  expect(masked).toBeGreaterThan(0.01);
  expect(both).toBeGreaterThan(0.01);
  await expect(page.getByTestId("chapter")).toContainText("that alone tells order");
});

test("a one-hot position times the table is what is added", async ({ page, scope }) => {
  await scope.openLive(chapter);
  await page.getByTestId("order-place").fill("1");
  await page.locator('[data-matrix="one-hot-sum"]').getByRole("application").focus();
  const sum = page.getByTestId("one-hot").getByTestId("sight");
  await expect(sum).toContainText(" = ");
  const [a, e, made] = ((await sum.textContent()) ?? "")
    .replaceAll("−", "-")
    .split(/ [+=] /)
    .map(Number);
  expect(Math.abs(Number(a) + Number(e) - Number(made))).toBeLessThan(0.0002);
});

test("the lecture's sentence, in Chinese", async ({ page, scope }) => {
  await scope.openLive(`${chapter}&lang=zh`);
  await page.getByTestId("order-lecture").click();
  await scope.becomesLive();
  await expect(page.getByTestId("word-order")).toContainText("她");
  await expect(page.getByRole("heading", { name: "移动词元" })).toBeVisible();
});
