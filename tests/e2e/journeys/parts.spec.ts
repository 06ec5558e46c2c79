// Parts of a result that fail on their way from the worker.

import type { Locator } from "@playwright/test";

import { expect, freshTest as test } from "../scope";
import { onRequest, put } from "../worker";

/** The table of learned positions, a parameter that its figure asks the worker for. */
const view = "tab=learn&chapter=positions&way=learned&model=positions-learned";

/** Spoils requests for a part, as long as `isSpoilt`: they name a run that never was. */
const spoil = (isSpoilt: string): string => `
  let [runs, fetches] = [0, 0];
  ${onRequest(`if (request.run) runs += 1;
  const asked = request.ask?.question.result;
  if (asked?.question.parts) fetches += 1;
  if (asked?.question.parts && ${isSpoilt}) {
    asked.run = 0;
    data.header = JSON.stringify(request);
  }`)}`;

const isDrawn = (figure: Locator): Promise<boolean> =>
  figure.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const context = canvas.getContext("2d");
    if (context === null || canvas.width === 0 || canvas.height === 0) return false;
    return new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size > 1;
  });

test("a part that fails is asked for again", async ({ page, scope }) => {
  const times = await put(page, spoil("fetches === 1"));
  await scope.openLive(view);
  expect(times()).toBe(1);
  await expect.poll(() => isDrawn(page.getByTestId("learned-table"))).toBe(true);
  await expect(scope.problem).toBeHidden();
});

test("a part that fails again is a problem, and trying again gets it", async ({ page, scope }) => {
  await put(page, spoil("runs === 1"));
  await scope.openLive(view);
  await expect(scope.problem).toContainText("The numbers of a figure could not be computed");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => isDrawn(page.getByTestId("learned-table"))).toBe(true);
  await expect(scope.problem).toBeHidden();
});

test("what a chapter shows of a run is asked for at once", async ({ page, scope }) => {
  await page.addInitScript(countFetches);
  await scope.openLive("tab=learn&chapter=norms&kind=cross");
  const fetched = () => page.evaluate(() => (globalThis as unknown as Counted).fetched);
  // Embeddings, and what each of the decoder's nine sub-layers makes of the residual stream and beside it.
  await expect.poll(async () => Math.max(...(await fetched()))).toBeGreaterThanOrEqual(19);
  await page.waitForLoadState("networkidle");
  const requests = await fetched();
  expect(requests.length, requests.join(" ")).toBeLessThanOrEqual(3);
});

/** What `countFetches` leaves on the page: of each request for parts, how many they are. */
interface Counted {
  fetched: number[];
}

/** Runs on the page, before it: counts what it asks workers for. */
function countFetches(): void {
  const fetched: number[] = ((globalThis as unknown as Counted).fetched = []);
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (...message: unknown[]) {
    const request = JSON.parse((message[0] as { header?: string }).header ?? "{}");
    const parts = request.ask?.question.result?.question.parts;
    if (parts !== undefined) fetched.push(parts.length);
    return Reflect.apply(post, this, message);
  };
}
