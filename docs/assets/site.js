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

/** Recorded output is as wide as it was: what scrolls must be reachable by keyboard. */
function reachScrollable() {
  for (const block of document.querySelectorAll(".md-typeset pre > code")) if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
}

window.document$.subscribe(() => {
  followLanguage();
  startLookup();
  reachScrollable();
});
window.addEventListener("hashchange", followLanguage);
document.addEventListener("pointerdown", (event) => event.target.closest?.("[data-tc-language]") && followLanguage());
