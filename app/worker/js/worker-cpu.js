// Starts the CPU engine that suits the browser, and fetches no other: with threads and fused multiply-add, with threads
// and plain vectors, or without threads. `?threads=N` in the address decides on the number; a worker of the name
// `without-threads` has none.

import { start } from "./starting.js";

// Not waited for: it is there long before the engine has anything to do.
import("./rejections.js");

// A function that uses `i8x16.relaxed_swizzle`, one of the instructions that came with fused multiply-add.
const FUSED_MULTIPLY_ADD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15,
  65, 2, 253, 15, 253, 128, 2, 11,
]);

// Upper bounds of the memory in pages of 64 KiB: the engine's own, half of it, and one that phones and tablets have room
// for. A browser reserves addresses for all of it, and memory only for what is used.
const MOST_PAGES = [65_536, 32_768, 8_192];

// More than the engine starts with; it grows from there.
const FIRST_PAGES = 64;

/**
 * Memory that threads can share; `undefined` where the browser has none. Found out by trying: what it says of being
 * isolated from other origins is not always so, and being isolated is not always enough.
 */
function sharedMemory() {
  // Firefox before version 145. An engine on shared memory waits for promises with it; in its place wasm-bindgen would
  // start a worker from a `data:` address, which the page's policy forbids, and wait for good.
  if (!self.Atomics?.waitAsync) return undefined;
  const { port1 } = new MessageChannel();
  for (const maximum of MOST_PAGES) {
    try {
      const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true });
      // Throws where it may not go to another worker.
      port1.postMessage(memory);
      return memory;
    } catch {
      // Less of it, or none.
    }
  }
}

async function startWithThreads(memory) {
  const fused = WebAssembly.validate(FUSED_MULTIPLY_ADD);
  const engine = fused
    ? await start("./engine-cpu-threads.js", "./engine-cpu-threads_bg.wasm", memory)
    : await start("./engine-cpu-threads-plain.js", "./engine-cpu-threads-plain_bg.wasm", memory);
  await engine.shareWork(count);
  engine.listen(fused ? "engine-cpu-threads" : "engine-cpu-threads-plain");
}

async function startAlone() {
  const engine = await start("./engine-cpu.js", "./engine-cpu_bg.wasm");
  engine.listen("engine-cpu");
}

async function startOne() {
  const memory = self.name === "without-threads" ? undefined : sharedMemory();
  if (memory === undefined) return startAlone();
  return startWithThreads(memory).catch((error) => {
    console.warn("the engine's threads do not start", error);
    return startAlone();
  });
}

// Beyond these, waking threads costs more than they do for models of this size.
const MOST_THREADS = 8;

const asked = Number(new URL(self.location.href).searchParams.get("threads"));
const count = asked || Math.min(navigator.hardwareConcurrency, MOST_THREADS);
// Of an `await` that fails at the top of a script, not every browser tells the page.
startOne().catch(reportError);
