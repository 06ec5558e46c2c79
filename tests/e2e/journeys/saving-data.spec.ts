// Visitors who pay for what they download: with data saver on, the model is downloaded once they agree.

import { expect, freshTest as test } from "../scope";

const savesData = () =>
  Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true });

test("with data saver on, the model is asked for first and then kept", async ({ page, scope }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const weights = () => asked.filter((url) => /\/models\/translator\/model\./.test(url));
  await page.addInitScript(savesData);
  await scope.open();
  const notice = page.getByTestId("stopped");
  await expect(notice).toContainText(/\d+\.\d MB/);
  await expect(page.getByTestId("model-map")).toBeVisible();
  expect(weights()).toEqual([]);
  await page.getByTestId("retry").click();
  await scope.becomesLive();
  await expect(notice).toBeHidden();
  expect(weights()).toHaveLength(1);
  // What is kept costs nothing, so it is not asked about again.
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const cache = await caches.open(`attention-scope-models ${new URL("./", location.href).href}`);
        return (await cache.keys()).some(({ url }) => url.endsWith(".safetensors"));
      }),
    )
    .toBe(true);
  await page.reload();
  await scope.becomesLive();
});

test("weights travel packed, whatever the host does; where that fails, as they are", async ({ page, scope }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const weights = () => asked.filter((url) => /\/models\/translator\/model\./.test(url));
  await scope.openLive();
  expect(weights()).toHaveLength(1);
  expect(weights()[0]).toMatch(/\.packed$/);

  // Another visitor, whose packed copy is damaged on its way.
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name);
  });
  asked.length = 0;
  await page.route("**/translator/model.*.packed", async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({ response, body: body.subarray(0, body.length / 2) });
  });
  await page.reload();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  expect(weights().map((url) => url.replace(/.*\./, ""))).toEqual(["packed", "safetensors"]);
});
