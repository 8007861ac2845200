// Looks up where PyTorch writes a message, off the page's own thread. Messages in: {id, text, holes}, the holes of the lookup's index; out: {id, origin}, what
// origins.js answers, null where that is nothing or the table cannot be had. The table is fetched with the first question.

import { load, origin } from "./origins.js";

let table = null;

async function fetched(holes) {
  const response = await fetch(new URL("../../origins.bin", import.meta.url));
  if (!response.ok) throw new Error(`status ${response.status}`);
  const stream = new Blob([await response.arrayBuffer()]).stream().pipeThrough(new DecompressionStream("gzip"));
  return load(await new Response(stream).json(), holes);
}

self.onmessage = async ({ data: { id, text, holes } }) => {
  try {
    table ??= fetched(holes);
    self.postMessage({ id, origin: origin(await table, text) });
  } catch {
    table = null; // asked for again with the next question
    self.postMessage({ id, origin: null });
  }
};
