// One thread of the engine: the same module on the same memory, waiting for work.
self.onmessage = async ({ data: { address, module, memory, start } }) => {
  const engine = await import(address);
  await engine.default({ module_or_path: module, memory });
  self.postMessage("waiting");
  engine.runThread(start);
};
