// Testing a claim about a head: ten tools in two clicks, and results that are kept in the link.

import { expect, test, type Scope } from "../scope";

const TOOLS = ["off", "weight", "importance", "roles", "patch", "lens", "permute", "compare", "align", "raw"];

/** What a tool shows first, by its test id. */
const FIRST: Record<string, string> = {
  off: "switch-off",
  weight: "heatmap",
  importance: "importance",
  roles: "roles",
  patch: "patching-sentences",
  lens: "lens-layers",
  permute: "word-order",
  compare: "compare-controls",
  align: "alignment-chapter",
  raw: "derived",
};

const places = (scope: Scope) => ({
  add: scope.page.getByTestId("add-evidence"),
  result: scope.page.getByTestId("claim-result"),
  entries: scope.page.getByTestId("evidence-entry"),
  names: scope.page.getByTestId("evidence-name"),
});

test("every tool is two clicks away from a head, and asks a question", async ({ page, scope }) => {
  await scope.openLive();
  await scope.head("cross", 2, 4).click();
  const claim = page.locator(".figure-head [data-choice=claim]");
  for (const tool of TOOLS) {
    await page.locator(".figure-head [data-choice=heatmap]").click();
    await expect(page.getByTestId("claim-off")).toHaveCount(0);
    await claim.click();
    await page.getByTestId(`tool-${tool}`).click();
    const panel = page.getByTestId(`claim-${tool}`);
    await expect(panel.getByTestId(FIRST[tool] ?? "")).toBeVisible();
    await expect(panel.getByRole("heading", { level: 3 }).first()).toHaveText(/\?$/);
    await expect(panel.getByTestId("claim-scale")).toBeVisible();
    await expect(page.locator("[data-testid^=claim-][class=claim]")).toHaveCount(1);
    await expect(page.getByTestId(`tool-${tool}`)).toHaveAttribute("aria-pressed", "true");
    if (tool !== "off") await expect(page).toHaveURL(new RegExp(`show=claim&tool=${tool}`));
  }
});

test("a result is kept, named, opened again from the link, and removed; back undoes each", async ({ page, scope }) => {
  await scope.openLive("layer=1&head=3");
  const { add, entries, names, result } = places(scope);
  await scope.openTool("off");
  await expect(add).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByTestId("claim-why-not")).toContainText("switch a head off");
  await add.click({ force: true });
  await expect(entries).toHaveCount(0);

  await page.getByTestId("switch-off").check();
  await expect(result).toContainText(/Layer 2, head 4 .* nats/);
  await add.click();
  await expect(entries).toHaveCount(1);
  await expect(page).toHaveURL(/evidence=/);
  await expect(page.locator(".figure-head [data-choice=claim]")).toHaveText("Test a claim · 1");
  const kept = (await page.getByTestId("evidence-result").textContent()) ?? "";
  await expect(page.getByTestId("evidence-of")).toContainText("Je suis étudiant");
  await expect(page.getByTestId("evidence-of")).toContainText("Layer 2, head 4");

  await names.fill("needed for the noun");
  await names.press("Enter");
  await expect(page).toHaveURL(/needed\+for\+the\+noun/);
  await page.goBack();
  await expect(names).toHaveValue("");
  await page.goForward();
  await expect(names).toHaveValue("needed for the noun");

  // Elsewhere, with nothing switched off.
  await page.getByTestId("all-on").click();
  await scope.translate("Oui.");
  await scope.openTool("lens");
  await scope.becomesLive();
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await scope.becomesLive();
  await expect(page.getByTestId("evidence-result")).toHaveText(kept);
  await page.getByTestId("evidence-reopen").click();
  await expect(scope.text).toHaveValue("Je suis étudiant");
  await expect(page.getByTestId("claim-off")).toBeVisible();
  await expect(page.getByTestId("edited-mark")).toHaveText("1 head off");
  await expect(result).toHaveText(kept);
  await expect(names).toHaveValue("needed for the noun");

  await page.getByTestId("evidence-remove").click();
  await expect(entries).toHaveCount(0);
  await expect(page).not.toHaveURL(/evidence=/);
  await page.goBack();
  await expect(entries).toHaveCount(1);
});

test("results of other tools are kept with what they were measured on", async ({ page, scope }) => {
  test.setTimeout(180_000);
  await scope.openLive("step=2");
  const { add, entries, result } = places(scope);
  const results: [string, RegExp][] = [
    ["roles", /chance|none of the roles/],
    ["patch", /of the difference/],
    ["lens", /probability of/],
    ["permute", /differ by at most/],
    ["align", /Links: \d+/],
    ["raw", /Key with most of the map/],
  ];
  for (const [place, [tool, words]] of results.entries()) {
    await scope.openTool(tool);
    if (tool === "roles") await page.getByTestId("roles").click();
    await expect(result).toContainText(words, { timeout: 60_000 });
    await add.click();
    await expect(entries).toHaveCount(place + 1);
  }
  await expect(entries.last()).toContainText("step 3");
});

test("the frame leads to the chapter, which has the same figure among its prose", async ({ page, scope }) => {
  await scope.openLive("show=claim&tool=lens");
  const panel = page.getByTestId("claim-lens");
  await expect(panel.getByTestId("lens-layers")).toBeVisible();
  await expect(panel.getByTestId("prompt")).toHaveCount(0);
  await panel.getByTestId("read-chapter").click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "lens");
  await expect(page.getByTestId("lens-layers")).toBeVisible();
  await expect(page.getByTestId("prompt").first()).toBeVisible();
});

test("a tool that the model cannot serve offers one that can", async ({ page, scope }) => {
  await scope.openLive("model=recurrent-fixed&text=Je+suis+%C3%A9tudiant.&show=claim&tool=lens");
  await expect(page.getByTestId("claim-lens").getByTestId("lacking")).toBeVisible();
  await scope.openTool("off");
  await expect(page.getByTestId("claim-off").getByTestId("lacking")).toBeVisible();
  await page.getByTestId("use-translator").click();
  await expect(page.getByTestId("switch-off")).toBeVisible();
});

test("an entry that means nothing is told, the others are read", async ({ page, scope }) => {
  await scope.openLive("show=claim&evidence=off*.named*.kept*.text%3DOui.%7Enonsense");
  const { entries, names } = places(scope);
  await expect(entries).toHaveCount(1);
  await expect(names).toHaveValue("named");
  await expect(page.getByTestId("address-notice")).toContainText("evidence=nonsense");
});

test.describe("390 pixels wide", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the letters of the tools can be read on a phone", async ({ page, scope }) => {
    test.setTimeout(180_000);
    await scope.openLive("lang=zh");
    for (const tool of TOOLS) {
      await scope.openTool(tool);
      await expect(page.getByTestId(FIRST[tool] ?? "").first()).toBeVisible();
      const smallest = await page.getByTestId(`claim-${tool}`).evaluate((panel) => {
        // Subscripts of formulas are set by the browser's rules of mathematics.
        const texts = [...panel.querySelectorAll<HTMLElement>("*:not(math *)")].filter((element) =>
          [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""),
        );
        return Math.min(...texts.map((element) => parseFloat(getComputedStyle(element).fontSize)));
      });
      expect(smallest, tool).toBeGreaterThanOrEqual(9);
    }
  });
});
