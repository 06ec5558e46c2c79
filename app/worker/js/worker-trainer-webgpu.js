// Starts the worker that trains on WebGPU.
import init, { listen } from "./trainer-webgpu.js";

await init();
listen();
