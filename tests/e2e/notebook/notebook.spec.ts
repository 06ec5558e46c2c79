// What the Python package shows, in Chromium without a network: the executed notebook, a trace with a script in every
// string, and the widget.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, type Frame, type Page, test } from "@playwright/test";

import { repository } from "../browser";

const MADE = process.env.OUTPUT ?? join(repository, "target/python");

/** Opens a page from disk; returns what it asked of the network and its errors, both of which should stay empty. */
async function open(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  page.on("request", (request) => {
    const isOwn = /^(file|data|blob|about):/.test(request.url());
    // nbconvert's own template loads scripts that notebooks without formulas and plots need not have.
    if (!isOwn && request.frame() !== page.mainFrame()) faults.push(`asked for ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    faults.push(`said ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(join(MADE, name)).href);
  return faults;
}

async function frameOf(page: Page): Promise<Frame> {
  const handle = await page.locator("iframe").elementHandle();
  const frame = await handle?.contentFrame();
  if (!frame) throw new Error("the page has no frame");
  return frame;
}

test("the executed notebook replays a run without a network", async ({ page }) => {
  const faults = await open(page, "attention.html");
  expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-scripts");
  const frame = await frameOf(page);
  const head = frame.locator('[data-head="cross.2.3"]');
  await expect(head).toHaveAttribute("aria-pressed", "true");
  await expect(frame.getByText("étudi").first()).toBeVisible();
  await frame.locator('[data-head="decoder_self.0.1"], [data-head="cross.0.1"]').first().click();
  await expect(head).toHaveAttribute("aria-pressed", "false");
  expect(faults).toEqual([]);
});

/** VS Code's policy for outputs of notebooks with `notebook.experimental.enableCsp`; without it there is none. */
const VSCODE = [
  "default-src 'none'",
  "script-src https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'",
  "style-src https://*.vscode-cdn.net 'unsafe-inline'",
  "img-src https://*.vscode-cdn.net https: http: data:",
  "font-src https://*.vscode-cdn.net https:",
  "connect-src https:",
  "child-src https: data:",
].join("; ");

test("the frame plays under the policy of VS Code", async ({ page }) => {
  await open(page, "attention.html");
  const shown = await page.locator("iframe").evaluate((frame) => frame.outerHTML);
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") refused.push(message.text());
  });
  await page.setContent(`<!doctype html><meta http-equiv="Content-Security-Policy" content="${VSCODE}"><title>output</title>${shown}`);
  const frame = await frameOf(page);
  await frame.locator('[data-head="cross.0.1"]').click();
  await expect(frame.locator('[data-head="cross.0.1"]')).toHaveAttribute("aria-pressed", "true");
  expect(refused).toEqual([]);
});

test("strings of a trace stay text in the frame", async ({ page }) => {
  const faults = await open(page, "hostile.html");
  const frame = await frameOf(page);
  await expect(frame.getByText("onerror=alert(1)").first()).toBeVisible();
  expect(await frame.locator("img").count()).toBe(0);
  expect(faults).toEqual([]);
});

test("the widget selects in both directions", async ({ page }) => {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(pathToFileURL(join(MADE, "hostile.html")).href);
  await page.setContent("<!doctype html><title>widget</title>");
  const content = JSON.parse(readFileSync(join(MADE, "widget.json"), "utf8")) as Record<string, unknown>;
  await page.evaluate(mountWidget, content);
  const head = (layer: number, number: number) => page.locator(`[data-head="cross.${layer}.${number}"]`);
  await expect(head(0, 1)).toHaveAttribute("aria-pressed", "true");
  // The names of the axes have the theme's colours.
  await expect.poll(() => page.locator(".attention-replay canvas.map").evaluate(pixelsOf, [23, 82, 190])).toBeGreaterThan(5);
  await head(1, 2).click();
  await expect.poll(() => traits(page)).toMatchObject({ kind: "cross", layer: 1, head: 2 });
  await page.evaluate(() => window.widget.put({ layer: 0, head: 0, token: 1 }));
  await expect(head(0, 0)).toHaveAttribute("aria-pressed", "true");
  await expect.poll(() => traits(page)).toMatchObject({ layer: 0, head: 0, token: 1 });
  // What the trace lacks is answered by what is selected.
  await page.evaluate(() => window.widget.put({ token: 10_000 }));
  await expect.poll(() => traits(page)).toMatchObject({ layer: 0, head: 0, token: 1 });
  expect(faults).toEqual([]);
});

interface Widget {
  traits: Record<string, unknown>;
  put(values: Record<string, unknown>): void;
}

declare global {
  interface Window {
    widget: Widget;
  }
}

function traits(page: Page): Promise<Record<string, unknown>> {
  return page.evaluate(() => {
    const { _style, _trace, ...selection } = window.widget.traits;
    return selection;
  });
}

/** How many pixels of a canvas have a colour. Runs in the page. */
function pixelsOf(canvas: HTMLElement | SVGElement, [red, green, blue]: number[]): number {
  if (!(canvas instanceof HTMLCanvasElement)) throw new Error("no canvas");
  const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  let count = 0;
  for (let place = 0; place < data.length; place += 4) {
    if (data[place] === red && data[place + 1] === green && data[place + 2] === blue) count += 1;
  }
  return count;
}

/** Mounts the widget as anywidget does, on a model of its own. Runs in the page. */
async function mountWidget(content: Record<string, unknown>): Promise<void> {
  const bytes = Uint8Array.from(atob(content.trace as string), (character) => character.charCodeAt(0));
  const values: Record<string, unknown> = { ...(content.traits as object), _trace: new DataView(bytes.buffer) };
  const listeners = new Map<string, Set<() => void>>();
  const model = {
    get: (name: string) => values[name],
    set: (name: string, value: unknown) => {
      const isNew = values[name] !== value;
      values[name] = value;
      if (isNew) for (const listener of listeners.get(`change:${name}`) ?? []) listener();
    },
    save_changes: () => {},
    on: (event: string, listener: () => void) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    off: (event: string, listener: () => void) => listeners.get(event)?.delete(listener),
  };
  const source = URL.createObjectURL(new Blob([content.esm as string], { type: "text/javascript" }));
  const module = (await import(source)) as { default: { render(given: object): Promise<unknown> } };
  // JupyterLab puts the element into its page after it is rendered.
  const el = document.createElement("div");
  await module.default.render({ model, el });
  document.body.append(el);
  window.widget = {
    traits: values,
    put: (wanted) => {
      for (const [name, value] of Object.entries(wanted)) model.set(name, value);
    },
  };
}
