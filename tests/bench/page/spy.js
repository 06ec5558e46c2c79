// Starts our worker, whose address is `script`, and notes what it has the browser do: `self.spied()` tells.

const { searchParams } = new URL(self.location.href);

const counts = { dispatches: 0, submits: 0 };
/** @type {WebAssembly.Memory | undefined} */
let memory;

/**
 * Calls `before` at every call of a method.
 *
 * @param {any} of
 * @param {string} name
 * @param {() => void} before
 */
function watch(of, name, before) {
  const method = of?.prototype?.[name];
  if (!method) return;
  of.prototype[name] = function (/** @type {any[]} */ ...given) {
    before();
    return method.apply(this, given);
  };
}

const gpu = /** @type {any} */ (self);
watch(gpu.GPUComputePassEncoder, "dispatchWorkgroups", () => (counts.dispatches += 1));
watch(gpu.GPUComputePassEncoder, "dispatchWorkgroupsIndirect", () => (counts.dispatches += 1));
watch(gpu.GPUQueue, "submit", () => (counts.submits += 1));

for (const name of /** @type {const} */ (["instantiate", "instantiateStreaming"])) {
  const method = /** @type {any} */ (WebAssembly[name]);
  WebAssembly[name] = /** @type {any} */ (
    async (/** @type {any} */ source, /** @type {any} */ imports) => {
      const made = await method.call(WebAssembly, source, imports);
      const { exports } = made.instance ?? made;
      const all = [exports, ...Object.values(imports ?? {})].flatMap((from) => Object.values(from));
      memory = all.find((it) => it instanceof WebAssembly.Memory) ?? memory;
      return made;
    }
  );
}

Object.assign(self, { spied: () => ({ ...counts, memory_bytes: memory?.buffer.byteLength ?? null }) });

await import(/** @type {string} */ (searchParams.get("script")));
