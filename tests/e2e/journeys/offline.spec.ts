// A second visit: nothing is downloaded twice, and nothing needs a network.

import { isKept } from "../host";
import { expect, files, freshTest as test } from "../scope";

test.describe("with the service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("after one visit the page opens and the model runs without a network", async ({
    context,
    page,
    scope,
  }) => {
    await scope.openLive();
    await isKept(page);

    await context.setOffline(true);
    await scope.open("text=Je+ne+sais+pas.");
    await scope.becomesLive();
    await expect(scope.tokens).toContainText("sais");
    await expect(scope.translation).toHaveText(/don't know|do not know/i);
  });

  test("after one visit to Learn a chapter opens without a network", async ({
    context,
    page,
    scope,
  }) => {
    await scope.openLive("tab=learn&chapter=sizes");
    await expect(page.locator(".prose").first()).toBeVisible();
    await isKept(page);
    const text = /chapters\/sizes\.en\.\w+\.json$/.source;
    await expect.poll(() => page.evaluate(keeps, text)).toBe(true);
    await expect.poll(() => page.evaluate(keeps, /split_learn\.\w+\.wasm$/.source)).toBe(true);

    await context.setOffline(true);
    await scope.open("tab=learn&chapter=sizes");
    await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "sizes");
    await expect(page.locator(".prose").first()).toBeVisible();
  });
});

test("weights are downloaded once", async ({ page, scope }) => {
  const asked: string[] = [];
  await page.route(files.weights, (route) => {
    asked.push(route.request().url());
    return route.continue();
  });
  await scope.openLive();
  await expect.poll(() => page.evaluate(keptWeights)).not.toEqual([]);
  await page.reload();
  await scope.becomesLive();
  expect(asked).toHaveLength(1);
});

test("a kept copy that is broken is dropped and downloaded again", async ({ page, scope }) => {
  await scope.openLive();
  await expect.poll(() => page.evaluate(keptWeights)).not.toEqual([]);
  await page.evaluate(async () => {
    const cache = await caches.open(`attention-scope-models ${new URL("./", location.href).href}`);
    const [weights] = (await cache.keys()).filter(({ url }) => url.endsWith(".safetensors"));
    if (weights === undefined) throw new Error("no weights are kept");
    const bytes = new Uint8Array(await (await cache.match(weights))!.arrayBuffer());
    bytes[bytes.length >> 1]! ^= 1;
    await cache.put(weights, new Response(bytes));
  });
  const asked: string[] = [];
  await page.route(files.weights, (route) => {
    asked.push(route.request().url());
    return route.continue();
  });
  await page.reload();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  expect(asked).toHaveLength(1);
});

test("a browser that keeps nothing runs the model all the same", async ({ page, scope }) => {
  await page.route("**/worker-cpu.*.js", async (route) => {
    const response = await route.fetch();
    const { "content-encoding": _, "content-length": __, ...headers } = response.headers();
    const body = `Object.defineProperty(self, "caches", { value: undefined });\n${await response.text()}`;
    await route.fulfill({ headers, body });
  });
  await scope.openLive();
  await expect(scope.problem).toBeHidden();
});

/** Whether a file with such an address is kept. */
async function keeps(address: string): Promise<boolean> {
  const name = new RegExp(address);
  for (const cache of await caches.keys()) {
    const kept = await (await caches.open(cache)).keys();
    if (kept.some(({ url }) => name.test(url))) return true;
  }
  return false;
}

async function keptWeights(): Promise<string[]> {
  const name = `attention-scope-models ${new URL("./", location.href).href}`;
  const keys = await (await caches.open(name)).keys();
  return keys.map(({ url }) => url).filter((url) => url.endsWith(".safetensors"));
}
