// The page with a GPU that is not what it seems.

import type { Page } from "@playwright/test";

import { files } from "./scope";

/** Starts the WebGPU engine behind `prelude`, which spoils the browser's GPU interface before the engine asks for it. */
export async function spoil(page: Page, prelude: string): Promise<void> {
  await page.route(files.webgpuWorker, async (route) => {
    const response = await route.fetch();
    const script = await response.text();
    const { "content-encoding": _, "content-length": __, ...headers } = response.headers();
    await route.fulfill({ headers, body: `${prelude}\n${script}` });
  });
}

/** Makes the page and the engine take the software adapter for a real one. */
export async function pretendHardware(page: Page, prelude = ""): Promise<void> {
  const pretence = `for (const type of [self.GPUAdapter, self.GPUAdapterInfo])
    if (type) Object.defineProperty(type.prototype, "isFallbackAdapter", { get: () => false });`;
  await page.addInitScript(pretence);
  await spoil(page, `${pretence}\n${prelude}`);
}

/** Every buffer that is read back holds zeros. */
export const WRONG_NUMBERS = `
  const mapped = GPUBuffer.prototype.getMappedRange;
  GPUBuffer.prototype.getMappedRange = function (...range) {
    const bytes = mapped.apply(this, range);
    if (this.usage & GPUBufferUsage.MAP_READ) new Uint8Array(bytes).fill(0);
    return bytes;
  };`;
