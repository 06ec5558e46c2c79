// What is measured: which model, on how much text, on which device, and within which time.

/** @import { Budget, Work } from "../page/measure.js" */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} model
 * @property {"forward" | "decode"} kind
 * @property {number} tokens of the text, or of the prompt; an encoder–decoder's text is what it is
 * @property {number} new_tokens
 *
 * @typedef {object} Device
 * @property {string} name
 * @property {Work["device"]} device
 * @property {string[]} flags Chromium's
 * @property {boolean} slow whether a software adapter does a graphics card's work
 * @property {string} [chromium] a launcher of its own
 */

/** @type {Case[]} */
export const CASES = [
  { name: "tiny 64", model: "tiny", kind: "forward", tokens: 64, new_tokens: 0 },
  { name: "tiny 256", model: "tiny", kind: "forward", tokens: 256, new_tokens: 0 },
  { name: "small 64", model: "small", kind: "forward", tokens: 64, new_tokens: 0 },
  { name: "small 256", model: "small", kind: "forward", tokens: 256, new_tokens: 0 },
  { name: "translator", model: "translator", kind: "forward", tokens: 0, new_tokens: 0 },
  { name: "decode tiny", model: "tiny", kind: "decode", tokens: 64, new_tokens: 48 },
  { name: "decode small", model: "small", kind: "decode", tokens: 64, new_tokens: 32 },
  { name: "decode translator", model: "translator", kind: "decode", tokens: 0, new_tokens: 48 },
];

const WEBGPU = ["--enable-unsafe-webgpu", "--ignore-gpu-blocklist"];
const SWIFTSHADER = [...WEBGPU, "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"];
// Another library answers in SwiftShader's place.
const LAVAPIPE = [...WEBGPU, "--use-webgpu-adapter=swiftshader", "--use-angle=vulkan"];

/**
 * The devices that a browser on this machine has.
 *
 * @param {{ lavapipe: string | null, gpu: boolean }} options
 * @returns {Device[]}
 */
export function devices({ lavapipe, gpu }) {
  /** @type {Device[]} */
  const found = [
    { name: "CPU, 1 thread", device: "cpu-1", flags: ["--disable-gpu"], slow: false },
    { name: "CPU, threads", device: "cpu-threads", flags: ["--disable-gpu"], slow: false },
    { name: "WebGPU, SwiftShader", device: "webgpu", flags: SWIFTSHADER, slow: true },
  ];
  if (lavapipe) {
    const device = { device: /** @type {const} */ ("webgpu"), flags: LAVAPIPE, slow: true };
    found.push({ name: "WebGPU, lavapipe", chromium: lavapipe, ...device });
  }
  if (gpu) found.push({ name: "WebGPU, graphics card", device: "webgpu", flags: [...WEBGPU, "--enable-features=Vulkan"], slow: false });
  return found;
}

/** Cases that a software adapter takes minutes for, and that tell nothing about a graphics card. @param {Case} it */
export function is_heavy({ model, tokens }) {
  return model === "small" || tokens > 64;
}

/**
 * @param {Case} it
 * @param {Device} device
 * @param {boolean} quick
 * @returns {Budget}
 */
export function budget(it, { slow }, quick) {
  if (it.kind === "decode") {
    return {
      early: 0,
      warm_up: 1,
      warm_up_ms: quick || slow ? 0 : 4_000,
      warm_up_limit_ms: 4_000,
      steady: quick ? 1 : 5,
      steady_limit_ms: 5_000,
      steady_least: 1,
    };
  }
  if (quick) {
    return {
      early: 1,
      warm_up: 2,
      warm_up_ms: 0,
      warm_up_limit_ms: 0,
      steady: 2,
      steady_limit_ms: 2_000,
      steady_least: 1,
    };
  }
  return {
    early: slow ? 2 : 5,
    // The browser compiles hot code again in the background: neither passes nor time alone tell when it is done.
    warm_up: slow ? 3 : 16,
    warm_up_ms: slow ? 0 : 3_000,
    warm_up_limit_ms: 10_000,
    steady: slow ? 5 : 15,
    steady_limit_ms: 6_000,
    steady_least: slow ? 1 : 3,
  };
}
