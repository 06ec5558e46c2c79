// Faults of files, devices and workers: said in place, and no dead end.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { repository } from "../browser";
import { expect, files, freshTest as test } from "../scope";

const weights = (): Promise<Buffer> =>
  readFile(join(repository, "assets/models/translator/model.safetensors"));

test("missing weights: said, the example stays, trying again works", async ({ page, scope }) => {
  await page.route(files.weights, (route) => route.fulfill({ status: 404 }));
  await scope.open();
  await expect(scope.problem).toContainText("404");
  await scope.showsExample();

  await page.unroute(files.weights);
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

test("weights cut off half-way", async ({ page, scope }) => {
  const whole = await weights();
  await page.route(files.weights, (route) =>
    route.fulfill({ body: whole.subarray(0, whole.length / 2) }),
  );
  await scope.open();
  await expect(scope.problem).toContainText("damaged");
  await scope.showsExample();

  await page.unroute(files.weights);
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
});

for (const [name, damage] of [
  ["a header that is no header", (bytes: Buffer) => bytes.fill(0xff, 0, 64)],
  ["nothing but zeros", (bytes: Buffer) => bytes.fill(0)],
  ["a web page in their place", () => Buffer.from("<!doctype html><title>Sign in</title>")],
  ["no bytes at all", () => Buffer.alloc(0)],
] as const) {
  test(`weights with ${name}`, async ({ page, scope }) => {
    const damaged = damage(await weights());
    await page.route(files.weights, (route) => route.fulfill({ body: damaged }));
    await scope.open();
    await expect(scope.problem).toContainText("damaged");
    await scope.showsExample();
  });
}

test("a connection that breaks while the weights arrive", async ({ page, scope }) => {
  await page.route(files.weights, (route) => route.abort("connectionreset"));
  await scope.open();
  await expect(scope.problem).toContainText("could not be downloaded");
  await scope.showsExample();
});

test("a missing example costs nothing but the example", async ({ page, scope }) => {
  await page.route(files.example, (route) => route.fulfill({ status: 404 }));
  await scope.openLive();
  await expect(scope.problem).toBeHidden();
});

test("WebGPU that was chosen and is not there: the CPU is a click away", async ({ page, scope }) => {
  await scope.open("device=webgpu");
  await expect(scope.problem).toContainText("no WebGPU adapter");
  await scope.showsExample();
  await page.getByRole("button", { name: "Use the CPU" }).click();
  await scope.becomesLive();
  await expect(page.getByTestId("device-name")).toContainText("CPU");
  await expect(page).toHaveURL(/device=cpu/);
});

test("an engine that cannot start", async ({ page, scope }) => {
  await page.route(files.cpuEngine, (route) => route.fulfill({ status: 404 }));
  await scope.open();
  await expect(scope.problem).toContainText("The engine stopped unexpectedly");
  await scope.showsExample();

  await page.unroute(files.cpuEngine);
  await page.getByRole("button", { name: "Try again" }).click();
  await scope.becomesLive();
});

test("a worker that dies is started anew", async ({ page, scope }) => {
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  const [worker] = page.workers();
  expect(worker).toBeDefined();
  const died = worker?.waitForEvent("close");
  await worker?.evaluate(() => {
    setTimeout(() => {
      throw new Error("out of memory");
    });
  });
  await died;
  await expect(scope.translation).toHaveText(before);
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await expect(scope.problem).toBeHidden();
});
