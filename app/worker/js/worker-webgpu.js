// Starts the WebGPU engine.
import init, { listen } from "./engine-webgpu.js";

await init();
listen("engine-webgpu");
