// What the lookup's page asks for: the index, the answer to a text (in a worker, if it is long), PyTorch's own messages, the search, pages. Everything is fetched from this site, once.

import { wordsOf } from "./clean.js";
import { climb } from "./ladder.js";
import { lookup, tell, unpack } from "./lookup.js";

export const LIMIT = 200_000; // characters looked up at once; more, and files, are read by the worker
const WORDY = 4; // words of a text that may be a message of PyTorch

const loaded = new Map();

/** A file of the site, fetched once, and what is made of it; a failed fetch may be tried again. */
function load(name, make = (data) => data) {
  if (!loaded.has(name)) {
    const asked = fetch(new URL(name, import.meta.url)).then((response) =>
      response.ok
        ? response.json().then(make)
        : Promise.reject(new Error(`status ${response.status}`)),
    );
    loaded.set(name, asked);
    asked.catch(() => loaded.delete(name));
  }
  return loaded.get(name);
}

export const loadIndex = () => load("index.json", unpack);

/** What is said of the symptoms of an index, unless it has it; without a network it does without. */
export async function loadAdvice(index) {
  if (!index.told)
    await load("advice.json").then(
      (advice) => tell(index, advice),
      () => {},
    );
}

/** What answers big texts and files: one worker, started when it is first needed; the newest question is the one that counts. */
let worker = null;
let asked = 0;

/** {answer, lines, kept, numbers}, as lookup-worker.js gives them: of a short text at once, of a long one or a file through the worker, which tells how far it is. */
export async function ask(index, source, onProgress) {
  const id = ++asked;
  if (typeof source === "string" && source.length <= LIMIT) {
    const answer = lookup(index, source);
    const lines = source.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
    return {
      answer,
      lines: answer.hits.map((hit) => [lines[hit.line - 2] ?? "", lines[hit.line] ?? ""]),
      kept: source,
      numbers: null,
    };
  }
  if (worker) worker.terminate(); // what it was reading is out of date
  worker = new Worker(new URL("lookup-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data.id !== id) return;
      if (data.error) reject(new Error(data.error));
      else if (data.answer) resolve(data);
      else onProgress(data.done);
    };
    worker.onerror = () => reject(new Error("worker"));
    worker.postMessage({ index });
    worker.postMessage(typeof source === "string" ? { id, text: source } : { id, file: source });
  });
}

/** What knows PyTorch's own messages: a worker of its own, started when first a text is unknown. */
let originsWorker = null;
const originsAsked = new Map();

/** Where PyTorch writes what a text prints, as origins.js answers it; null where it does not, or where nothing can be fetched. */
function whence({ holes, tables }, text) {
  if (!originsWorker) {
    originsWorker = new Worker(new URL("origins-worker.js", import.meta.url), { type: "module" });
    originsWorker.onmessage = ({ data }) => originsAsked.get(data.id)?.(data.origin);
  }
  const id = originsAsked.size;
  return new Promise((resolve) => {
    originsAsked.set(id, resolve);
    originsWorker.postMessage({ id, text, index: { holes, tables } });
  });
}

/** What finds pages by words, made when first a text is unknown. */
let pageTable = null;

/** The ids of the pages for a query, best first, each with its score, and whether nothing fits it; none where nothing can be fetched. */
async function find(query) {
  try {
    const [{ search }, { SearchTable }, index] = await Promise.all([
      import("./search.js"),
      import("./search-table.js"),
      load("search.json"),
    ]);
    pageTable ??= new SearchTable(index);
    const answer = search(pageTable, query);
    const pages = answer.hits.map(({ doc, score }) => [pageTable.docs[doc][0], score]);
    return [pages.filter(([id]) => id.includes("/")), answer.weak];
  } catch {
    return [[], true];
  }
}

/** Address and title of a page that `find` found. */
export function foundPage(id) {
  const [, href, title] = pageTable.docs.find(([name]) => name === id);
  return [new URL(`../${href}`, import.meta.url).href, title];
}

/** Pages that were asked for a cause, by address; a failed fetch may be tried again. */
const pages = new Map();

export function loadedPage(href) {
  if (!pages.has(href)) {
    const asked = fetch(href).then((response) =>
      response.ok ? response.text() : Promise.reject(new Error(`status ${response.status}`)),
    );
    pages.set(
      href,
      asked.then((text) => new DOMParser().parseFromString(text, "text/html")),
    );
    asked.catch(() => pages.delete(href));
  }
  return pages.get(href);
}

/** The lower rungs for a text that no wording is printed in. */
export async function lower(index, { kept, numbers, lines }) {
  const origin = (text) => (wordsOf(text).length >= WORDY ? whence(index, text) : null);
  const answer = await climb(index, kept, origin, find);
  const read = kept.split("\n");
  const around = answer.hits.map((hit) => [read[hit.line - 2] ?? "", read[hit.line] ?? ""]);
  for (const part of [...answer.hits, answer.origin, answer.failure])
    if (numbers && part) part.line = numbers[part.line - 1];
  return { answer, kept, numbers, lines: answer.hits.length ? around : lines };
}
