// The service worker of readers who asked for offline use (assets/offline.js). It keeps every file of one build and answers from these alone, so
// that no page of one version meets a script of another. Another build has another digest below, and so is another worker: it fetches what
// changed, and waits until the reader accepts it.

const DIGEST = "{digest}"; // of offline.json, which holds the digest of every file
const PREFIX = `torch-clinic ${self.registration.scope} `; // other sites may stand on this host
const LIST = "offline.json";
const AT_ONCE = 8;
const PATIENCE = 60_000; // ms; a new worker takes over only when this one has no answer to end

const address = (path) => new URL(path, self.registration.scope).href;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope))
    event.respondWith(answer(event.request));
});

/** A file as this build has it. A host that still serves the one before, or alters files, fails the digest; then nothing is installed. */
async function get(path, digest) {
  const response = await fetch(address(path), { integrity: digest, cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.redirected
    ? new Response(await response.blob(), { headers: response.headers })
    : response; // a redirected one opens no page
}

async function keep() {
  const cache = await caches.open(PREFIX + DIGEST);
  const list = await get(LIST, DIGEST);
  const { files } = await list.clone().json();
  const before = await previous();
  const rest = Object.keys(files);
  const total = rest.length;
  const next = async () => {
    for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
      // What an interrupted start, or the build before, has already is not asked for again.
      if (!(await cache.match(address(path)))) {
        const same =
          before.files[path] === files[path] && (await before.cache.match(address(path)));
        await cache.put(address(path), same || (await get(path, files[path])));
      }
      if (rest.length % 16 === 0) tell({ done: total - rest.length, total });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  await cache.put(address(LIST), list); // last: a cache that has it is whole
}

/** The cache of the build before, and its list. */
async function previous() {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX) || name === PREFIX + DIGEST) continue;
    const cache = await caches.open(name);
    const list = await cache.match(address(LIST));
    if (list) return { cache, files: (await list.json()).files };
  }
  return { files: {} };
}

async function tell(message) {
  for (const client of await self.clients.matchAll({ includeUncontrolled: true }))
    client.postMessage(message);
}

async function takeOver() {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== PREFIX + DIGEST) await caches.delete(name);
  await self.clients.claim();
}

async function answer(request) {
  // `open` would make the cache anew where the reader has just removed it.
  const match = (url) => caches.match(url, { cacheName: PREFIX + DIGEST });
  const url = new URL(request.url);
  const path = url.pathname.replace(/\/index\.html$/, "/");
  const found = await match(url.origin + path);
  // A new one has the address asked for: a worker reads what stands behind the `?` in its own.
  if (found) return url.search ? new Response(found.body, found) : found;
  // As hosts do.
  if (await match(`${url.origin}${path}/`)) return Response.redirect(`${url.origin}${path}/`);
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    return await fetch(request, { signal }); // what this build does not have: a page of a newer one, perhaps
  } catch (error) {
    const missing = request.mode === "navigate" && (await match(address("404.html")));
    if (!missing) throw error;
    return new Response(missing.body, { status: 404, headers: missing.headers });
  }
}
