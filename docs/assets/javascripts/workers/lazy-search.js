// Material starts this as its search worker; its own is the part of the address after the `?`, and lies in this folder. Both that and the texts
// to be searched are fetched when something is searched for, for most readers never do. A message's type: 0 set up, 1 ready, 2 query, 3 result.

const answer = self.postMessage.bind(self);
let setup = null;
let query = null; // the newest one that waits
let material = null; // Material's listener, once it is ready
let busy = false;

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

function ask(text) {
  return new Promise((resolve) => {
    self.postMessage = resolve;
    material({ data: { type: 2, data: text } });
  });
}

// The same query, but for every word at once; "" where that means nothing, or the reader typed operators. Chinese is cut into words by Material.
function strict(text) {
  if (/[^\x20-\x7e]|[+"~^]|^-| -/.test(text)) return "";
  const words = text.split(new RegExp(setup.data.config.separator)).filter((word) => word && lunr.stopWordFilter(word.replace("*", "").toLowerCase()));
  return words.length > 1 ? words.map((word) => `+${word}`).join(" ") : "";
}

// Material asks for any of the words: pages full of "torch" would come before the one that has "torch.FloatTensor".
async function search(text) {
  const all = strict(text);
  const found = all && (await ask(all));
  return found && found.data.items.length ? found : ask(text);
}

self.addEventListener("message", async ({ data }) => {
  if (data.type === 0) {
    setup = data;
    return answer({ type: 1 });
  }
  query = data;
  if (busy) return;
  busy = true;
  try {
    while (query) {
      const { data: text } = query;
      query = null;
      if (text) material ??= await load();
      answer(text ? await search(text) : { type: 3, data: { items: [] } });
    }
  } catch {
    query = null;
    answer({ type: 3, data: { items: [] } }); // without a network; the next query tries again
  }
  busy = false;
});
