// Holds code to the manifest's digests. A wrong copy of a file, such as the login page of a network in its place, may be
// kept by the browser's cache for good, since every file is named after its contents: here it is found, and fetched anew.
//
// A script of its own beside the one that starts the page: if that is the one that came wrong, this one starts it again.

/** How long a page that runs waits for files to be mended, and one that does not. */
const PATIENCE_MS = 10_000;
const LONG_PATIENCE_MS = 60_000;

const text = document.getElementById("manifest")?.textContent ?? "{}";
const { files = {} } = JSON.parse(text);
const address = (name) => new URL(files[name].path, document.baseURI).href;
const names = new Map(Object.keys(files).map((name) => [address(name), name]));

// For the page's code, which is a module of its own.
Object.assign(globalThis, { mend, published });

// In one piece with its ending, the build would write an address in the place of a name.
const named = (stem, ending) => `${stem}.${ending}`;
if (document.documentElement.dataset.theme === undefined) await startAgain("boot");
const styles = document.querySelector("link[rel=stylesheet]");
if (styles && !hasRules(styles)) {
  mend(named("style", "css")).then((mended) => mended && styles.replaceWith(styles.cloneNode()));
}

/**
 * Fetches anew what the browser keeps of a file and of all that it refers to, if it is not as it was published. Tells
 * whether anything was put right, as far as that is known after a while.
 */
export async function mend(name, patienceMs = PATIENCE_MS) {
  const mended = Promise.all(withNeeds(name).map(mendOne)).then((all) => all.includes(true));
  const patience = new Promise((resolve) => setTimeout(resolve, patienceMs, false));
  return Promise.race([mended, patience]);
}

/** Loads the page once more, if that puts right a script, named without its ending, or what it refers to. */
export async function startAgain(script) {
  // Once at most, if the server itself has it wrong.
  if (history.state?.mended || !(await mend(named(script, "js"), LONG_PATIENCE_MS))) return false;
  history.replaceState({ mended: true }, "");
  location.reload();
  return true;
}

/**
 * The answer to a request for one of the page's files, asked for past the browser's cache if its copy is wrong. Throws if
 * the server's copy is wrong, too.
 */
export async function published(url) {
  const name = names.get(new URL(url, document.baseURI).href);
  const response = await fetch(url);
  if (!name || !response.ok || (await isWhole(response.clone(), name))) return response;
  const anew = await fetch(url, { cache: "reload" });
  if (!anew.ok || (await isWhole(anew.clone(), name))) return anew;
  throw new Error(`${url} does not come as it was published`);
}

/** Returns true if a style sheet was taken: of one that was refused for its type, a browser shows no rules. */
function hasRules({ sheet }) {
  try {
    return Boolean(sheet?.cssRules.length);
  } catch {
    return false;
  }
}

function withNeeds(name) {
  const wanted = new Set(name in files ? [name] : []);
  for (const one of wanted) files[one].needs?.forEach((need) => wanted.add(need));
  return [...wanted];
}

async function mendOne(name) {
  const kept = await cached(address(name));
  if (!kept || (await isWhole(kept, name))) return false;
  const anew = await fetch(address(name), { cache: "reload" }).catch(() => undefined);
  return Boolean(anew?.ok && (await isWhole(anew, name)));
}

/** What the browser keeps of a file; undefined where that is nothing, which then cannot be wrong. */
async function cached(url) {
  const options = { cache: "only-if-cached", mode: "same-origin" };
  const response = await fetch(url, options).catch(() => undefined);
  return response?.ok ? response : undefined;
}

/** Returns true if a response holds what the manifest says. Where the page is not served securely a browser counts no digests: then its length tells. */
async function isWhole(response, name) {
  const bytes = await response.arrayBuffer().catch(() => undefined);
  if (!bytes || bytes.byteLength !== files[name].bytes) return false;
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === files[name].sha256;
}
