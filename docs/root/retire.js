// What `site serve` serves as sw.js: nobody who works on the site should see kept pages. It is not installed, or, where a worker was
// installed from this address before, removes that and all that it kept.

self.addEventListener("install", (event) =>
  event.waitUntil(
    self.registration.active ? self.skipWaiting() : Promise.reject(new Error("not here")),
  ),
);
self.addEventListener("activate", (event) => event.waitUntil(retire()));

async function retire() {
  for (const name of await caches.keys())
    if (name.startsWith(`torch-clinic ${self.registration.scope} `)) await caches.delete(name);
  await self.registration.unregister();
  for (const client of await self.clients.matchAll()) client.navigate(client.url);
}
