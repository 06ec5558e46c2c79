// One thread of the engine: the same module on the same memory, helping with its passes.
self.onmessage = async ({ data: { address, module, memory } }) => {
  const engine = await import(address);
  await engine.default({ module_or_path: module, memory });
  engine.runThread(() => self.postMessage("ready"));
};
