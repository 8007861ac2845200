// Material starts this as its search worker. A message's type: 0 set up, 1 ready, 2 query, 3 result.
// The engine and its index are fetched when something is searched for, for most readers never do.
// Where a query may be a message, the lookup is asked as well; the list does not wait for it.

/**
 * @import { Found, FoundPage, Hit, Index, SearchIndex } from "./types"
 * @import { SearchTable } from "./search-table.js"
 * @import { Query } from "./search.js"
 */
/**
 * What is searched with: the scripts, the index and its words.
 * @typedef {typeof import("./search.js") & typeof import("./marks.js")
 *   & { table: SearchTable, language: string, words: Record<string, string> }} Engine
 * @typedef {typeof import("./lookup.js") & { index: Index }} Lookup
 * @typedef {{ location: string, title: string, text: string, score: number,
 *   terms: Record<string, boolean> }} Line of Material's list
 */

const SHOWN = 20; // results, as long as they have this share of the first one's score:
const LEAST = 0.2;
const TYPED = 12; // words; what has more is pasted
const LONGEST = 2000; // characters of the query that the paste field is given

const answer = self.postMessage.bind(self);
/** The newest query that waits. @type {{ data: string } | null} */
let query = null;
let busy = false;
/** Once they are here. @type {Engine | null} */
let engine = null;
/** @type {Lookup | null} */
let lookups = null;

/** @param {string} name */
async function get(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

async function loadEngine() {
  const [search, marks, { SearchTable }, index] = await Promise.all([
    import("./search.js"),
    import("./marks.js"),
    import("./search-table.js"),
    get("search.json"),
  ]);
  const { language, words } = /** @type {SearchIndex} */ (index);
  engine = { ...search, ...marks, table: new SearchTable(index), language, words };
  return engine;
}

async function loadLookup() {
  const [module, packed] = await Promise.all([import("./lookup.js"), get("index.json")]);
  lookups = { ...module, index: module.unpack(packed) };
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/**
 * HTML of a text of ours with the words that were found marked, as Material does.
 * @param {Engine} engine
 * @param {string} text
 * @param {Set<string>} terms
 */
function html({ marked, table }, text, terms) {
  const pieces = marked(text, terms, table.reader).map(([piece, met]) =>
    met ? `<mark data-md-highlight>${escaped(piece)}</mark>` : escaped(piece),
  );
  return pieces.join("");
}

/**
 * The lines of a page in the list: the page, then its sections, or what the lookup says of it.
 * Material takes the first address without a fragment for the page; where the page should be opened
 * with one, site.js takes that of the line below.
 * @param {Engine} engine
 * @param {Query} read
 * @param {FoundPage} page
 * @param {Hit[]} hits the lookup's
 * @returns {Line[]}
 */
function lines(engine, read, { doc, score, sections = [] }, hits) {
  const [id, address, title] = engine.table.docs[doc];
  const [summary, headings] = engine.table.texts[doc] ?? ["", []];
  const texts = [title, summary, ...headings.map(([, heading]) => heading)];
  const said = engine.table.reader.said(texts.join("\n"));
  const met = read.ways.flat().filter(([way]) => way.every((term) => said.has(term)));
  const terms = new Set(met.flatMap(([way]) => way));
  const hit = hits.find(({ symptom }) => symptom === id.slice(id.lastIndexOf("/") + 1));
  // The address has them, and it goes to the server: never what was pasted.
  const typed = hit || read.places.length > TYPED ? {} : typedWords(read, doc);
  /**
   * @param {string} location
   * @param {string} heading
   * @param {string} body
   */
  const line = (location, heading, body, rank = score) => ({
    location,
    title: heading,
    text: body && `<p>${body}</p>`,
    score: rank,
    terms: typed,
  });
  const first = line(address, html(engine, title, terms), html(engine, summary, terms));
  if (hit && lookups) {
    const location = `${address}${lookups.fragment(hit, hits)}`;
    const told = diagnosis(engine, lookups, hit) || html(engine, summary, terms);
    return [first, line(location, engine.words.yours, told)];
  }
  const below = sections.map(([number, shown]) => {
    const [anchor, heading] = headings[number];
    return line(
      `${address}#${anchor}`,
      html(engine, heading, terms),
      "",
      shown ? score : score / 2,
    );
  });
  return [first, ...below];
}

/**
 * {word as typed: whether this page has it}: what Material marks on the page, and names as missing.
 * @param {Query} read
 * @param {number} doc
 */
function typedWords({ places, gains }, doc) {
  const met = places.map(({ start, end, run }) => [
    run.written,
    gains.slice(start, end).some((gain) => gain.has(doc)),
  ]);
  return Object.fromEntries(met);
}

/**
 * HTML of what the lookup says of a hit.
 * @param {Engine} engine
 * @param {Lookup} lookups
 * @param {Hit} hit
 */
function diagnosis({ words, language }, { diagnose, index }, hit) {
  const sentence = escaped(diagnose(index, hit, language));
  if (!hit.cause) return sentence;
  const title = hit.cause.title[language].replaceAll("`", "");
  const name = words[hit.cause.leaning ? "leaning" : "cause"];
  return `<b>${escaped(name + title)}</b><br>${sentence}`;
}

/**
 * Material's form of the results, in the order of the scores, which Material compares for the Enter
 * key.
 * @param {Engine} engine
 * @param {Query} read
 * @param {Found} found
 * @param {Hit[]} hits the lookup's
 * @param {string} text
 */
function items(engine, read, found, hits, text) {
  const best = found.hits[0]?.score ?? 0;
  const shown = found.hits.slice(0, SHOWN).filter(({ score }) => score >= best * LEAST);
  const results = shown.map((page) => lines(engine, read, page, hits));
  if (!found.weak) return results;
  const { words } = engine;
  const note = {
    title: words["look-up"],
    text: `<p>${results.length ? words.some : words["none-of-these"]}</p>`,
    score: best + 1,
    terms: {},
  };
  const title = `<span class="tc-weak">${words.weak}</span>`;
  const notes = [
    { ...note, location: "lookup/", title },
    { ...note, location: paste(text) },
  ];
  return [notes, ...results];
}

/**
 * The paste field with this text, which no browser sends to a server.
 * @param {string} text
 */
function paste(text) {
  const whole = Array.from(text.slice(0, LONGEST), (c) => (/[\ud800-\udfff]/u.test(c) ? "" : c));
  return `lookup/#q=${encodeURIComponent(whole.join(""))}`;
}

/**
 * How the last word may go on, from the titles that were found.
 * @param {Engine} engine
 * @param {string} text
 * @param {Found} found
 */
function longer({ table }, text, found) {
  const last = text.match(/[A-Za-z]{2,40}$/)?.[0];
  if (!last) return [];
  const titles = found.hits.slice(0, SHOWN).map(({ doc }) => table.docs[doc][2]);
  const word = titles
    .flatMap((title) => title.match(/[A-Za-z]+/g) ?? [])
    .find((one) => one.length > last.length && one.toLowerCase().startsWith(last.toLowerCase()));
  return word ? [last + word.slice(last.length)] : [];
}

/** @param {string} text */
async function search(text) {
  const searcher = engine ?? (await loadEngine().catch(() => null));
  if (!searcher) return answer({ type: 3, data: { items: [] } }); // no network: the next query tries
  const read = new searcher.Query(searcher.table, text);
  /** @type {string[]} */
  let stems = [];
  /** @type {Hit[]} */
  let hits = [];
  const say = () => {
    const found = searcher.lead(searcher.table, read.answer(), stems, hits.length > 0);
    const data = {
      items: items(searcher, read, found, hits, text),
      suggest: longer(searcher, text, found),
    };
    answer({ type: 3, data });
  };
  say();
  // Each of these may fail, without a network; the list stands.
  if (!searcher.table.texts.length) {
    // Summaries and headings; the list is shown before they are here.
    searcher.table.texts = await get("search-texts.json").catch(() => []);
    if (searcher.table.texts.length && !query) say();
  }
  if (query || !searcher.mayBeMessage(text)) return; // the reader has typed on
  if (!lookups) await loadLookup().catch(() => {});
  if (query || !lookups) return;
  const { lookup, tell, index } = lookups;
  ({ hits } = lookup(index, text));
  if (hits.length && !index.told) {
    const advice = await get("advice.json").catch(() => null); // without it the page alone is named
    if (advice) tell(index, advice);
    if (query) return;
    ({ hits } = lookup(index, text));
  }
  stems = searcher.recognised(hits, index, text);
  if (stems.length) say();
}

self.addEventListener("message", async ({ data }) => {
  if (data.type === 0) return answer({ type: 1 });
  query = data;
  if (busy) return;
  busy = true;
  try {
    while (query) {
      const { data: text } = query;
      query = null;
      if (text.trim()) await search(text);
      else answer({ type: 3, data: { items: [] } });
    }
  } finally {
    busy = false;
  }
});
