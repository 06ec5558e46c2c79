// How fast the page draws 12 layers of 12 heads over 512 tokens, by the browser's own trace.
//
// `cargo xtask drawing` puts a made-up model of that shape in the sentence model's place. Aims: the
// grid within 150 ms of the data, 8 ms of the main thread for each frame while the pointer moves, no task of
// the main thread above 50 ms. Frames and tasks are counted in processor time, since what else runs on
// the machine is not the page's doing; the grid is timed by the clock.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Browser, Page } from "@playwright/test";

import { repository } from "./browser";
import { expect, freshTest as test } from "./scope";

const HEADS = 12;
const LAYERS = 12;
const TOKENS = 512;
const MOVES = 60;

/** What a phase cost the main thread. */
interface Cost {
  /** Of each move, in the order of the moves. */
  moves: number[];
  /** Of each frame: what is done from the end of one to the end of the next. A move takes one frame, or two where
   * something comes from the worker. */
  frames: number[];
  /** Tasks, longest first. */
  tasks: number[];
}

test(`${LAYERS} × ${HEADS} heads, ${TOKENS} tokens`, async ({ browser, page, scope }) => {
  await page.addInitScript(markMovesAndMessages);
  await page.goto("./#model=sentences&device=cpu&text=w1");
  await scope.becomesLive();

  const results: Record<string, unknown> = {};
  const received = countBytes(page);
  const text = Array.from({ length: TOKENS }, (_, index) => `w${(index * 37) % 997}`).join(" ");
  const grid = await traced(browser, page, async () => {
    await page.evaluate(watchGrid);
    await scope.text.fill(text);
    await scope.text.press("Enter");
    await page.waitForFunction(() => performance.getEntriesByName("drawn").length > 0, null, {
      timeout: 240_000,
    });
    await scope.comesToRest();
  });
  const [data, drawn] = await page.evaluate(() =>
    ["trace received", "drawn"].map((name) => performance.getEntriesByName(name).at(-1)?.startTime),
  );
  expect(data).toBeDefined();
  results["grid, ms after the data"] = (drawn ?? NaN) - (data ?? NaN);
  results["grid, longest tasks, ms"] = grid.tasks.slice(0, 5);
  await expect(scope.thumbnails).toHaveCount(LAYERS * HEADS);
  results["bytes from the worker"] = await received();

  await scope.heatmap.scrollIntoViewIfNeeded();
  const [box, panel] = await Promise.all([
    scope.heatmap.boundingBox(),
    page.locator(".map-room").boundingBox(),
  ]);
  if (box === null || panel === null) throw new Error("the map is not on screen");
  // What of the map is in sight, but for a margin.
  const width = Math.min(box.width, panel.x + panel.width - box.x) - 4;
  const height = Math.min(box.height, 896 - box.y) - 4;
  const map = await traced(browser, page, async () => {
    for (let step = 0; step < MOVES; step += 1) {
      const share = (step + 0.5) / MOVES;
      await page.mouse.move(box.x + share * width, box.y + share * height);
      await frame(page);
    }
  });
  await expect(scope.value).toHaveText(/^((< )?[01]\.\d{4})$/);
  Object.assign(results, summary("map", map));

  const places = await scope.thumbnails.evaluateAll((buttons) =>
    buttons.map((button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return [x + width / 2, y + height / 2] as const;
    }),
  );
  const visible = places.filter(([, y]) => y > 0 && y < 900).slice(0, MOVES);
  const preview = await traced(browser, page, async () => {
    for (const [x, y] of visible) {
      await page.mouse.move(x, y);
      for (let frames = 0; frames < 4; frames += 1) await frame(page);
    }
  });
  Object.assign(results, summary("preview", preview));
  results["bytes from the worker, with previews"] = await received();

  console.table(results);
  const directory = join(repository, "target/e2e");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "drawing.json"), JSON.stringify(results, null, 2));
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(directory, "drawing.png"), fullPage: true });
});

function summary(name: string, { moves, frames, tasks }: Cost): Record<string, unknown> {
  return {
    [`${name}, moves and frames`]: [moves.length, frames.length],
    [`${name}, ms a move: median, 95 %, most`]: quantiles(moves),
    [`${name}, ms a frame: median, 95 %, most`]: quantiles(frames),
    [`${name}, longest tasks, ms`]: tasks.slice(0, 3),
  };
}

function quantiles(values: number[]): (number | undefined)[] {
  const sorted = values.toSorted((one, other) => one - other);
  return [0.5, 0.95, 1].map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
}

/** Marks the frame in which the picture of all heads is that of the long text: it is drawn together with the hint that
 * its maps are reduced. */
function watchGrid(): void {
  performance.clearMarks();
  const look = () => {
    if (document.querySelector("[data-testid=reduced]") === null) return requestAnimationFrame(look);
    // A message that is sent in a frame arrives after it is painted.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => performance.mark("drawn");
    return requestAnimationFrame(() => port2.postMessage(null));
  };
  requestAnimationFrame(look);
}

/** Marks moves of the pointer and what workers send, before the page hears of either. */
function markMovesAndMessages(): void {
  addEventListener("pointermove", () => performance.mark("move"), { capture: true });
  const Plain = Worker;
  window.Worker = class extends Plain {
    constructor(...settings: ConstructorParameters<typeof Worker>) {
      super(...settings);
      this.addEventListener("message", ({ data }) => {
        const bytes = (data.buffer as ArrayBuffer | undefined)?.byteLength ?? 0;
        const traced = "traced" in Object(JSON.parse(data.header));
        if (bytes > 0) performance.mark(`${traced ? "trace" : "part"} received`, { detail: { bytes } });
      });
    }
  };
}

/** Adds up what workers send. */
function countBytes(page: Page): () => Promise<number> {
  return () =>
    page.evaluate(() => {
      const marks = performance.getEntriesByType("mark") as PerformanceMark[];
      return marks.reduce((sum, { detail }) => sum + (detail?.bytes ?? 0), 0);
    });
}

async function frame(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
}

interface TraceEvent {
  name: string;
  cat: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** What of it the thread was running. */
  tdur?: number;
  args: { name?: string };
}

/** What `act` costs the page's main thread. */
async function traced(browser: Browser, page: Page, act: () => Promise<void>): Promise<Cost> {
  await browser.startTracing(page, {
    categories: ["toplevel", "blink.user_timing", "devtools.timeline", "cc", "__metadata"],
  });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const marks = traceEvents.filter(({ cat }) => cat.includes("blink.user_timing"));
  // Only the page's main thread sets these.
  const main = marks.find(({ name }) => name === "move" || name === "trace received");
  const of_main = (wanted: string) =>
    traceEvents.filter(
      ({ name, ph, pid, tid }) => name === wanted && ph === "X" && pid === main?.pid && tid === main.tid,
    );
  const tasks = of_main("ThreadControllerImpl::RunTask");
  const between = (start: number, end: number) => {
    // The task that handles a move begins before the mark that it sets, and that of a frame ends after the frame.
    const own = tasks.filter(({ ts, dur = 0 }) => ts + dur > start && ts + dur <= end);
    return own.reduce((sum, task) => sum + busy_ms(task), 0);
  };
  const starts = marks.filter(({ name }) => name === "move").map(({ ts }) => ts);
  const drawn = of_main("ProxyMain::BeginMainFrame").map(({ ts, dur = 0 }) => ts + dur);
  const ends = tasks
    .filter(({ ts, dur = 0 }) => drawn.some((end) => ts < end && end <= ts + dur))
    .map(({ ts, dur = 0 }) => ts + dur)
    .filter((end) => end > (starts[0] ?? Infinity));
  return {
    moves: starts.map((start, index) => between(start, starts[index + 1] ?? Infinity)),
    frames: ends.map((end, index) => between(ends[index - 1] ?? starts[0] ?? end, end)),
    tasks: tasks.map(busy_ms).toSorted((one, other) => other - one),
  };
}

/** Processor time where the browser tells it, else time by the clock. */
function busy_ms({ dur = 0, tdur = dur }: TraceEvent): number {
  return tdur / 1000;
}
