// A kept copy of a model's file that breaks off while it is read, as on a disk that fails: the file is downloaded.

import { expect, files, test } from "../scope";

/** Put before the worker's script: what the browser keeps breaks off after a thousand bytes. */
const breaksOff = () => {
  const match = Cache.prototype.match;
  Cache.prototype.match = async function (request, options) {
    const kept = await match.call(this, request, options);
    if (kept === undefined || !String(request).endsWith(".safetensors")) return kept;
    const bytes = new Uint8Array(await kept.arrayBuffer());
    let sent = false;
    const body = new ReadableStream({
      pull(controller) {
        if (sent) controller.error(new Error("the copy breaks off"));
        else controller.enqueue(bytes.slice(0, 1000));
        sent = true;
      },
    });
    return new Response(body);
  };
};

test("a kept copy that breaks off is dropped and downloaded again", async ({ page, scope }) => {
  const kept = () =>
    page.evaluate(async () => {
      const cache = await caches.open(`attention-scope-models ${new URL("./", location.href).href}`);
      const keys = await cache.keys();
      return keys.map(({ url }) => url).filter((url) => url.endsWith(".safetensors"));
    });
  await scope.openLive();
  await expect.poll(kept).not.toEqual([]);

  const asked: string[] = [];
  await page.route(files.weights, (route) => {
    asked.push(route.request().url());
    return route.continue();
  });
  await page.route("**/worker-cpu.*.js", async (route) => {
    const response = await route.fetch();
    const body = `(${breaksOff.toString()})();\n${await response.text()}`;
    await route.fulfill({ response, body });
  });
  await page.reload();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  expect(asked).toHaveLength(1);
  await expect.poll(kept).not.toEqual([]);
});
