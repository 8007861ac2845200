// Material starts this as its search worker. A message's type: 0 set up, 1 ready, 2 query, 3 result. The engine and its index are fetched when something
// is searched for, for most readers never do. Where a query may be a message, the lookup is asked as well; the list does not wait for it.

const SHOWN = 20; // results, as long as they have this share of the first one's score:
const LEAST = 0.2;
const TYPED = 12; // words; what has more is pasted
const LONGEST = 2000; // characters of the query that the paste field is given

const answer = self.postMessage.bind(self);
let query = null; // the newest one that waits
let busy = false;
let engine = null; // what search.js exports, the searcher, its language and words, once they are here
let lookups = null; // {lookup, diagnose, fragment, tell, table}, likewise

async function get(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

async function loadEngine() {
  const [module, index] = await Promise.all([import("./search.js"), get("search.json")]);
  engine = { ...module, searcher: new module.Searcher(index), language: index.language, words: index.words };
}

/** Summaries and headings; the list is shown before they are here. */
async function loadTexts() {
  engine.searcher.texts = await get("search-texts.json");
}

async function loadLookup() {
  const [module, table] = await Promise.all([import("./lookup.js"), get("index.json")]);
  lookups = { ...module, table };
}

const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** HTML of a text of ours with the words that were found marked, as Material does. */
function html(text, terms) {
  const pieces = engine.marked(text, terms, engine.searcher.traditional);
  return pieces.map(([piece, hit]) => (hit ? `<mark data-md-highlight>${escaped(piece)}</mark>` : escaped(piece))).join("");
}

/**
 * Material's form of a result: the page, then its sections. The list is in the order of the scores, which Material compares for the Enter key. It takes
 * the first address without a fragment for the page; where the page should be opened with one, site.js takes that of the line below.
 */
function items(read, found, given, text) {
  const { searcher, language, words } = engine;
  const best = found.hits[0]?.score ?? 0;
  const made = found.hits.slice(0, SHOWN).filter(({ score }) => score >= best * LEAST).map(({ doc, score, sections }) => {
    const [id, address, title] = searcher.docs[doc];
    const [summary, headings] = searcher.texts[doc] ?? ["", []];
    const has = new Set(searcher.termsOf([title, summary, ...headings.map(([, heading]) => heading)].join("\n")));
    const terms = new Set(read.ways.flat().filter(([said]) => said.every((term) => has.has(term))).flatMap(([said]) => said));
    const hit = given.find(({ symptom }) => symptom === id.slice(id.lastIndexOf("/") + 1));
    const typed = hit || read.places.length > TYPED ? {} : read.typed(doc); // the address has them, and it goes to the server: never what was pasted
    const line = (location, heading, body, rank = score) => ({ location, title: heading, text: body && `<p>${body}</p>`, score: rank, terms: typed });
    const [place, fragment] = address.split("#");
    const lines = [line(place, html(title, terms), html(summary, terms))];
    const cause = hit?.cause ? `<b>${escaped(words[hit.cause.leaning ? "leaning" : "cause"] + hit.cause.title[language].replaceAll("`", ""))}</b><br>` : "";
    const sentence = hit ? cause + escaped(lookups.diagnose(lookups.table, hit, language)) : "";
    if (hit?.page) lines.push(line(`${place}${lookups.fragment(hit, given)}`, words.yours, sentence || html(summary, terms)));
    else if (fragment) lines.push(line(hit ? paste(text) : address, words.known, sentence));
    else lines.push(...sections.map(([number, shown]) => line(`${place}#${headings[number][0]}`, html(headings[number][1], terms), "", shown ? score : score / 2)));
    return lines;
  });
  if (!found.weak) return made;
  const note = { title: words["look-up"], text: `<p>${made.length ? words.some : words["none-of-these"]}</p>`, score: best + 1, terms: {} };
  return [[{ ...note, location: "lookup/", title: `<span class="tc-weak">${words.weak}</span>` }, { ...note, location: paste(text) }], ...made];
}

/** The paste field with this text, which no browser sends to a server. */
const paste = (text) => `lookup/#q=${encodeURIComponent(Array.from(text.slice(0, LONGEST), (c) => (/[\ud800-\udfff]/u.test(c) ? "" : c)).join(""))}`;

/** How the last word may go on, from the titles that were found. */
function longer(text, found) {
  const last = text.match(/[A-Za-z]{2,40}$/)?.[0];
  if (!last) return [];
  const titled = found.hits.slice(0, SHOWN).flatMap(({ doc }) => engine.searcher.docs[doc][2].match(/[A-Za-z]+/g) ?? []);
  const word = titled.find((one) => one.length > last.length && one.toLowerCase().startsWith(last.toLowerCase()));
  return word ? [last + word.slice(last.length)] : [];
}

async function search(text) {
  try {
    if (!engine) await loadEngine();
  } catch {
    return answer({ type: 3, data: { items: [] } }); // without a network; the next query tries again
  }
  const read = engine.searcher.read(text);
  let stems = [], hits = [];
  const say = () => {
    const found = engine.searcher.lead(read.answer(), stems, hits.length > 0);
    answer({ type: 3, data: { items: items(read, found, hits, text), suggest: longer(text, found) } });
  };
  say();
  // Each of these may fail, without a network; the list stands.
  if (!engine.searcher.texts.length) await loadTexts().then(() => query || say(), () => {});
  if (query || !engine.mayBeMessage(text)) return; // the reader has typed on
  if (!lookups) await loadLookup().catch(() => {});
  if (query || !lookups) return;
  ({ hits } = lookups.lookup(lookups.table, text));
  if (hits.some((hit) => hit.page) && !lookups.table.told) {
    await get("causes.json").then((causes) => lookups.tell(lookups.table, causes), () => {}); // without them it names the page alone
    if (query) return;
    ({ hits } = lookups.lookup(lookups.table, text));
  }
  stems = engine.recognised(hits, lookups.table, text);
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
