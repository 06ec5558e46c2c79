// Starts the WebGPU engine; its own start function listens and says that it does.
import init from "./engine-webgpu.js";

await init();
