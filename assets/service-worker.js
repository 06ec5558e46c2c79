// Keeps the files of the page, so that a second visit needs no network.
//
// Every file but the page itself is named after its contents, so a copy is never out of date. The
// page is asked for first and taken from here when there is no answer. A new build comes with
// another manifest, so the browser installs this script anew beside the old one, which goes on
// serving the tabs that are open; when the last of them is gone, so are the old files.
//
// Models are kept by the engine, which checks them on their way; here they are only cleared away.

const { version, start, files } = __MANIFEST__;

const PREFIX = "attention-scope-files-";
const CACHE = PREFIX + version;
const MODELS = "attention-scope-models";

/** How long to wait for the network before the page is taken from here. */
const PATIENCE_MS = 3_000;

const addresses = new Set(
  Object.values(files)
    .filter(({ path }) => !path.startsWith("models/"))
    .map(({ path }) => new URL(path, registration.scope).href),
);

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(tidy().then(() => clients.claim())));
// The page says which engine it runs, by the name of its script.
addEventListener("message", (event) => event.waitUntil(keep([event.data])));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (addresses.has(request.url)) event.respondWith(file(request));
});

async function install() {
  const cache = await caches.open(CACHE);
  const index = await fetch("./", { cache: "no-cache" });
  const text = await index.clone().text();
  // Between two builds, the page may be newer than this script: then the next one will do this.
  if (!index.ok || !text.includes(version)) throw new Error("the page is of another build");
  await cache.put("./", index);
  await keep(start);
}

/** Keeps the named files and all that they need. */
async function keep(names) {
  const cache = await caches.open(CACHE);
  const wanted = new Set(names.filter((name) => name in files));
  for (const name of wanted) files[name].needs?.forEach((need) => wanted.add(need));
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  const missing = [...wanted]
    .map((name) => new URL(files[name].path, registration.scope).href)
    .filter((url) => !kept.has(url));
  await cache.addAll(missing);
}

async function tidy() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  const current = new Set(
    Object.values(files).map(({ path }) => new URL(path, registration.scope).href),
  );
  const models = await caches.open(MODELS);
  for (const request of await models.keys()) {
    if (!current.has(request.url)) await models.delete(request);
  }
}

async function page(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match("./");
  if (!kept) return fetch(request);
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, kept));
  return Promise.race([fetch(request).catch(() => kept), patience]);
}

async function file(request) {
  const kept = await caches.match(request.url, { ignoreVary: true });
  return kept ?? fetch(request);
}
