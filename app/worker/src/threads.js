// Starts the workers that become the engine's threads.

// Held, since some browsers collect a worker that nothing refers to.
const threads = [];

/**
 * Starts `count` workers on the engine at `address`, its module and its memory; resolves when all of
 * them are ready to help.
 */
export function startThreads(address, module, memory, count) {
  const script = new URL("../../../thread.js", import.meta.url);
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const thread = new Worker(script, { type: "module" });
          thread.onmessage = resolve;
          thread.onerror = (event) => reject(new Error(event.message));
          thread.postMessage({ address, module, memory });
          threads.push(thread);
        }),
    ),
  );
}
