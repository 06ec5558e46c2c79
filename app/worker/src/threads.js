// Starts the workers that become the engine's threads.

/** How long they may take to be ready. They load two scripts that the browser has had already, one of them small. */
const PATIENCE_MS = 10_000;

// Held, since some browsers collect a worker that nothing refers to.
let threads = [];

/**
 * Starts `count` workers on the engine at `address`, its module and its memory; resolves when all of
 * them are ready to help. If one of them does not get there, all are ended.
 */
export async function startThreads(address, module, memory, count) {
  const script = new URL("../../../thread.js", import.meta.url);
  threads = Array.from({ length: count }, () => new Worker(script, { type: "module" }));
  let timer;
  const patience = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("a thread does not answer")), PATIENCE_MS);
  });
  try {
    const ready = threads.map((thread) => start(thread, { address, module, memory }));
    await Promise.race([Promise.all(ready), patience]);
  } catch (error) {
    for (const thread of threads) thread.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function start(thread, engine) {
  return new Promise((resolve, reject) => {
    let ready = false;
    const fail = (reason) => {
      const error = new Error(`a thread failed: ${reason}`);
      // Once it was ready the engine runs, and the page has to be told.
      if (ready) reportError(error);
      else reject(error);
    };
    thread.onmessage = ({ data: { failed } }) => {
      if (failed !== undefined) return fail(failed);
      ready = true;
      resolve();
    };
    thread.onerror = ({ message }) => fail(message ?? "its script cannot be loaded");
    thread.postMessage(engine);
  });
}
