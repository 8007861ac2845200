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
  start(form, document.querySelector("[data-lookup-result]"), (part) => {
    addCopyButtons(part);
    reachScrollable();
  });
}

async function startFilter() {
  const form = document.querySelector("form[data-tc-filter]");
  if (!form) return;
  const { start } = await import("./filter.js");
  start(form);
}

/** Recorded output is as wide as it was: what scrolls must be reachable by keyboard. */
function reachScrollable() {
  for (const block of document.querySelectorAll(
    ".md-typeset pre > code, .md-typeset__scrollwrap, .tabbed-labels",
  )) {
    if (block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight)
      block.tabIndex = 0;
  }
}

/** A button on each block of code. Material's own would come too late for whoever opens a page to copy its fix. */
function addCopyButtons(part = document) {
  const label = translated("clipboard.copy");
  for (const code of part.querySelectorAll(
    ".highlight:not(.tc-diff) > pre:not(:has(> nav)) > code",
  )) {
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
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not copied
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

/** The page of a symptom: the reader's own row and values, and what is behind a row. */
async function startSymptom() {
  if (!document.querySelector("[data-tc-next]")) return;
  const { start } = await import("./symptom.js");
  start();
}

/** An error text pasted into the search box would find nearly every page: offer the lookup, with the lines that a field of one line loses. */
function offerLookup(event) {
  const offer = document.querySelector("[data-tc-offer]");
  if (!offer || !event.target.matches?.(".md-search__input")) return;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const looksLikeError =
    text.includes("\n") ||
    text.length > 80 ||
    text.includes("Error: ") ||
    text.includes("Traceback (");
  offer.hidden = !looksLikeError;
  offer.dataset.tcLines = text.includes("\n") ? "several" : "";
  offer.href = `${new URL("../lookup/", import.meta.url).href}#q=${encodeURIComponent(text.slice(-20_000))}`;
}

/** Enter takes the offer where several lines were pasted. */
function takeOffer(event) {
  const offer = document.querySelector("[data-tc-offer]");
  if (!offer || !event.target.matches?.(".md-search__input")) return;
  if (!event.target.value) offer.hidden = true;
  if (event.key !== "Enter" || offer.hidden || !offer.dataset.tcLines) return;
  event.preventDefault();
  event.stopPropagation();
  location.assign(offer.href);
}

/** Material looks into its box when a key is let go: what a mouse, a phone or an input method puts there without one is sought as well. */
function searchWhatWasPut(event) {
  if (event.target.matches?.(".md-search__input"))
    event.target.dispatchEvent(new KeyboardEvent("keyup"));
}

/** A page that is found with the reader's own values is opened with them: Material's list takes no fragment in a page's address, so they stand below. */
function openWithValues(event) {
  const link = event.target.closest?.(".md-search-result__link");
  const own =
    link &&
    !link.hash &&
    link.closest("li").querySelector('[href*="#v="], [href*="#q="], [href$="#fix"]');
  if (own) link.hash = own.hash;
}

/** Where nothing fits well, that is said in place of a number of results. A list that is shown anew keeps the focus of its reader. */
function countResults() {
  const list = document.querySelector(".md-search-result__list");
  const count = document.querySelector(".md-search-result__meta");
  const links = () => [...list.querySelectorAll(".md-search-result__link")];
  let chosen = -1;
  list.addEventListener("focusin", ({ target }) => {
    chosen = links().indexOf(target);
  });
  list.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget) chosen = -1;
  });
  new MutationObserver(() => {
    const weak = list.querySelector(":scope > :first-child .tc-weak");
    if (weak) count.textContent = weak.textContent;
    if (chosen >= 0 && document.activeElement === document.body) links()[chosen]?.focus();
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
    if (first.type === "keydown" && first.target === document.body)
      document.body.dispatchEvent(new KeyboardEvent("keydown", first));
  };
  script.onerror = () => {
    document.removeEventListener("change", choose);
    onFirstAction(loadMaterial); // the network went away: tried again with the next action
  };
  document.head.append(script);
}

document.documentElement.classList.replace("no-js", "js");
startSymptom();
followLanguage();
startLookup();
startFilter();
addCopyButtons();
addPageCopy();
requestAnimationFrame(() => setTimeout(reachScrollable)); // measures what has been laid out by then
startOffline();
if (document.querySelector("script[data-tc-later]")) onFirstAction(loadMaterial); // else it is there: `site stage`
window.addEventListener("hashchange", followLanguage);
document.addEventListener("paste", offerLookup);
document.addEventListener("keydown", takeOffer, true);
document.addEventListener("input", searchWhatWasPut);
document.addEventListener("click", openWithValues, true);
countResults();
document.addEventListener("change", reachScrollable); // a tab was opened
document.addEventListener("toggle", reachScrollable, true); // or a row
window.addEventListener("appinstalled", () => startOffline(true));
document.addEventListener(
  "pointerdown",
  (event) => event.target.closest?.("[data-tc-language]") && followLanguage(),
);
