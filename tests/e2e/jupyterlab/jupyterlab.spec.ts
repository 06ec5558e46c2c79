// What the Python package shows in JupyterLab: the replay of the example, and the widget with its traits.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, type Locator, type Page, test } from "@playwright/test";

import { repository } from "../browser";

/** A folder for the pictures in `docs/`. */
const PICTURES = process.env.PICTURES;

const WIDGET = [
  'from attention_scope import Trace\n\ntrace = Trace.load("../../assets/examples/je-suis-etudiant.safetensors")\nw = trace.widget(layer=2, head=3)\nw',
  "w.kind, w.layer, w.head, w.token",
  "w.layer, w.head = 0, 1",
];

/** A notebook of these cells. */
const notebook = (cells: string[]): string =>
  JSON.stringify({
    cells: cells.map((source, place) => ({ cell_type: "code", id: `cell-${place}`, source, metadata: {}, outputs: [], execution_count: null })),
    metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  });

let faults: string[];
test.beforeEach(async ({ page, baseURL }) => {
  faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(baseURL ?? "") || /^(data|blob|about|ws):/.test(request.url());
    if (!isOwn) faults.push(`asked for ${request.url()}`);
  });
  // JupyterLab offers news of its makers.
  const refuse = page.getByRole("button", { name: "No", exact: true });
  await page.addLocatorHandler(refuse, () => refuse.click());
});
test.afterEach(() => expect(faults).toEqual([]));

const path = (name: string): string => join(repository, `target/jupyterlab/${name}.ipynb`);

/** Opens a notebook that `write` makes. */
async function open(page: Page, name: string, write: (path: string) => void): Promise<Locator> {
  write(path(name));
  await page.goto(`lab/tree/${name}.ipynb?reset`);
  const cells = page.locator(".jp-CodeCell");
  await expect(cells.first()).toBeVisible();
  await expect(page.getByTitle(/\| Idle/).or(page.getByText("| Idle"))).toBeVisible();
  await page.keyboard.press("Control+B");
  return cells;
}

/** Has JupyterLab do what a menu offers. */
function command(page: Page, name: string, settings: object = {}): Promise<void> {
  return page.evaluate(([name, settings]) => window.jupyterapp?.commands.execute(name, settings), [name, settings] as const);
}

/** Runs a cell; returns what it prints. */
async function run(page: Page, cell: Locator): Promise<Locator> {
  await cell.locator(".cm-content").first().click();
  await page.keyboard.press("Control+Enter");
  await expect(cell.locator(".jp-InputPrompt")).toHaveText(/\[\d+\]:/);
  return cell.locator(".jp-OutputArea-output");
}

/** Takes a picture for the documents, with the end of this place in sight. */
async function picture(page: Page, place: Locator, name: string): Promise<void> {
  if (!PICTURES) return;
  await place.evaluate((element) => element.scrollIntoView({ block: "end" }));
  await page.screenshot({ path: join(PICTURES, `jupyterlab-${name}.png`) });
}

test("the example runs, and its replay answers", async ({ page }) => {
  await open(page, "attention", (path) => copyFileSync(join(repository, "python/examples/attention.ipynb"), path));
  await command(page, "apputils:change-theme", { theme: "JupyterLab Light" });
  await page.getByRole("menuitem", { name: "Run", exact: true }).click();
  await page.getByRole("menuitem", { name: "Run All Cells", exact: true }).click();
  const shown = page.locator("iframe[sandbox]");
  await expect(shown).toBeVisible();
  expect(await shown.getAttribute("sandbox")).toBe("allow-scripts");
  const frame = shown.contentFrame();
  await expect(frame.locator('[data-head="cross.2.3"]')).toHaveAttribute("aria-pressed", "true");
  await frame.locator('[data-head="cross.0.1"]').click();
  await expect(frame.locator('[data-head="cross.0.1"]')).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText("<Trace of translator").last()).toBeVisible();
  await command(page, "docmanager:save");
  await expect.poll(() => readFileSync(path("attention"), "utf8")).toContain("<iframe");
  await frame.locator("h2").first().scrollIntoViewIfNeeded();
  await picture(page, shown, "show");
});

test("a notebook that is not trusted says so in place of the replay, until it is", async ({ page }) => {
  // What JupyterLab saved, changed by somebody else.
  const saved = readFileSync(path("attention"), "utf8");
  const frame = page.locator("iframe[sandbox]");
  await open(page, "received", (path) => writeFileSync(path, saved.replace("# Attention of", "# The attention of")));
  const hint = page.getByText("this notebook is not trusted");
  await hint.scrollIntoViewIfNeeded();
  await expect(hint).toBeVisible();
  await expect(frame).toHaveCount(0);
  const asked = command(page, "notebook:trust");
  await page.locator(".jp-Dialog .jp-mod-accept").click();
  await asked;
  await expect(frame.contentFrame().locator('[data-head="cross.2.3"]')).toHaveAttribute("aria-pressed", "true");
});

for (const theme of ["Light", "Dark"] as const) {
  test(`the widget selects in both directions (${theme})`, async ({ page }) => {
    const cells = await open(page, `widget-${theme.toLowerCase()}`, (path) => writeFileSync(path, notebook(WIDGET)));
    await command(page, "apputils:change-theme", { theme: `JupyterLab ${theme}` });
    await run(page, cells.nth(0));
    const head = (name: string) => page.locator(`[data-head="${name}"]`);
    await expect(head("cross.2.3")).toHaveAttribute("aria-pressed", "true");
    await expect(page.locator(".attention-replay")).toHaveAttribute("data-theme", theme.toLowerCase());

    await head("cross.1.2").click();
    await expect(await run(page, cells.nth(1))).toHaveText("('cross', 1, 2, 0)");

    await run(page, cells.nth(2));
    await expect(head("cross.0.1")).toHaveAttribute("aria-pressed", "true");
    await expect(head("cross.1.2")).toHaveAttribute("aria-pressed", "false");
    await expect(await run(page, cells.nth(1))).toHaveText("('cross', 0, 1, 0)");
    if (theme === "Light") await picture(page, cells.last(), "widget");

    // JupyterLab's own keys, which would cut or add a cell, do nothing in the widget, and the widget's keys work.
    await head("cross.0.1").click();
    for (const key of ["x", "b", "ArrowRight"]) await page.keyboard.press(key);
    await expect(head("cross.0.2")).toHaveAttribute("aria-pressed", "true");
    await expect(cells).toHaveCount(WIDGET.length);
  });
}

declare global {
  interface Window {
    jupyterapp?: { commands: { execute(command: string, settings: object): Promise<void> } };
  }
}
