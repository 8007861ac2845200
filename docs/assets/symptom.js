// The page of a symptom for a reader who came from the lookup, or who pastes a message into it: their
// message, their row open, their values. Everything stays in this browser.

/** @import { Advice, Hit, Index, Part } from "./types" */

import { WORDS } from "./words.js";

const words = WORDS.lookup;
const LONG = 500; // characters of a value, or of a message
const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

/** Bring the page to life. */
export function start() {
  show();
  window.addEventListener("hashchange", show);
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element && target.closest('a[href^="#"]');
    if (link) reveal(link.getAttribute("href") ?? "");
  });
  const form = document.querySelector("form[data-tc-ask]");
  if (form instanceof HTMLFormElement) startAsk(form);
}

function show() {
  const given = fragment();
  showMessage(given, "GPU");
  showDevice(given);
  showRow(rowOf(given), given.has("cause") ? words.own : words["own-likely"]);
  showOthers(given.get("also")?.split(",").slice(0, 5) ?? []);
  showPicture(given);
  delete document.documentElement.dataset.tcV; // it kept the place until now
  reveal(location.hash);
}

/** Open what holds the place that an address names: a browser scrolls to what is shown. @param {string} hash */
function reveal(hash) {
  if (hash.startsWith("#v=")) return;
  const place = document.getElementById(decodeURIComponent(hash.slice(1)));
  for (let at = place?.closest("details"); at; at = at.parentElement?.closest("details"))
    at.open = true;
  if (place?.closest("details") && hash === location.hash) place.scrollIntoView();
}

/** What the lookup gave along: `#v=` the values of the reader's message, `cause=` the row that it decided for, or `lean=` leaned to, `also=` the other symptoms of the same text, `on=` the family of the reader's device, `m=` the message. */
function fragment() {
  return new URLSearchParams(location.hash.startsWith("#v=") ? location.hash.slice(1) : "");
}

/** @param {URLSearchParams} given */
const rowOf = (given) => given.get("cause") ?? given.get("lean") ?? "";

/** @param {URLSearchParams} given @returns {Record<string, string>} */
function valuesOf(given) {
  try {
    const values = Object.entries(JSON.parse(given.get("v") ?? "{}") ?? {});
    const short = values.filter(([, value]) => typeof value === "string" && value.length < LONG);
    return Object.fromEntries(short);
  } catch {
    return {}; // an address that someone has cut
  }
}

/** The reader's message in place of the page's, and what it says. @param {URLSearchParams} given @param {string} noun what one of the reader's devices is */
function showMessage(given, noun) {
  const box = document.querySelector("[data-tc-diagnoses]");
  if (!(box instanceof HTMLElement)) return;
  const cause = rowOf(given);
  const says = JSON.parse(box.dataset.tcSays ?? "{}");
  const sentences = JSON.parse(box.dataset.tcDiagnoses ?? "[]");
  const own = Object.hasOwn(says, cause) ? [says[cause]] : [];
  const [message, said] = box.querySelectorAll("p:not(.tc-note)");
  const line = given.get("m")?.slice(0, LONG) ?? "";
  const code = message.querySelector("code");
  if (code) code.textContent = line;
  const found = given.has("v") ? diagnosis([...own, ...sentences], valuesOf(given), noun) : "";
  said.textContent = found;
  toggle(message, !line);
  toggle(said, !said.textContent);
  toggle(box, !line && !said.textContent);
  document.documentElement.toggleAttribute("data-tc-m", line !== "");
}

/** What stands for CUDA's names on this page, where the reader's device is another. @param {URLSearchParams} given */
async function showDevice(given) {
  const box = document.querySelector("[data-tc-diagnoses]");
  const device = given.get("on");
  box?.querySelector("[data-tc-device]")?.remove();
  if (!box || !device) return;
  const [index, { otherNames }] = await Promise.all([
    loadIndex().catch(() => null),
    import("./lookup-card.js"),
  ]);
  const family = index?.devices.find(({ id }) => id === device);
  if (!index || !family || fragment().get("on") !== device) return;
  showMessage(fragment(), family.noun);
  const shown = document.querySelector(".md-content")?.textContent ?? "";
  const said = document.createElement("div");
  said.dataset.tcDevice = "";
  said.append(...otherNames(index, device, shown, language));
  box.querySelector("[data-tc-device]")?.remove();
  box.append(said);
}

/** @param {Element} part @param {boolean} hidden */
const toggle = (part, hidden) => part.toggleAttribute("hidden", hidden);

/** The first sentence whose values are known; "" if there is none. @param {string[]} sentences @param {Record<string, string>} values @param {string} noun in place of GPU */
function diagnosis(sentences, values, noun) {
  for (const sentence of sentences) {
    const pieces = sentence.replaceAll("}", "{").split("{");
    if (pieces.every((piece, at) => at % 2 === 0 || Object.hasOwn(values, piece)))
      return pieces
        .map((piece, at) => (at % 2 ? values[piece] : piece.replaceAll("GPU", noun)))
        .join("");
  }
  return "";
}

/** The reader's row: the first, open, marked; the others closed. @param {string} name @param {string} marked */
function showRow(name, marked) {
  const choice = document.querySelector("[data-tc-choice]");
  const row = name && choice?.querySelector(`[data-tc-row="${CSS.escape(name)}"]`);
  if (!choice || !(row instanceof HTMLDetailsElement)) return;
  for (const other of choice.querySelectorAll("details[data-tc-row]")) {
    if (other instanceof HTMLDetailsElement) other.open = other === row;
    other.classList.toggle("tc-own", other === row);
    other.querySelector("[data-tc-yours]")?.remove();
  }
  const mark = document.createElement("small");
  mark.className = "tc-met";
  mark.dataset.tcYours = "";
  mark.textContent = marked;
  row.querySelector("summary")?.append(" ", mark);
  choice.prepend(row);
}

/** What else the lookup found in the reader's text. Only stems that the index knows; as text nodes. @param {string[]} stems */
async function showOthers(stems) {
  const box = document.querySelector("[data-tc-next]");
  if (!(box instanceof HTMLElement)) return;
  box.querySelector("ul")?.remove();
  if (!stems.length) return;
  const { symptoms } = await loadIndex().catch(() => ({ symptoms: {} }));
  const list = document.createElement("ul");
  for (const stem of stems) {
    if (!Object.hasOwn(symptoms, stem)) continue;
    const item = document.createElement("li");
    const note = document.createElement("small");
    item.dataset.tcFound = stem;
    note.textContent = ` · ${box.dataset.tcNext}`;
    item.append(linkTo(symptoms[stem], stem), note);
    list.append(item);
  }
  if (list.childElementCount) box.prepend(list);
}

/** @param {{topic: string, title: Record<string, string>}} symptom @param {string} stem @param {string} hash */
function linkTo({ topic, title }, stem, hash = "") {
  const link = document.createElement("a");
  link.href = new URL(`../${topic}/${stem}/${hash}`, import.meta.url).href;
  link.textContent = title[language];
  return link;
}

/** The reader's own values in place of those that the page's picture shows. @param {URLSearchParams} given */
async function showPicture(given) {
  const place = document.querySelector("[data-tc-pictures]");
  const values = valuesOf(given);
  if (!(place instanceof HTMLElement) || !Object.keys(values).length) return;
  const { draw, svg } = await import("./picture.js");
  const picture = draw(JSON.parse(place.dataset.tcPictures ?? "[]"), values, WORDS.picture);
  if (!picture) return;
  place.querySelector("svg")?.replaceWith(svg(picture));
  const message = place.querySelector("code");
  if (message) message.textContent = given.get("m") ?? "";
}

/** @type {Promise<Index> | null} */
let asked = null;

/** The lookup's index, with what is said of its symptoms; a failed fetch may be tried again. @returns {Promise<Index>} */
function loadIndex() {
  asked ??= Promise.all([import("./lookup.js"), load("index.json"), load("advice.json")]).then(
    ([{ unpack, tell }, packed, advice]) => {
      const index = unpack(packed);
      tell(index, advice);
      return index;
    },
  );
  asked.catch(() => {
    asked = null;
  });
  return asked;
}

/** @param {string} name */
async function load(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

/** A line of the reader's own, or its numbers: the page turns to it. @param {HTMLFormElement} form */
function startAsk(form) {
  const area = form.querySelector("textarea");
  const status = form.querySelector("[role=status]");
  if (!area || !status) return;
  const look = async () => {
    const text = area.value;
    if (!text.trim()) return status.replaceChildren();
    const { fragment: address, lookup } = await import("./lookup.js");
    const index = await loadIndex().catch(() => null);
    if (area.value !== text) return;
    if (!index) return status.replaceChildren(words.failed);
    const stem = form.dataset.tcAsk ?? "";
    const { hits } = found(lookup, index, text, stem);
    const own = hits.find(({ symptom }) => symptom === stem);
    if (own) {
      const decided = own.cause ? "" : words["own-open"];
      status.replaceChildren(decided);
      location.hash = address(own, hits);
    } else if (hits.length) {
      const link = linkTo(hits[0], hits[0].symptom, address(hits[0], hits));
      status.replaceChildren(words["own-other"], link);
    } else {
      const link = document.createElement("a");
      link.href = new URL(`../lookup/#q=${encodeURIComponent(text)}`, import.meta.url).href;
      link.textContent = words["own-look"];
      status.replaceChildren(words["own-none"], " ", link);
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  area.addEventListener("input", look);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    look();
  });
}

/**
 * What a text prints; numbers alone are put into the first wording of the page that has as many.
 * @param {(index: Index, text: string) => {hits: Hit[]}} lookup
 * @param {Index} index
 * @param {string} text
 * @param {string} stem
 */
function found(lookup, index, text, stem) {
  const numbers = text.match(/\d+(?:\.\d+)?/g) ?? [];
  const bare = /^[\d\s.,;:x×*()[\]和与 -]*$/.test(text.replaceAll("and", ""));
  if (!bare || numbers.length < 2) return lookup(index, text);
  const wording = index.wordings.find(
    ({ symptom, parts }) => symptom === stem && holes(parts) === numbers.length,
  );
  let at = 0;
  const filled = wording?.parts.map((part) => (typeof part === "string" ? part : numbers[at++]));
  const line = filled ? `${wording?.exception ?? "RuntimeError"}: ${filled.join("")}` : text;
  return lookup(index, line);
}

/** How many numbers a wording holds, if it holds nothing else; else 0. @param {Part[]} parts */
function holes(parts) {
  const kinds = parts.flatMap((part) => (typeof part === "string" ? [] : [part[1]]));
  return kinds.every((kind) => kind === "int" || kind === "num") ? kinds.length : 0;
}
