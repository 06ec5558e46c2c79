// A new build is published while the page is open, and the files of the old one are gone from the server.

import type { Page } from "@playwright/test";

import { expect, isKept, kept, test, type Host } from "../host";

test("a tab whose files are gone says so in the language of the page, and a reload recovers", async ({ page, scope, host }) => {
  await scope.openLive();
  await isKept(page);
  const build = host.builds.get("/scope/")!;
  host.builds.set("/scope/", await build.next((name) => name.startsWith("models/sentences/")));

  await scope.chooseModel("sentences");
  await expect(scope.problem).toContainText("404");
  const notice = page.getByTestId("replaced");
  await expect(notice).toContainText("newer version");
  await page.getByTestId("language").click();
  await expect(notice).toContainText("新版本");
  await scope.isDrawn();
  // The picture of the model before stays, and says that it is one.
  await expect(scope.origin).toHaveAttribute("data-origin", "other-model");

  await page.getByTestId("reload").click();
  await scope.becomesLive();
  await expect(notice).toBeHidden();
  await expect(scope.problem).toBeHidden();
  // What was asked for is in the address, and runs now.
  await expect(page).toHaveURL(/model=sentences/);
  await expect(scope.thumbnails).toHaveCount(4 * 6);
});

test("what an open tab has kept stays while it lives, and goes when it is gone", async ({ page, scope, host, context }) => {
  await scope.openLive();
  await isKept(page);
  const before = await kept(page);
  const build = host.builds.get("/scope/")!;
  host.builds.set("/scope/", await build.next((name) => name.startsWith("chapters/")));
  const tab = await context.newPage();
  await tab.goto("./");
  await expect(tab.getByTestId("origin")).toHaveAttribute("data-origin", "live");
  await tab.evaluate(isWaiting);

  await page.getByTestId("tab-learn").click();
  await expect(page.locator(".prose").first()).toBeVisible();
  await expect(page.getByTestId("replaced")).toBeHidden();
  expect(await kept(page)).toEqual(expect.arrayContaining(before));

  await page.close();
  await leave(tab, host);
  await tab.goto("./");
  const isOld = (url: string): boolean => /\/chapters\//.test(url) && before.includes(url);
  await expect.poll(async () => (await kept(tab)).filter(isOld)).toEqual([]);
});

for (const [what, fault] of [
  ["does not say what is in it", "caches.keys = () => new Promise(() => {});"],
  ["finds nothing", "Cache.prototype.match = () => new Promise(() => {});"],
] as const) {
  test(`the next build comes without a storage that ${what}`, async ({ page, scope, host }) => {
    await scope.openLive();
    await isKept(page);
    const next = await host.builds.get("/scope/")!.next(() => false);
    const script = String(await next.file("service-worker.js"));
    host.builds.set("/scope/", next);
    next.changed.set("service-worker.js", Buffer.from(`${fault}\n${script}`));
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await page.evaluate(isWaiting);

    await leave(page, host);
    await scope.openLive();
  });
}

test.describe("without a service worker", () => {
  test.use({ serviceWorkers: "block" });

  test("code that is gone", async ({ page, scope, host }) => {
    const build = host.builds.get("/scope/")!;
    const { files } = JSON.parse(String(await build.file("manifest.json")));
    const next = await build.next(() => false);
    // An engine that never comes, so that the code is asked for when it is needed.
    await page.route(/\/engine-cpu.*_bg\.\w+\.wasm$/, () => {});
    await scope.open();
    await scope.showsExample();
    host.builds.set("/scope/", next);
    for (const name of Object.keys(files)) {
      if (name.startsWith("split_")) next.changed.set(files[name].path, null);
    }
    await page.getByTestId("tab-learn").click();
    await expect(page.getByTestId("part-missing")).toBeVisible();
    await expect(page.getByTestId("replaced")).toContainText("newer version");
  });

  test("a tab that the visitor comes back to", async ({ page, scope, host }) => {
    await scope.openLive();
    const build = host.builds.get("/scope/")!;
    const comesBack = (): Promise<boolean> =>
      page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await comesBack();
    await expect.poll(() => host.asked.filter((url) => url === "/scope/").length).toBe(2);
    await expect(page.getByTestId("replaced")).toBeHidden();

    host.builds.set("/scope/", await build.next(() => false));
    await comesBack();
    await expect(page.getByTestId("replaced")).toBeVisible();
  });
});

/** Leaves the page, and waits until the next build's service worker has taken over. */
async function leave(page: Page, host: Host): Promise<void> {
  await page.goto("about:blank");
  // What it has become only this origin may ask.
  const outside = await page.context().newPage();
  await outside.goto(host.at("/elsewhere.html"));
  const isActive = async (scope: string): Promise<boolean> => {
    const registration = await navigator.serviceWorker.getRegistration(scope);
    return registration?.waiting === null && registration.active?.state === "activated";
  };
  await expect.poll(() => outside.evaluate(isActive, host.at("/scope/"))).toBe(true);
}

/** Waits until the next build's service worker waits for the tabs of this one. */
async function isWaiting(): Promise<void> {
  const registration = await navigator.serviceWorker.ready;
  while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 50));
}
