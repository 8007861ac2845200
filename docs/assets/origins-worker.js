// Looks up where PyTorch writes a message, off the page's own thread. Messages in: {id, text, index},
// the holes and tables of the lookup's index; out: {id, origin}, what origins.js answers, null where
// that is nothing or the table cannot be had. The table is fetched with the first question.

/** @import { Origins, Patterns } from "./types" */

import { origin } from "./origins.js";
import { load } from "./origins-table.js";

/** @type {Promise<Origins> | null} */
let table = null;

/** @param {Pick<Patterns, "holes" | "tables">} index */
async function fetched(index) {
  const response = await fetch(new URL("../../origins.bin", import.meta.url));
  if (!response.ok) throw new Error(`status ${response.status}`);
  const stream = new Blob([await response.arrayBuffer()])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return load(await new Response(stream).json(), index);
}

self.onmessage = async ({ data: { id, text, index } }) => {
  try {
    table ??= fetched(index);
    self.postMessage({ id, origin: origin(await table, text) });
  } catch {
    table = null; // asked for again with the next question
    self.postMessage({ id, origin: null });
  }
};
