// What is kept after one visit, and that it serves when the server does not. "Stopped" means that nobody answers.

import type { Page } from "@playwright/test";

import { CHAPTERS } from "../chapters";
import { expect, isKept, ISOLATION, kept, test } from "../host";

/** Its small models, of two figures, are kept once it has been opened. */
const LATER = "embedding";

test("after one visit every chapter opens with the server stopped", async ({ page, scope, host }) => {
  host.headers = ISOLATION;
  await scope.openLive();
  await isKept(page);
  const texts = (await kept(page)).map((url) => /chapters\/(\w+\.\w+)\.\w+\.json$/.exec(url)?.[1]);
  for (const name of CHAPTERS) expect(texts).toEqual(expect.arrayContaining([`${name}.en`, `${name}.zh`]));
  await host.stop();

  await page.goto("./");
  await scope.becomesLive();
  await page.getByTestId("tab-learn").click();
  const chapter = page.getByTestId("chapter");
  for (const name of CHAPTERS) {
    await expect(chapter).toHaveAttribute("data-chapter", name);
    await hasCome(page, name, name === LATER ? 2 : 0);
    if (name !== CHAPTERS.at(-1)) await page.getByTestId("next-chapter").click();
  }
  await page.getByTestId("language").click();
  await hasCome(page, "the last one in Chinese");
});

test("small models that a chapter asked for serve with the server stopped", async ({ page, scope, host }) => {
  await scope.openLive();
  await isKept(page);
  await page.goto(`./#tab=learn&chapter=${LATER}`);
  await scope.becomesLive();
  await hasCome(page, LATER);
  for (const weights of [/models\/marks\/.*\.safetensors$/, /models\/lstmn\/.*\.safetensors$/]) {
    await expect.poll(async () => (await kept(page)).some((url) => weights.test(url)), String(weights)).toBe(true);
  }
  await host.stop();
  await page.reload();
  await scope.becomesLive();
  await hasCome(page, `${LATER} without the server`);
});

test("chapters open in the first visit too when the server stops", async ({ page, scope, host }) => {
  await scope.openLive();
  await isKept(page);
  await host.stop();

  await page.getByTestId("tab-learn").click();
  await scope.openChapter("norms");
  await hasCome(page, "norms");
});

test("one CPU engine is downloaded, once", async ({ page, scope, host }) => {
  host.headers = ISOLATION;
  await scope.openLive();
  await isKept(page);
  await page.goto("./");
  await scope.becomesLive();
  const engines = host.asked.filter((url) => /\/engine-.*\.wasm$/.test(url));
  expect(engines).toHaveLength(1);
});

test("a server that fails: the page that is kept", async ({ page, scope, host }) => {
  await scope.openLive();
  await isKept(page);
  host.page = "with 503";
  await page.goto("./");
  await scope.becomesLive();
});

test("a server that does not answer: the page that is kept", async ({ page, scope, host }) => {
  await scope.openLive();
  await isKept(page);
  host.page = "never";
  await page.goto("./");
  await scope.becomesLive();
});

test("kept files that are damaged are fetched anew", async ({ page, scope, host }) => {
  host.headers = ISOLATION;
  await scope.openLive();
  await isKept(page);
  const files = [/\/page_bg\.\w+\.wasm$/, /\/engine-cpu-threads\.\w+\.js$/, /\/worker-cpu\.\w+\.js$/];
  for (const file of files) await page.evaluate(damage, file.source);

  await page.goto("./");
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  const { files: published } = JSON.parse(String(await host.builds.get("/scope/")?.file("manifest.json")));
  for (const file of files) {
    const { path, sha256 } = (Object.values(published) as { path: string; sha256: string }[]).find(
      ({ path }) => file.test(`/${path}`),
    )!;
    expect(await page.evaluate(digest, path)).toBe(sha256);
  }
});

test("a file that arrives damaged is not kept, and the next visit mends it", async ({ page, scope, host }) => {
  const build = host.builds.get("/scope/")!;
  const { files } = JSON.parse(String(await build.file("manifest.json")));
  const text: string = files["chapters/sizes.en.json"].path;
  const whole = await build.file(text);
  build.changed.set(text, whole!.subarray(0, 100));
  await scope.openLive();
  const asked = (): number => host.asked.filter((url) => url.endsWith(text)).length;
  // Out of the browser's cache or from the server, then past that cache.
  await expect.poll(asked).toBe(2);
  await expect.poll(() => page.evaluate(isBeingKept)).toBe(false);
  expect((await kept(page)).filter((url) => url.endsWith(text))).toEqual([]);

  build.changed.delete(text);
  await page.goto("./");
  await scope.becomesLive();
  await isKept(page);
  expect((await kept(page)).filter((url) => url.endsWith(text))).toHaveLength(1);
});

/** The open chapter is there: its text, and its numbers but for those of which so many problems tell. */
async function hasCome(page: Page, what: string, problems = 0): Promise<void> {
  await expect(page.locator(".prose").first(), what).toBeVisible();
  await expect(page.getByText(/Being computed|正在计算/), what).toHaveCount(0);
  await expect(page.locator(".notice.problem"), what).toHaveCount(problems);
}

/** Changes a byte in the middle of the file that is kept under such an address. */
async function damage(address: string): Promise<void> {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const request = (await cache.keys()).find(({ url }) => new RegExp(address).test(url));
    if (request === undefined) continue;
    const response = (await cache.match(request))!;
    const bytes = new Uint8Array(await response.arrayBuffer());
    bytes[bytes.length >> 1]! ^= 1;
    return cache.put(request, new Response(bytes, { headers: response.headers }));
  }
  throw new Error(`nothing like ${address} is kept`);
}

/** SHA-256 of what is kept under an address, in hexadecimal. */
async function digest(path: string): Promise<string> {
  const response = await caches.match(new URL(path, location.href).href);
  if (response === undefined) throw new Error(`${path} is not kept`);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a service worker is still at it, or is there. */
async function isBeingKept(): Promise<boolean> {
  const registration = await navigator.serviceWorker.getRegistration();
  return Boolean(registration?.installing ?? registration?.waiting ?? registration?.active);
}
