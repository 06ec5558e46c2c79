// What heads do: chips on the map, the filter and the list, the card of a head, heads as points.

import { share } from "../numbers";
import { expect, test } from "../scope";

test("chips show what heads do, on the text and on a hundred sentences, and the address keeps it", async ({
  page,
  scope,
}) => {
  await scope.openLive();
  await scope.openTool("roles");
  await page.getByTestId("roles").click();
  const said = page.getByTestId("roles-said");
  await expect(said).toContainText(/^Heads with a clear role: \d+ of 72/);
  await scope.choice("Roles measured on", "100 sentences").click();
  await expect(page).toHaveURL(/roles=1&roles-of=sentences/);
  await expect(said).toContainText(/^Heads with a clear role: \d+ of 72/);
  const own = page.locator("[data-testid=role-choice][data-choice=own]");
  const count = Number((await own.textContent())?.match(/\d+$/)?.[0]);
  expect(count).toBeGreaterThan(0);
  await own.click();
  await expect(page).toHaveURL(/role=own/);
  const named = page.getByTestId("thumbnail").and(page.getByRole("button", { name: /its own place \d+ %/ }));
  await expect(named).toHaveCount(count);
  await expect(page.locator("[data-testid=thumbnail].stands-back")).toHaveCount(72 - count);
  // At any width.
  for (const width of [320, 1440]) {
    await scope.fits(width);
    await expect(page.locator(".head-role:not(.is-hidden)").first()).toBeVisible();
  }
  // The chips stay on the map when the tool is closed.
  await scope.inspect("Heatmap");
  await expect(named).toHaveCount(count);
  await page.getByTestId("shown-roles").click();
  await expect(said).toBeVisible();
});

test("heads are listed in the order of a role, and a click chooses one", async ({ page, scope }) => {
  await scope.openLive("show=claim&tool=roles&roles=1&roles-of=sentences&role=own");
  const list = page.getByTestId("roles-listed");
  await list.locator("summary").click();
  const rows = list.getByTestId("roles-row");
  // The places of queries and keys are the same in self-attention only.
  await expect(rows).toHaveCount(48);
  const weights = (await rows.locator("td:nth-child(3)").allTextContents()).map(share);
  expect(weights[0]).toBeGreaterThan(0.8);
  expect(weights[0]).toBeGreaterThan(weights[47] ?? 1);
  const head = await rows.first().getAttribute("data-head");
  await rows.first().getByRole("button").click();
  const [kind, layer, number] = (head ?? "").split(".");
  const chosen = page.locator(`[data-testid=thumbnail][data-head='${kind}-${layer}-${number}']`);
  await expect(chosen).toHaveAttribute("aria-pressed", "true");
});

test("the figure leads to the head's card, whose sentences run and whose likes are heads", async ({ page, scope }) => {
  await scope.openLive("kind=encoder&layer=0&head=3");
  await page.getByTestId("roles-of-head").click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "roles");
  const said = page.getByTestId("head-said");
  await expect(said).toContainText(/^Layer 1, head 4 .*, sentences: 100\./);
  const scores = page.getByTestId("role-score");
  expect(await scores.count()).toBeGreaterThan(5);
  await scores.first().getByRole("button").click();
  await expect(page.getByTestId("term-tip")).toContainText("Score: mean weight");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("role-distances")).toHaveAttribute("aria-label", /−1: \d\.\d+/);
  const sentence = page.getByTestId("most-sentence").first();
  const text = (await sentence.textContent()) ?? "";
  await sentence.click();
  await expect(page.getByTestId("asked")).toContainText(text.slice(0, 8));
  await page.getByTestId("like-head").first().getByRole("button").click();
  await expect(said).not.toContainText("Layer 1, head 4 ");
});

test("heads are points by two scores, for the keyboard too", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=roles&roles-of=sentences&kind=encoder&layer=0&head=0");
  const points = page.getByTestId("roles-point");
  // Both roles are those of self-attention.
  await expect(points).toHaveCount(48);
  await page.getByTestId("roles-up").selectOption({ label: "first token" });
  await expect(page).toHaveURL(/roles-up=first/);
  const own = page.locator("[data-testid=roles-point][data-head='encoder.0.0']");
  await expect(own).toHaveAttribute("tabindex", "0");
  await own.focus();
  await page.keyboard.press("ArrowUp");
  await expect(own).not.toBeFocused();
  await page.keyboard.press("Enter");
  const chosen = page.locator("[data-testid=roles-point][aria-pressed=true]");
  await expect(chosen).toBeFocused();
  await expect(page.getByTestId("chapter-kind")).toBeVisible();
});

test("the findings open what they speak of", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=roles");
  await page.getByTestId("roles-aligned").click();
  const standing = page.locator("[data-testid=thumbnail]:not(.stands-back)");
  await expect(standing).toHaveCount(8);
  for (const head of await standing.all()) {
    await expect(head).toHaveAttribute("data-head", /^cross-2-/);
    await expect(head).toHaveAccessibleName(/aligned word \d+ %/);
  }
  await page.goBack();
  await page.getByTestId("roles-induction").click();
  await scope.becomesLive();
  await expect(page.getByTestId("roles-point")).toHaveCount(24);
});

test("in the sentence model induction is measured on random tokens", async ({ page, scope }) => {
  await scope.openLive("model=sentences&tab=learn&chapter=roles&roles-of=sentences&roles-across=induction");
  const induction = page.locator("[data-testid=role-score][data-role=induction]");
  await expect(induction.locator("td").nth(2)).toHaveText(/^[01]\.\d\d$/);
  // Of the visitor's text it is not.
  await expect(induction.locator("td").first()).toBeEmpty();
});
