// Keeps the files of the page, so that a second visit needs no network, and adds the headers that a static host
// cannot send: those that isolate the page, so that its engine may use threads, and the policy of its workers.
//
// Every file but the page itself is named after its contents, so a copy is never out of date; whether
// it is whole, the manifest's digests tell. The page is asked for first and taken from here when there is no
// answer. A new build comes with another manifest, so the browser installs this script anew beside the old one,
// which goes on serving the tabs that are open; when the last of them is gone, so are the old files.
//
// Models are kept by the engine, which checks them on their way; here they are only cleared away, but for those that the
// visitor has trained, which no build knows and the page keeps to a few.

const { version, files } = __MANIFEST__;

/** What a host should send with the page and with its workers' scripts. */
const HEADERS = __HEADERS__;
const POLICY = "content-security-policy";

/** The workers that may ask other hosts, and their policies. */
const OUTSIDE = __OUTSIDE__;

const SCOPE = registration.scope;

// Another deployment on this origin has another scope. An address holds no space, so that no prefix begins another.
const PREFIX = `attention-scope-files ${SCOPE} `;
const CACHE = PREFIX + version;
/** The engine's own cache: see `app/worker/src/storage.rs`. */
const MODELS = `attention-scope-models ${SCOPE}`;

/** Where the page keeps models that were trained here. */
const TRAINED = `${SCOPE}trained/`;

/** How long to wait for the network before the page is taken from here, and for the browser's storage before it is not. */
const PATIENCE_MS = 3_000;

/** Engines that are kept beside another, without their scripts' ending, with which the build would write other names. In WebKit
 * nothing that a worker's own workers ask for comes by way of this script, so that without a network no threads start; then
 * the engine without them answers. */
const BESIDE = { "engine-cpu-threads-plain": "engine-cpu" };

/** This build's cache, opened once in the life of this script. */
let opened;
const cache = () => (opened ??= caches.open(CACHE));

const patience = () => new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));

const address = (name) => new URL(files[name].path, SCOPE).href;
/** Not those that the worker of the lessons asks for: they are small, and kept here as the page's own files are. */
const isOfModel = (name) => /^models\/(?!digits\/|marks\/|lstmn\/).*(config\.json|tokenizer\.json|\.safetensors|\.packed)$/.test(name);
/** Of these, the ones that are kept once they are asked for: some hundred kilobytes that most visits do not need. */
const isKeptWhenAsked = (name) => /^models\/(marks|lstmn)\//.test(name);
const isEngine = (name) => name.startsWith("engine-");
/** The picture in previews of links, which the page itself does not show. */
const isPreview = (name) => /^preview\./.test(name);

/** Names of the files that are looked for here, by address. */
const names = new Map(
  Object.keys(files)
    .filter((name) => !isOfModel(name))
    .map((name) => [address(name), name]),
);

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => {
  // The page that is asked for meanwhile waits for this.
  event.waitUntil(Promise.race([tidy(), patience()]));
  // Nothing waits for this: in Firefox it takes until every client answers, and the threads of an
  // engine sleep. What is not claimed is served from the next navigation on.
  clients.claim();
});
// The page says which engine answered it, by the address of the engine's script.
addEventListener("message", (event) => {
  const name = names.get(event.data);
  // Where the page is of another build, the engine is too.
  if (name) event.waitUntil(keep(withNeeds(name, ...beside(name))));
});
addEventListener("fetch", (event) => {
  const { request } = event;
  const name = names.get(request.url);
  if (isPage(request)) event.respondWith(page(request));
  else if (name) event.respondWith(file(request, name));
  else if (isWorker(request)) event.respondWith(fetch(request).then((response) => withHeaders(response)));
});

/** Keeps all but models, engines, of which a browser runs one or two out of several, what few ask for, and what only others show. */
async function install() {
  const index = await fetch("./", { cache: "no-cache" });
  const text = await index.clone().text();
  // Between two builds, the page may be newer than this script: then the next one will do this.
  if (!index.ok || !text.includes(version)) throw new Error("the page is of another build");
  await (await cache()).put("./", index);
  const isLeft = (name) => isEngine(name) || isPreview(name) || isKeptWhenAsked(name);
  await keep([...names.values()].filter((name) => !isLeft(name)));
}

/** The scripts that are kept beside the engine of this one. */
function beside(name) {
  const engine = BESIDE[name.replace(/\.js$/, "")];
  return engine ? [`${engine}.js`] : [];
}

/** Files and all that they refer to, directly or not. */
function withNeeds(...named) {
  const wanted = new Set(named);
  for (const name of wanted) files[name].needs?.forEach((need) => wanted.add(need));
  return [...wanted];
}

/** Keeps those of the files that are not here yet. */
async function keep(wanted) {
  const kept = new Set((await (await cache()).keys()).map(({ url }) => url));
  const missing = wanted.filter((name) => !kept.has(address(name)));
  await Promise.all(missing.map(download));
}

/** Puts a file into the cache, if it comes as it was published. */
async function download(name) {
  // Its name says what is in it, so a copy that the browser has of any age will do, if it is whole.
  for (const mode of ["force-cache", "reload"]) {
    const response = await fetch(address(name), { cache: mode });
    if (response.ok && (await isWhole(response.clone(), name))) {
      return (await cache()).put(address(name), response);
    }
  }
  throw new Error(`${name} does not come as it was published`);
}

/** Whether a response holds what the manifest says; reads it to its end. */
async function isWhole(response, name) {
  const digest = await crypto.subtle.digest("SHA-256", await response.arrayBuffer());
  const digits = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("") === files[name].sha256;
}

async function tidy() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  const current = new Set(Object.keys(files).map(address));
  const models = await caches.open(MODELS);
  for (const request of await models.keys()) {
    if (!current.has(request.url) && !request.url.startsWith(TRAINED)) await models.delete(request);
  }
}

/** Whether the page itself is asked for, and not something else that lies below it. */
function isPage({ mode, url }) {
  const [path] = url.split(/[?#]/);
  return mode === "navigate" && (path === SCOPE || path === `${SCOPE}index.html`);
}

function isWorker({ destination, url }) {
  return destination === "worker" && url.startsWith(SCOPE);
}

async function page(request) {
  const kept = match("./").catch(() => undefined);
  // Its name stays when its contents change, so a copy has to be asked about, however long the host lets it last.
  const answered = fetch(request, { cache: "no-cache" }).then(
    async (response) => (response.status < 500 ? response : ((await Promise.race([kept, patience()])) ?? response)),
    async (error) => (await kept) ?? Promise.reject(error),
  );
  const waited = patience().then(async () => (await kept) ?? answered);
  return withHeaders(await Promise.race([answered, waited]));
}

async function file(request, name) {
  const kept = copy(name).catch(() => undefined);
  const response = (await Promise.race([kept, patience()])) ?? (await either(fetch(request), kept));
  return isWorker(request) ? withHeaders(response, OUTSIDE[name]) : response;
}

/** What comes first: the host's answer, or the copy that is kept. */
function either(asked, kept) {
  const answered = asked.catch(async (error) => (await kept) ?? Promise.reject(error));
  return Promise.race([answered, kept.then((copy) => copy ?? answered)]);
}

/** A whole copy of a file; undefined where none is kept. */
async function copy(name) {
  if (isKeptWhenAsked(name)) await keep([name]);
  return whole(name);
}

/** The copy of a file that is kept, fetched anew if it is damaged; undefined where none is. */
async function whole(name) {
  // One to read and one to serve: with a response out of its cache, a browser finds the code that it has compiled before.
  const [copy, served] = await Promise.all([match(address(name)), match(address(name))]);
  if (!copy) return undefined;
  if (await isWhole(copy, name)) return served;
  await download(name);
  return match(address(name));
}

async function match(url) {
  return (await cache()).match(url, { ignoreVary: true });
}

/**
 * The response with the headers that the host did not send; what it did send, it has decided. A policy is added to one
 * that is there, and both hold.
 */
function withHeaders(response, policy = HEADERS[POLICY]) {
  // Where the page has moved to is the browser's matter.
  if (response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) {
    if (name === POLICY) headers.append(name, policy);
    else if (!headers.has(name)) headers.set(name, value);
  }
  const { body, status, statusText } = response;
  return new Response(body, { status, statusText, headers });
}
