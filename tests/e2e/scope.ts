// The page as journeys see it, and what must hold on every one of them.

import { readFileSync } from "node:fs";

import {
  test as base,
  type ConsoleMessage,
  expect,
  type Locator,
  type Page,
  type Request,
  type Route,
} from "@playwright/test";

import { baseURL, visitor } from "./browser";
import { share } from "./numbers";

export { expect };

/** Requests of the page, its worker included, that can be tampered with. Names hold digits of
 * the contents, which change from build to build. */
export const files = {
  cpuEngine: /\/engine-cpu(-threads(-plain)?)?_bg\.\w+\.wasm$/,
  example: "**/je-suis-etudiant.*.safetensors",
  learn: "**/split_learn.*.wasm",
  page: "**/page_bg.*.wasm",
  pageScript: "**/page.*.js",
  weights: "**/translator/model.*.{safetensors,packed}",
  webgpuWorker: "**/worker-webgpu.*.js",
};

/** Said where a number of a figure or a file is still to come. */
const ON_ITS_WAY = /on their way|正在路上/;

/** Frames without a change after which the page is at rest. */
const STILL_FRAMES = 12;

export class Scope {
  readonly text: Locator;
  readonly translation: Locator;
  readonly tokens: Locator;
  readonly origin: Locator;
  readonly problem: Locator;
  readonly thumbnails: Locator;
  readonly heatmap: Locator;
  readonly figureTitle: Locator;
  readonly value: Locator;
  readonly modelsButton: Locator;
  readonly modelsSheet: Locator;

  /** With `lasts` the page stays when another view is opened, and its engine with it. */
  constructor(
    readonly page: Page,
    private readonly lasts = false,
  ) {
    this.text = page.getByRole("textbox", { name: "Sentence" });
    this.translation = page.getByTestId("translation");
    this.tokens = page.getByTestId("source-tokens");
    this.origin = page.getByTestId("origin");
    this.problem = page.getByTestId("problem");
    this.thumbnails = page.getByTestId("thumbnail");
    this.heatmap = page.getByTestId("heatmap");
    this.figureTitle = page.getByTestId("figure-title");
    this.value = page.getByTestId("cell-value");
    this.modelsButton = page.getByTestId("models-button");
    this.modelsSheet = page.getByTestId("models-sheet");
  }

  /** Opens the view that `view` spells: in the page that is there if it lasts, else the page is loaded. */
  async open(view = ""): Promise<void> {
    if (this.lasts && isHere(this.page)) return this.turnTo(view);
    // From one fragment to another nothing would be loaded.
    if (this.page.url() !== "about:blank") await this.page.goto("about:blank");
    await this.page.goto(view === "" ? "./" : `./#${view}`);
  }

  /** Turns the page that is there to a view, as a link in it does: nothing is loaded anew, and what it holds stays. */
  async follow(view: string): Promise<void> {
    await this.page.evaluate((view) => {
      location.hash = view;
    }, view);
  }

  /** Opens the page and waits for a result of the model itself. */
  async openLive(view = ""): Promise<void> {
    await this.open(view);
    await this.becomesLive();
  }

  /** Turns the page that is there to another view, past another tab with nothing selected: what is open in a figure and in no
   * address is gone. */
  private async turnTo(view: string): Promise<void> {
    const elsewhere = new URLSearchParams(view);
    const tab = elsewhere.get("tab") === "teach" ? "learn" : "teach";
    elsewhere.set("tab", tab);
    for (const gone of ["cell", "rows", "step", "present"]) elsewhere.delete(gone);
    // The input that a journey unfolded is folded again.
    const unfolded = this.page.locator("[data-testid=unfold][aria-expanded=true]");
    if (await unfolded.isVisible()) await unfolded.click();
    await this.page.evaluate(turn, [`#${elsewhere}`, `#${view}`, tab] as const);
  }

  /** Goes to another view of the page that is open, without loading it anew, and waits until its tab is there. */
  async show(view: string): Promise<void> {
    await this.page.evaluate((fragment) => (location.hash = fragment), view);
    const wanted = new URLSearchParams(view);
    const language = wanted.get("lang");
    if (language !== null) await expect(this.page.locator("html")).toHaveAttribute("lang", new RegExp(`^${language}`));
    await expect(this.page.locator("html")).toHaveAttribute("data-theme", wanted.get("theme") ?? "light");
    const tab = ["learn", "teach"].find((name) => name === wanted.get("tab")) ?? "explore";
    await expect(this.page.getByTestId(`tab-${tab}`)).toHaveAttribute("aria-selected", "true");
    await expect(this.page.getByTestId("part-loading")).toHaveCount(0);
    if (wanted.has("large")) await expect(this.page.locator("html")).toHaveAttribute("data-type", "large");
    if (wanted.get("tab") === "decoding") await expect(this.page.getByTestId("candidates")).toBeVisible();
    const chapter = wanted.get("chapter");
    if (chapter === null) return;
    await expect(this.page.getByTestId("chapter")).toHaveAttribute("data-chapter", chapter);
    // Who presents shows a figure alone.
    const shown = wanted.has("present") ? "[data-presented]" : "[data-testid=chapter] .prose";
    await expect(this.page.locator(shown).first()).toBeVisible();
  }

  /** Waits until everything is drawn: nothing is on its way, and nothing changes on the page through some frames. */
  async comesToRest(): Promise<void> {
    await expect(this.page.getByTestId("part-loading")).toHaveCount(0);
    await expect(this.page.getByText(ON_ITS_WAY)).toHaveCount(0);
    await this.page.evaluate(rest, STILL_FRAMES);
  }

  /** By how many pixels the page is wider than the window. */
  async overflow(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  /** Nothing sticks out of a window of any of these widths. */
  async fits(...widths: number[]): Promise<void> {
    for (const width of widths) {
      await this.page.setViewportSize({ width, height: this.page.viewportSize()?.height ?? 900 });
      await expect.poll(() => this.overflow(), `at ${width} pixels`).toBeLessThanOrEqual(0);
    }
  }

  async becomesLive(): Promise<void> {
    await expect(this.page.getByTestId("loading")).toBeHidden();
    await expect(this.origin).toHaveAttribute("data-origin", "live");
    await expect(this.page.getByTestId("partial")).toBeHidden();
  }

  /** The stored example is there, drawn; only where the engine is kept from answering. */
  async showsExample(): Promise<void> {
    await expect(this.origin).toHaveAttribute("data-origin", "example");
    await this.isDrawn();
  }

  /** Heads are there to look at, be it the example's or a live result's. */
  async isDrawn(): Promise<void> {
    await expect(this.thumbnails.first()).toBeVisible();
    await expect.poll(() => isPainted(this.heatmap.locator("canvas"))).toBe(true);
  }

  /** Unfolds the input, which is one line in chapters. */
  async unfold(): Promise<void> {
    await this.page.getByTestId("unfold").click();
    await expect(this.text).toBeVisible();
  }

  /** Types a sentence and lets the model answer. */
  async translate(sentence: string): Promise<void> {
    await this.text.fill(sentence);
    await this.text.press("Enter");
  }

  /** The control of a head on the map; layer and head from 1, as the page counts. */
  head(kind: "encoder" | "decoder" | "cross", layer: number, head: number): Locator {
    return this.page.locator(`[data-testid=thumbnail][data-head='${kind}-${layer - 1}-${head - 1}']`);
  }

  /** The device's popover, open. */
  async openDevice(): Promise<void> {
    await this.page.getByTestId("device-name").click();
    await expect(this.page.getByTestId("device-select")).toBeVisible();
  }

  /** A choice among few, by the name of the group and of the choice. */
  choice(group: string, name: string): Locator {
    return this.page
      .getByRole("group", { name: group })
      .getByRole("button", { name, exact: true });
  }

  /** Opens the texts that run at a click. */
  async openTexts(): Promise<void> {
    await this.page.getByTestId("texts").locator("summary").click();
    await expect(this.page.getByTestId("example").first()).toBeVisible();
  }

  /** Chooses how words are searched for, in the bar of the steps. */
  async search(name: string): Promise<void> {
    await this.openSearch();
    await this.choice("Search", name).click();
  }

  /** The choice of the search and its numbers, open. */
  async openSearch(): Promise<void> {
    const menu = this.page.getByTestId("search-menu");
    if ((await menu.getAttribute("open")) === null) await menu.locator("summary").click();
  }

  /** Goes closer on the map, where its blocks are links. */
  async zoomIn(): Promise<void> {
    await this.page.getByTestId("model-map").focus();
    await this.page.keyboard.press("+");
    await expect(this.page.getByTestId("zoom-back")).toBeVisible();
  }

  /** The sheet of models, open and filled. */
  async openModels(): Promise<void> {
    await this.modelsButton.click();
    await expect(this.modelsSheet).toBeVisible();
    await expect(this.page.getByTestId("model-translator")).toBeVisible();
  }

  /** The button of a model in the sheet, by its name in addresses. */
  model(name: string): Locator {
    return this.modelsSheet.getByTestId(`model-${name}`);
  }

  /** Chooses a model by its name in addresses, which closes the sheet and runs it. */
  async chooseModel(name: string): Promise<void> {
    await this.openModels();
    await this.model(name).click();
    await expect(this.modelsSheet).toBeHidden();
  }

  async openTab(name: string): Promise<void> {
    const tab = this.page.getByRole("tab", { name });
    await tab.click();
    await expect(tab).toHaveAttribute("aria-selected", "true");
  }

  /** Opens a chapter by the index, which is folded into a bar where there is no room for it. */
  async openChapter(name: string): Promise<void> {
    const link = this.page.locator(".chapter-index").getByTestId(name);
    await expect(link).toHaveCount(1);
    if (!(await link.isVisible())) await this.page.getByTestId("chapter-bar").click();
    await link.click();
    await expect(this.page.getByTestId("chapter")).toHaveAttribute("data-chapter", name);
  }

  /** Chooses what the inspector shows. */
  async inspect(name: string): Promise<void> {
    const choice = this.choice("Inspector", name);
    await choice.click();
    await expect(choice).toHaveAttribute("aria-pressed", "true");
  }

  /** Opens a tool that tests a claim, by its value in the address. */
  async openTool(name: string): Promise<void> {
    const tool = this.page.getByTestId(`tool-${name}`);
    if (!(await tool.isVisible())) await this.page.locator(".figure-head [data-choice=claim]").click();
    await tool.click();
    await expect(this.page.getByTestId(`claim-${name}`)).toBeVisible();
    await expect(this.page.getByTestId("part-loading")).toHaveCount(0);
  }

  /** Moves the pointer to a point of the map, given as fractions of its size. */
  async pointAt(map: Locator, x: number, y: number): Promise<void> {
    await map.scrollIntoViewIfNeeded();
    const box = await map.evaluate(atRest);
    await this.page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  }

  /** Text in one place as a number. */
  async number(locator: Locator): Promise<number> {
    return share((await locator.textContent()) ?? "");
  }
}

/** Runs on the page: opens one fragment, in which `tab` is open, and then another, in which it is not. */
async function turn([elsewhere, there, tab]: readonly [string, string, string]): Promise<void> {
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  const isOpen = (): boolean =>
    document.querySelector(`[data-testid=tab-${tab}]`)?.getAttribute("aria-selected") === "true";
  (document.activeElement as HTMLElement | null)?.blur();
  for (const popover of document.querySelectorAll("details.popover")) popover.removeAttribute("open");
  location.replace(elsewhere);
  while (!isOpen()) await frame();
  location.replace(there);
  while (isOpen()) await frame();
  // What is drawn with the next frame knows of the engine's next run.
  await frame();
  await frame();
  scrollTo(0, 0);
}

/** Runs on the page: waits until nothing has changed through this many frames. */
async function rest(frames: number): Promise<void> {
  let still = 0;
  const observer = new MutationObserver(() => (still = 0));
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  for (; still < frames; still += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  observer.disconnect();
}

/** Whether the page that is open is ours. */
function isHere(page: Page): boolean {
  return page.url().replace(/#.*/, "") === baseURL;
}

/** Whether a canvas holds more than one colour. */
async function isPainted(canvas: Locator): Promise<boolean> {
  return canvas.first().evaluate((element: HTMLCanvasElement) => {
    const context = element.getContext("2d");
    if (context === null || element.width === 0 || element.height === 0) return false;
    const { data } = context.getImageData(0, 0, element.width, element.height);
    const colours = new Set(new Uint32Array(data.buffer));
    return colours.size > 1;
  });
}

/** The box of an element once it is the same in two frames: a figure beside its text follows a scroll one frame later. */
async function atRest(element: Element): Promise<DOMRect> {
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  let before = element.getBoundingClientRect();
  for (;;) {
    await frame();
    await frame();
    const now = element.getBoundingClientRect();
    if (now.x === before.x && now.y === before.y && now.width === before.width && now.height === before.height) return now;
    before = now;
  }
}

/** A request that is held back until it is let go. */
export async function holdBack(page: Page, url: string): Promise<() => void> {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(url, async (route: Route) => {
    await gate;
    // A page that was closed meanwhile asks for nothing any more.
    await route.continue().catch(() => {});
  });
  return letGo;
}

interface Fixtures {
  scope: Scope;
  /** The hosts besides the page's own that a journey's visitor names. */
  named: readonly string[];
  /** Fails the journey if the page talks to a host that nobody named or breaks its own security policy. */
  manners: void;
}

/** A journey on a page of its own: one that needs a first visit, or a browser or files other than they are. */
export const freshTest = base.extend<Fixtures>({
  scope: async ({ page }, use) => {
    await use(new Scope(page));
  },
  named: [[], { option: true }],
  manners: [
    async ({ page, baseURL, named }, use) => {
      const faults: string[] = [];
      const hearsRequest = (request: Request): void => {
        const url = new URL(request.url());
        const own = ["blob:", "data:"].includes(url.protocol) || url.href.startsWith(String(baseURL));
        if (!own && !named.includes(url.origin)) faults.push(`asked another host: ${url.href}`);
      };
      const hearsConsole = (message: ConsoleMessage): void => {
        if (/content security policy|panicked at/i.test(message.text())) faults.push(message.text());
      };
      page.on("request", hearsRequest).on("console", hearsConsole);
      await use();
      page.off("request", hearsRequest).off("console", hearsConsole);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

/** A journey on the page that the one before it left, where the engine runs already. Nothing is remembered of that one, and
 * another tab was open in between. */
export const test = freshTest.extend<object, { lastingPage: Page }>({
  lastingPage: [
    async ({ browser }, use) => {
      const context = await browser.newContext(visitor);
      await use(await context.newPage());
      await context.close();
    },
    { scope: "worker" },
  ],
  page: async ({ lastingPage: page, viewport }, use) => {
    if (viewport !== null) await page.setViewportSize(viewport);
    await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: null });
    await page.mouse.move(0, 0);
    // A sheet that is open would stay open.
    await page.keyboard.press("Escape");
    if (isHere(page)) await page.evaluate(() => localStorage.clear());
    await use(page);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
  scope: async ({ page }, use) => {
    await use(new Scope(page, true));
  },
});

/** Changes entries of the address, counted from 1, as a visitor does who edits it. */
export async function lookAt(page: Page, entries: Record<string, string | number>): Promise<void> {
  await page.evaluate((entries) => {
    const view = new URLSearchParams(location.hash.slice(1));
    for (const [name, value] of Object.entries(entries)) view.set(name, String(value));
    view.delete("v");
    location.hash = `v=2&${view}`;
  }, entries);
}

/** Downloads the pass on screen as its visitors do. */
export async function takeTrace(page: Page): Promise<Buffer> {
  const menu = page.getByTestId("share-menu");
  if ((await menu.getAttribute("open")) === null) await menu.locator("> summary").click();
  const download = page.waitForEvent("download");
  await page.getByTestId("take-trace").click();
  return readFileSync(await (await download).path());
}
