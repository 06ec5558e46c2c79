// On a host that sends files and nothing else, the page and its service worker see to policy and isolation themselves.

import type { Page } from "@playwright/test";

import { expect, Host, isKept, ISOLATION, kept, test } from "../host";
import { Scope } from "../scope";

const isIsolated = (page: Page): Promise<boolean> => page.evaluate(() => crossOriginIsolated);

test("threads run from the second visit on", async ({ page, scope }) => {
  await scope.openLive();
  expect(await isIsolated(page)).toBe(false);
  await isKept(page);

  await page.goto("./");
  await scope.becomesLive();
  expect(await isIsolated(page)).toBe(true);
  const cores = await page.evaluate(() => Math.min(navigator.hardwareConcurrency, 8));
  const device = cores === 1 ? "CPU" : `CPU, ${cores} threads`;
  await expect(page.getByTestId("device-name")).toHaveText(new RegExp(`^${device} · `));
  await expect(scope.problem).toBeHidden();
});

test("a host that isolates the page itself is left to it", async ({ page, scope, host }) => {
  const embedder = "cross-origin-embedder-policy";
  host.headers = { ...ISOLATION, [embedder]: "credentialless" };
  await scope.openLive();
  expect(await isIsolated(page)).toBe(true);
  await isKept(page);

  const response = await page.goto("./");
  expect(response?.fromServiceWorker()).toBe(true);
  expect(await response?.headerValue(embedder)).toBe("credentialless");
  await scope.becomesLive();
  expect(await isIsolated(page)).toBe(true);
});

test.describe("what the policy forbids", () => {
  // The console says that the policy is broken: that it is, is what these show.
  test.use({ manners: async ({}, use) => use() });

  test("the page cannot send anything to another host", async ({ page, scope }) => {
    await scope.openLive();
    await withAnotherHost(async (other) => {
      expect(await page.evaluate(send, other.at("/"))).toBe("refused");
      expect(other.asked).toEqual([]);
    });
  });

  test("from the second visit on its workers cannot either", async ({ page, scope }) => {
    await scope.openLive();
    await isKept(page);
    await page.goto("./");
    await scope.becomesLive();
    const workers = page.workers();
    expect(workers.length).toBeGreaterThan(0);
    await withAnotherHost(async (other) => {
      for (const worker of workers.filter((worker) => /worker-cpu/.test(worker.url()))) {
        expect(await worker.evaluate(send, other.at("/"))).toBe("refused");
      }
      expect(other.asked).toEqual([]);
    });
  });
});

test.describe("two deployments on one origin", () => {
  test.use({ baseURL: async ({ host }, use) => use(host.at("/")) });

  test("leave each other's files alone", async ({ page, host, context }) => {
    const [build] = host.builds.values();
    if (build === undefined) throw new Error("nothing is deployed");
    host.builds.clear();
    host.builds.set("/one/", build);
    host.builds.set("/two/", await build.next((name) => name.startsWith("chapters/")));
    await page.goto(host.at("/one/"));
    await new Scope(page).becomesLive();
    await isKept(page);
    const first = (await kept(page)).toSorted();

    const tab = await context.newPage();
    await tab.goto(host.at("/two/"));
    await new Scope(tab).becomesLive();
    await isKept(tab);
    expect((await kept(page)).toSorted()).toEqual(first);

    await host.stop();
    for (const path of ["/one/", "/two/"]) {
      await page.goto(host.at(path));
      await new Scope(page).becomesLive();
    }
  });
});

/** With a host that lets every page read its answers. */
async function withAnotherHost(use: (other: Host) => Promise<void>): Promise<void> {
  const other = await Host.start();
  other.headers = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };
  await use(other);
  await other.stop();
}

/** Sends words to an address. */
async function send(address: string): Promise<string> {
  return fetch(`${address}?text=secret`).then(
    ({ status }) => `answered with ${status}`,
    () => "refused",
  );
}
