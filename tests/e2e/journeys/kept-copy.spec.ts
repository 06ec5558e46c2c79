// A browser's storage that fails the engine: a kept copy of a model's file that breaks off or stops coming, as on a disk that
// fails, and a storage that does not answer. The model is downloaded.

import { expect, files, freshTest as test } from "../scope";

/** Put before the worker's script: after a thousand bytes, what the browser keeps goes on as told. */
function goesOn(how: "breaks off" | "stays silent"): void {
  const match = Cache.prototype.match;
  Cache.prototype.match = async function (request, options) {
    const kept = await match.call(this, request, options);
    if (kept === undefined || !String(request).endsWith(".safetensors")) return kept;
    const bytes = new Uint8Array(await kept.arrayBuffer());
    let sent = false;
    const body = new ReadableStream({
      pull(controller) {
        if (!sent) controller.enqueue(bytes.slice(0, 1000));
        else if (how === "breaks off") controller.error(new Error("the copy breaks off"));
        else return new Promise<void>(() => {});
        sent = true;
      },
    });
    return new Response(body);
  };
}

/** Put before the worker's script: a call of the storage's comes back with nothing. */
function neverAnswers(call: "open" | "match"): void {
  const silent = (): Promise<never> => new Promise(() => {});
  if (call === "open") CacheStorage.prototype.open = silent;
  else Cache.prototype.match = silent;
}

for (const [what, fault] of [
  ["a kept copy that breaks off", `(${goesOn})("breaks off")`],
  ["a kept copy that stops coming", `(${goesOn})("stays silent")`],
  ["a storage that does not open", `(${neverAnswers})("open")`],
  ["a storage that does not find", `(${neverAnswers})("match")`],
] as const) {
  test(`${what}: the model is downloaded, and kept`, async ({ page, scope }) => {
    const kept = (): Promise<string[]> =>
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
      await route.fulfill({ response, body: `${fault};\n${await response.text()}` });
    });
    await page.reload();
    await scope.becomesLive();
    await expect(scope.problem).toBeHidden();
    expect(asked).toHaveLength(1);
    await expect.poll(kept).not.toEqual([]);
  });
}
