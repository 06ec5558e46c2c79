// Starts the WebGPU engine.
import "./rejections.js";
import init, { listen } from "./engine-webgpu.js";

await init();
listen("engine-webgpu");
