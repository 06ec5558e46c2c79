// Starts a CPU engine: the one with threads where the browser shares memory between workers and knows
// fused multiply-add, else the one without. `?threads=N` in the address decides on the number.

// A function that uses `i8x16.relaxed_swizzle`, one of the instructions that came with it.
const FUSED_MULTIPLY_ADD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15,
  65, 2, 253, 15, 253, 128, 2, 11,
]);

async function startWithThreads(count) {
  const engine = await import("./engine-cpu-threads.js");
  await engine.default();
  await engine.shareWork(count);
  engine.listen();
}

async function startAlone() {
  const engine = await import("./engine-cpu.js");
  await engine.default();
  engine.listen();
}

// Beyond these, waking threads costs more than they do for models of this size.
const MOST = 8;

const asked = Number(new URL(self.location.href).searchParams.get("threads"));
const count = asked || Math.min(navigator.hardwareConcurrency, MOST);
if (self.crossOriginIsolated && WebAssembly.validate(FUSED_MULTIPLY_ADD)) {
  // A browser may refuse the memory or the workers; the engine without threads asks for neither.
  await startWithThreads(count).catch(startAlone);
} else {
  await startAlone();
}
