// Which CPU engine runs: what the browser can do decides, and no other engine is downloaded.

import { expect, freshTest as test } from "../scope";
import { put } from "../worker";

/** A browser whose memory that threads share has at most so many pages. */
const lessMemory = (pages: number): string => `const Memory = WebAssembly.Memory;
  WebAssembly.Memory = function (descriptor) {
    if (descriptor.maximum > ${pages}) throw new RangeError("out of memory");
    return new Memory(descriptor);
  };
  WebAssembly.Memory.prototype = Memory.prototype;`;

const CASES = [
  { name: "threads and fused multiply-add", code: "", engine: "engine-cpu-threads", threads: true },
  {
    name: "threads, but no fused multiply-add",
    code: "WebAssembly.validate = () => false;",
    engine: "engine-cpu-threads-plain",
    threads: true,
  },
  {
    // As WebKitGTK does.
    name: "isolation, but no memory that can be shared",
    code: `const post = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function (message, ...more) {
        if (message instanceof WebAssembly.Memory) throw new DOMException("not here", "DataCloneError");
        return post.call(this, message, ...more);
      };`,
    engine: "engine-cpu",
    threads: false,
  },
  {
    // As Firefox before version 145.
    name: "shared memory, but nothing to wait on it with",
    code: "delete Atomics.waitAsync;",
    engine: "engine-cpu",
    threads: false,
  },
  {
    name: "shared memory, but less than the engine's most",
    code: lessMemory(40_000),
    engine: "engine-cpu-threads",
    threads: true,
  },
  {
    name: "shared memory, but as little as phones have",
    code: lessMemory(10_000),
    engine: "engine-cpu-threads",
    threads: true,
  },
];

for (const { name, code, engine, threads } of CASES) {
  test(`a browser with ${name}`, async ({ page, scope }) => {
    const downloaded: (string | undefined)[] = [];
    page.on("request", (request) => downloaded.push(/\/(engine-.*)_bg\.\w+\.wasm$/.exec(request.url())?.[1]));
    const times = await put(page, code);
    await scope.openLive();
    expect(times()).toBe(1);
    const device = page.getByTestId("device-name");
    await expect(device).toContainText("CPU");
    if (threads) await expect(device).toContainText("threads");
    else await expect(device).not.toContainText("threads");
    await expect(scope.translation).not.toBeEmpty();
    expect(downloaded.filter(Boolean)).toEqual([engine]);
  });
}
