// Starts the worker that trains on WebGPU, which is another call of the engine's module.
import init, { train } from "./engine-webgpu.js";

init().then(train).catch(reportError);
