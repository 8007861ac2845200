// What every page runs: the link to the other language, buttons that copy, and the lookup where there is one. Material's script, by far the
// heaviest, waits until the reader does anything (`onFirstAction`).

/** The other language shows the reader's own values as well, and what was typed. */
function followLanguage() {
  const link = document.querySelector("[data-tc-language]");
  if (link) link.hash = location.hash;
}

async function startLookup() {
  const form = document.querySelector("form[data-lookup]");
  if (!form) return;
  const { start } = await import("./lookup-page.js");
  start(form, document.querySelector("[data-lookup-result]"), addCopyButtons);
}

async function startFilter() {
  const form = document.querySelector("form[data-tc-filter]");
  if (!form) return;
  const { start } = await import("./filter.js");
  start(form);
}

/** Recorded output is as wide as it was: what scrolls must be reachable by keyboard. */
function reachScrollable() {
  for (const block of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap, .tabbed-labels")) {
    if (block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight) block.tabIndex = 0;
  }
}

/** A button on each block of code. Material's own would come too late for whoever opens a page to copy its fix. */
function addCopyButtons(part = document) {
  const label = translated("clipboard.copy");
  for (const code of part.querySelectorAll(".highlight:not(.tc-diff) > pre:not(:has(> nav)) > code")) {
    const button = document.createElement("button");
    button.className = "md-code__button";
    button.type = "button";
    button.title = label;
    button.dataset.mdType = "copy";
    button.onclick = async () => {
      if (await copy(code)) say(translated("clipboard.copied"));
    };
    const place = document.createElement("nav");
    place.className = "md-code__nav";
    place.append(button);
    code.before(place);
  }
}

/** Material's own words, in the language of the page. */
function translated(name) {
  return JSON.parse(document.getElementById("__config").textContent).translations[name];
}

/** The whole page, from its copy in Markdown. Where that cannot be had or put on the clipboard, the copy is shown, as by the link without a script. */
function addPageCopy() {
  const link = document.querySelector("[data-tc-markdown]");
  if (!link || location.protocol === "file:") return; // from there nothing can be fetched
  const button = document.createElement("button");
  button.type = "button";
  button.className = link.className;
  button.append(...link.childNodes);
  const { href } = link;
  const text = async () => {
    const response = await fetch(href);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return new Blob([await response.text()], { type: "text/plain" });
  };
  button.onclick = async () => {
    try {
      // It is given the promise: Safari lets a page copy at the moment of the click alone.
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": text() })]);
      say(translated("clipboard.copied"));
    } catch {
      location.assign(href);
    }
  };
  link.replaceWith(button);
}

/** Whether it was copied; if not, it is at least selected. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.innerText.trimEnd());
    return true;
  } catch {
    getSelection().selectAllChildren(code); // an address without https has no clipboard
    return document.execCommand("copy");
  }
}

let silence;
/** For a moment, in the corner that Material has for this. */
function say(text) {
  const dialog = document.querySelector("[data-md-component=dialog]");
  dialog.setAttribute("role", "status");
  dialog.firstElementChild.textContent = text;
  dialog.classList.add("md-dialog--active");
  clearTimeout(silence);
  silence = setTimeout(() => dialog.classList.remove("md-dialog--active"), 2000);
}

/** Offline use, for readers who asked for it, and where they may ask. */
async function startOffline(installed = matchMedia("(display-mode: standalone)").matches) {
  const box = document.querySelector("[data-tc-offline]");
  if (!navigator.serviceWorker || location.protocol === "file:") return;
  if (!box && !installed && !navigator.serviceWorker.controller) return; // most readers
  const { start } = await import("./offline.js");
  start(box, installed);
}

/** What the lookup gave along: `#v=` the values of the reader's message, `cause=` the row that it decided for, `also=` the other symptoms of the same text. */
function fragment() {
  return new URLSearchParams(location.hash.startsWith("#v=") ? location.hash.slice(1) : "");
}

/** What else the lookup found in the reader's text comes first among the next candidates. Only stems that the index knows; as text nodes. */
async function showOthers() {
  const box = document.querySelector("[data-tc-next]");
  for (const old of box?.querySelectorAll("[data-tc-found]") ?? []) old.remove();
  const stems = fragment().get("also")?.split(",").slice(0, 5);
  if (!box || !stems) return;
  const response = await fetch(new URL("index.json", import.meta.url)).catch(() => null); // the lookup has just read it: it is in the cache
  if (!response?.ok) return;
  const { symptoms } = await response.json();
  const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  const items = [];
  for (const stem of stems) {
    const made = Object.hasOwn(symptoms, stem) ? symptoms[stem] : null;
    if (!made?.page) continue;
    const item = document.createElement("li");
    const link = document.createElement("a");
    const note = document.createElement("small");
    item.dataset.tcFound = stem;
    link.href = new URL(`../${made.topic}/${stem}/`, import.meta.url).href;
    link.textContent = made.title[language];
    note.textContent = ` · ${box.dataset.tcNext}`;
    item.append(link, note);
    items.push(item);
    for (const old of box.querySelectorAll("a")) if (old.href === link.href) old.closest("li").hidden = true;
  }
  box.querySelector("ul")?.prepend(...items);
}

/** What the lookup found, on the page it led to: the sentence of this symptom with the reader's own values, and the way to their cause. */
function showValues() {
  const box = document.querySelector("[data-tc-diagnoses]");
  if (!box) return;
  const name = fragment().get("cause");
  const causes = JSON.parse(box.dataset.tcRows);
  const cause = name && Object.hasOwn(causes, name) ? causes[name] : null;
  const [sentence, way] = box.querySelectorAll("p:not(:first-child)");
  const values = given();
  sentence.textContent = diagnosis([...(cause?.say ? [cause.say] : []), ...JSON.parse(box.dataset.tcDiagnoses)], values);
  sentence.hidden = !sentence.textContent;
  way.hidden = !cause?.case;
  way.querySelector("a").textContent = cause?.title ?? "";
  way.querySelector("a").href = `#${cause?.case ?? ""}`;
  box.hidden = sentence.hidden && way.hidden;
  showPicture(values, box.firstElementChild.textContent);
  delete document.documentElement.dataset.tcV; // it kept the place until now
}

/** The values of the reader's own message, which the lookup gave along. */
function given() {
  let values;
  try {
    values = JSON.parse(fragment().get("v") ?? "{}");
  } catch {
    return {}; // an address that someone has cut
  }
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => typeof value === "string" && value.length < 500));
}

/** The first of some sentences whose values were given along; "" if there is none. */
function diagnosis(sentences, values) {
  for (const sentence of fragment().has("v") ? sentences : []) {
    const pieces = sentence.replaceAll("}", "{").split("{");
    if (pieces.every((piece, at) => at % 2 === 0 || Object.hasOwn(values, piece))) return pieces.map((piece, at) => (at % 2 ? values[piece] : piece)).join("");
  }
  return "";
}

/** The reader's own values in place of those that the page's picture shows. */
async function showPicture(values, said) {
  const place = document.querySelector("[data-tc-pictures]");
  if (!place || !Object.keys(values).length) return;
  const [{ draw, svg }, { WORDS }] = await Promise.all([import("./picture.js"), import("./words.js")]).catch(() => [{}, {}]);
  const picture = draw?.(JSON.parse(place.dataset.tcPictures), values, WORDS.picture);
  if (!picture) return;
  place.querySelector("svg").replaceWith(svg(picture));
  const message = place.querySelector("code");
  if (message) message.replaceWith(said);
}

/** An error text pasted into the search box would find nearly every page: offer the lookup. */
function offerLookup(event) {
  if (!event.target.matches?.(".md-search__input")) return;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const looksLikeError = text.includes("\n") || text.length > 80 || text.includes("Error: ") || text.includes("Traceback (");
  const offer = document.querySelector("[data-tc-offer]");
  if (!offer) return;
  offer.hidden = !looksLikeError;
  offer.href = `${new URL("../lookup/", import.meta.url).href}#q=${encodeURIComponent(text.slice(-20_000))}`;
}

/** Material looks into its box when a key is let go: what a mouse, a phone or an input method puts there without one is sought as well. */
function searchWhatWasPut(event) {
  if (event.target.matches?.(".md-search__input")) event.target.dispatchEvent(new KeyboardEvent("keyup"));
}

/** A page that is found with the reader's own values is opened with them: Material's list takes no fragment in a page's address, so they stand below. */
function openWithValues(event) {
  const link = event.target.closest?.(".md-search-result__link");
  const own = link && !link.hash && link.closest("li").querySelector('[href*="#v="], [href*="#q="], [href$="#fix"]');
  if (own) link.hash = own.hash;
}

/** Where nothing fits well, that is said in place of a number of results. */
function countResults() {
  const list = document.querySelector(".md-search-result__list");
  const count = document.querySelector(".md-search-result__meta");
  new MutationObserver(() => {
    const weak = list.querySelector(":scope > :first-child .tc-weak");
    if (weak) count.textContent = weak.textContent;
  }).observe(list, { childList: true });
}

/** A page is there to be read, and Material's script holds a phone up for a second: it comes when its reader does anything. */
function onFirstAction(load) {
  const types = ["pointerover", "pointerdown", "keydown", "focusin", "scroll"];
  const act = (event) => {
    for (const type of types) removeEventListener(type, act, true);
    load(event);
  };
  for (const type of types) addEventListener(type, act, true);
}

/** What the reader did before the script had come is done again for it: a key such as `/`, another choice of colours. */
function loadMaterial(first) {
  let chosen = null;
  const choose = (event) => {
    if (event.target.matches?.("[data-md-component=palette] input")) chosen = event.target;
    if (event.target.id === "__search") document.querySelector(".md-search__input").focus(); // now, or a phone shows no keyboard
  };
  document.addEventListener("change", choose);
  const script = document.createElement("script");
  script.src = document.querySelector("script[data-tc-later]").src;
  script.onload = () => {
    document.removeEventListener("change", choose);
    document.dispatchEvent(new Event("DOMContentLoaded")); // Material waits for it, and it is long past
    reachScrollable(); // it puts tables in boxes
    chosen?.dispatchEvent(new Event("change", { bubbles: true }));
    if (first.type === "keydown" && first.target === document.body) document.body.dispatchEvent(new KeyboardEvent("keydown", first));
  };
  script.onerror = () => {
    document.removeEventListener("change", choose);
    onFirstAction(loadMaterial); // the network went away: tried again with the next action
  };
  document.head.append(script);
}

document.documentElement.classList.replace("no-js", "js");
showValues();
showOthers();
followLanguage();
startLookup();
startFilter();
addCopyButtons();
addPageCopy();
requestAnimationFrame(() => setTimeout(reachScrollable)); // measures what has been laid out by then
startOffline();
if (document.querySelector("script[data-tc-later]")) onFirstAction(loadMaterial); // else it is there: `site stage`
window.addEventListener("hashchange", () => (followLanguage(), showValues(), showOthers()));
document.addEventListener("paste", offerLookup);
document.addEventListener("input", searchWhatWasPut);
document.addEventListener("click", openWithValues, true);
countResults();
document.addEventListener("change", reachScrollable); // a tab was opened
window.addEventListener("appinstalled", () => startOffline(true));
document.addEventListener("pointerdown", (event) => event.target.closest?.("[data-tc-language]") && followLanguage());
