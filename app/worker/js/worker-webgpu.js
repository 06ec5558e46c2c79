// Starts the WebGPU engine.
import "./rejections.js";
import { start } from "./starting.js";

start("./engine-webgpu.js", "./engine-webgpu_bg.wasm")
  .then((engine) => engine.listen("engine-webgpu"))
  .catch(reportError);
