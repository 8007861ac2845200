// Looks up where PyTorch writes a message, off the page's own thread. Messages in: {id, text, holes}, the holes of the lookup's index; out: {id, origin}, what
// origins.js answers, null where that is nothing or the table cannot be had. The table is fetched with the first question.

import { load, origin } from "./origins.js";

let table = null;

async function fetched(holes) {
  const response = await fetch(new URL("../../origins.json.gz", import.meta.url));
  if (!response.ok) throw new Error(`status ${response.status}`);
  const data = await response.arrayBuffer();
  const [first, second] = new Uint8Array(data);
  // Some hosts let the browser unpack what is packed.
  const packed = first === 0x1f && second === 0x8b;
  const stream = packed ? new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip")) : new Blob([data]);
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
