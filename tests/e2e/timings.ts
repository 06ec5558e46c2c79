// How soon there is something to see, and how soon the model answers: with nothing kept by the
// browser, and on a second visit. Aims, cold on two cores: first picture 0.8 s, first live 2.5 s.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { repository } from "./browser";
import { test } from "./scope";

const RUNS = 5;

/** Milliseconds since the visitor asked for the page. */
interface Times {
  picture: number;
  live: number;
  bytes: number;
}

test("first picture, first answer", async ({ browser, baseURL }) => {
  const visits: Record<"cold" | "again", Times[]> = { cold: [], again: [] };
  for (let run = 0; run < RUNS; run += 1) {
    // A context of its own has a cache of its own, empty.
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    for (const visit of ["cold", "again"] as const) {
      const page = await context.newPage();
      await page.addInitScript(watch);
      await page.goto(String(baseURL));
      await page.waitForFunction(() => performance.getEntriesByName("live").length > 0);
      visits[visit].push(await page.evaluate(times));
      // The service worker takes its time to keep what was shown.
      await page.waitForTimeout(3_000);
      await page.close();
    }
    await context.close();
  }
  const results = Object.fromEntries(
    Object.entries(visits).flatMap(([visit, runs]) =>
      (["picture", "live", "bytes"] as const).map((what) => {
        const sorted = runs.map((run) => Math.round(run[what])).toSorted((one, other) => one - other);
        return [`${visit}: ${what}`, { median: sorted[RUNS >> 1], all: sorted.join(" ") }];
      }),
    ),
  );
  console.table(results);
  const directory = join(repository, "target/e2e");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "timings.json"), JSON.stringify(results, null, 2));
});

/** Marks the frames in which the example's map and the model's first answer are painted. */
function watch(): void {
  const mark = (name: string) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => performance.mark(name);
    port2.postMessage(null);
  };
  const look = () => {
    const map = document.querySelector<HTMLCanvasElement>("[data-testid=heatmap] canvas");
    const origin = document.querySelector<HTMLElement>("[data-testid=origin]")?.dataset.origin;
    // A canvas is 300 pixels wide until it is painted.
    const painted = map !== null && map.width < 100;
    const seen = (name: string) => performance.getEntriesByName(name).length > 0;
    if (painted && origin !== undefined && !seen("picture")) mark("picture");
    if (painted && origin === "live" && !seen("live")) return mark("live");
    return requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function times(): Times {
  const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? NaN;
  const entries = [
    ...performance.getEntriesByType("navigation"),
    ...performance.getEntriesByType("resource"),
  ] as PerformanceResourceTiming[];
  const bytes = entries.reduce((sum, { transferSize }) => sum + transferSize, 0);
  return { picture: at("picture"), live: at("live"), bytes };
}
