// Material starts this as its search worker; its own is the part of the address after the `?`, and lies in this folder. Both that and the texts
// to be searched are fetched when something is searched for, for most readers never do. A message's type: 0 set up, 1 ready, 2 query, 3 result.

const answer = self.postMessage.bind(self);
let setup = null;
let query = null; // the newest one that waits
let material = null; // Material's listener, once it is ready
let loading = false;

async function load() {
  const response = await fetch("../../../search/docs.json");
  if (!response.ok) throw new Error(`status ${response.status}`);
  const docs = await response.json();
  let listener;
  self.addEventListener = (type, given) => (listener = given);
  importScripts(location.search.slice(1));
  delete self.addEventListener;
  await new Promise((ready) => {
    self.postMessage = (message) => (message.type === 1 ? ready() : answer(message));
    listener({ data: { ...setup, data: { ...setup.data, docs } } });
  });
  return listener;
}

self.addEventListener("message", async ({ data }) => {
  if (material) return material({ data });
  if (data.type === 0) {
    setup = data;
    return answer({ type: 1 });
  }
  if (!data.data) return answer({ type: 3, data: { items: [] } });
  query = data;
  if (loading) return;
  loading = true;
  try {
    material = await load();
    material({ data: query });
  } catch {
    answer({ type: 3, data: { items: [] } }); // without a network; the next query tries again
  }
  loading = false;
});
