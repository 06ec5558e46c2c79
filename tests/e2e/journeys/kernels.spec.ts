// The kernels of every CPU engine, compiled and optimised as the engine is, against their definitions in f64.

import { expect, test } from "@playwright/test";

import { engines } from "../engine";
import { kernels, largestError, serve, testedEngines } from "../kernel-tests";

test("every CPU engine that is served has its kernels tested", () => {
  expect(testedEngines()).toEqual([...engines("engine-cpu").keys()].sort());
});

for (const engine of testedEngines()) {
  test(`the kernels of ${engine} compute what they are defined to`, async ({ page }) => {
    await serve(page);
    const names = await kernels(page, engine);
    expect(names.length).toBeGreaterThan(9);
    for (const name of names) {
      await test.step(name, async () => {
        const { error, threads } = await largestError(page, engine, name);
        expect.soft(error, name).toBeLessThan(1);
        expect(threads).toBe(engine.includes("threads") ? 2 : 1);
      });
    }
  });
}
