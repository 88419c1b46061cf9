// Keeps the page's files, so that it works without a network after the first visit.

const [version, files] = [VERSION, FILES];

self.oninstall = (event) => event.waitUntil((async () => {
  await (await caches.open(version)).addAll(["./", ...files]);
  await self.skipWaiting();
})());

self.onactivate = (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith("PREFIX") && name !== version);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
})());

self.onfetch = (event) => event.respondWith((async () => {
  const cache = await caches.open(version);
  return (await cache.match(event.request, { ignoreSearch: true })) || fetch(event.request);
})());
