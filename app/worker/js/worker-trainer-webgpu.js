// Starts the worker that trains on WebGPU, which is another call of the engine's module.
import { load } from "./published.js";

load("./engine-webgpu.js", "./engine-webgpu_bg.wasm")
  .then((engine) => engine.train())
  .catch(reportError);
