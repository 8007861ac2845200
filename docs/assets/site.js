// What every page runs: the link to the other language, and the lookup where there is one. `document$` is Material's: it also tells of pages
// that instant navigation has put in place of this one.

/** The header outlives a navigation, so its link must follow. */
function followLanguage() {
  const link = document.querySelector("[data-tc-language]");
  if (!link) return;
  const own = new URL("..", import.meta.url); // this file lies in <language>/assets/
  const page = location.pathname.startsWith(own.pathname) ? location.pathname.slice(own.pathname.length) : "";
  const other = new URL(`../${link.hreflang}/${page}`, own);
  other.hash = location.hash;
  link.href = other.href;
}

async function startLookup() {
  const form = document.querySelector("form[data-lookup]");
  if (!form) return;
  const { start } = await import("./lookup-page.js");
  start(form, document.querySelector("[data-lookup-result]"));
}

async function startFilter() {
  const form = document.querySelector("form[data-tc-filter]");
  if (!form) return;
  const { start } = await import("./filter.js");
  start(form);
}

/** Recorded output is as wide as it was: what scrolls must be reachable by keyboard. */
function reachScrollable() {
  for (const block of document.querySelectorAll(".md-typeset pre > code")) if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
}

/** What the lookup found, on the page it led to: the sentence of this symptom with the reader's own values. */
function showValues() {
  const box = document.querySelector("[data-tc-diagnoses]");
  if (!box) return;
  box.hidden = true;
  if (!location.hash.startsWith("#v=")) return;
  let values;
  try {
    values = JSON.parse(decodeURIComponent(location.hash.slice(3)));
  } catch {
    return; // an address that someone has cut
  }
  const known = (name) => Object.hasOwn(values ?? {}, name) && typeof values[name] === "string" && values[name].length < 500;
  for (const sentence of JSON.parse(box.dataset.tcDiagnoses)) {
    const pieces = sentence.replaceAll("}", "{").split("{");
    if (!pieces.every((piece, at) => at % 2 === 0 || known(piece))) continue;
    box.querySelector("p:last-child").textContent = pieces.map((piece, at) => (at % 2 ? values[piece] : piece)).join("");
    box.hidden = false;
    return;
  }
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

window.document$.subscribe(() => {
  showValues();
  followLanguage();
  startLookup();
  startFilter();
  reachScrollable();
});
window.addEventListener("hashchange", () => (followLanguage(), showValues()));
document.addEventListener("paste", offerLookup);
document.addEventListener("pointerdown", (event) => event.target.closest?.("[data-tc-language]") && followLanguage());
