// Loads a module and its script, and holds both to the digests in their addresses: a wrong copy, such as the login page
// of a network in its place, may be kept by the browser's cache for good. Then they are asked for past it.

/** Cache modes to try in turn: the usual one, then past the cache. */
const CACHE_MODES = ["default", "reload"];

/** The beginning of a file's SHA-256 in its address. */
const DIGITS = /\.([0-9a-f]{16})\.\w+$/;

const ignore = () => {};

/** The script at an address, once its module at another runs on `memory`, or on its own; `goesOn` is called as the module arrives. */
export async function load(script, module, memory, goesOn = ignore) {
  const [engine, compiled] = await Promise.all([imported(script), compile(module, goesOn)]);
  await engine.default({ module_or_path: compiled, memory });
  return engine;
}

async function imported(address) {
  for (const cache of CACHE_MODES) {
    const response = await fetch(address, { cache });
    // A script runs as soon as it is imported, and one that failed is not imported again: it is verified before. What was
    // asked for past the cache has replaced the copy there, which the import finds.
    if (await isPublished(await response.arrayBuffer(), address)) return import(address);
  }
  throw notPublished(address);
}

async function compile(address, goesOn) {
  for (const cache of CACHE_MODES) {
    const response = await fetch(address, { cache });
    const bytes = counted(response.clone(), goesOn);
    bytes.catch(ignore);
    // With the response itself a browser finds the code that it has compiled before; it asks for the type of a module.
    const module = WebAssembly.compileStreaming(response).catch(async () => WebAssembly.compile(await bytes));
    module.catch(ignore);
    if (await isPublished(await bytes, address)) return module;
  }
  throw notPublished(address);
}

const notPublished = (address) => new Error(`${address} does not come as it was published`);

/** The bytes of a response. */
async function counted(response, goesOn) {
  const reader = response.body.getReader();
  const parts = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    parts.push(value);
    goesOn();
  }
}

/** Returns true if the bytes are those that an address names; where address or browser cannot tell, they are taken for it. */
async function isPublished(bytes, address) {
  const [, digits] = DIGITS.exec(address) ?? [];
  if (!digits || !self.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes), 0, digits.length / 2);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === digits;
}
