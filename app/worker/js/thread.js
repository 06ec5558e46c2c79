// One thread of the engine: the same module on the same memory, helping with its passes.
self.onmessage = async ({ data: { address, module, memory } }) => {
  try {
    const engine = await import(address);
    await engine.default({ module_or_path: module, memory });
    help(engine);
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};

function help(engine) {
  try {
    engine.runThread(() => self.postMessage({}));
  } catch (error) {
    // The engine's main thread may wait for this one in the middle of a pass, where no message reaches it.
    engine.threadDied();
    throw error;
  }
}
