// Code that comes wrong once, with headers that let the browser keep it for good: the page puts it right.

import { expect, test, type Build } from "../host";

// Without a service worker, and without the headers that isolate the page, the engine is the one without threads.
test.use({ serviceWorkers: "block" });

const LOGIN = Buffer.from("<!doctype html><title>Sign in</title>");

test.beforeEach(({ host }) => {
  host.headers = { "cache-control": "public, max-age=31536000, immutable" };
});

/** The address of a file by the name that it has in the repository. */
async function addressOf(build: Build, name: string): Promise<string> {
  const { files } = JSON.parse(String(await build.file("manifest.json")));
  return files[name].path;
}

const short = (whole: Buffer): Buffer => whole.subarray(0, whole.length / 2);
const flipped = (whole: Buffer): Buffer => {
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  return damaged;
};

for (const [name, what, damage] of [
  ["boot.js", "a login page", () => LOGIN],
  ["mending.js", "a login page", () => LOGIN],
  ["style.css", "a login page", () => LOGIN],
  ["page.js", "a login page", () => LOGIN],
  ["page.js", "one bit changed", flipped],
  ["page_bg.wasm", "its first half", short],
  ["engine-cpu.js", "a login page", () => LOGIN],
  ["engine-cpu_bg.wasm", "a login page", () => LOGIN],
  ["engine-cpu_bg.wasm", "one bit changed", flipped],
] as const) {
  test(`${name}: ${what}`, async ({ scope, host }) => {
    const build = host.builds.get("/scope/")!;
    const address = await addressOf(build, name);
    build.once.set(address, damage((await build.file(address))!));
    await scope.openLive();
    expect(build.once.size).toBe(0);
    await expect(scope.problem).toBeHidden();
    await scope.isDrawn();
  });
}

test("the script of a worker: trying again asks past the cache", async ({ page, scope, host }) => {
  const build = host.builds.get("/scope/")!;
  build.once.set(await addressOf(build, "worker-cpu.js"), LOGIN);
  await scope.open();
  await expect(scope.problem).toContainText("The engine stopped unexpectedly");
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

test("a part of the page that is downloaded later", async ({ page, scope, host }) => {
  const build = host.builds.get("/scope/")!;
  build.once.set(await addressOf(build, "split_learn.wasm"), LOGIN);
  await scope.open("tab=learn");
  await expect(page.getByTestId("chapter")).toBeVisible();
  expect(build.once.size).toBe(0);
});
