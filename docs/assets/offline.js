// Offline use, for readers who ask for it: with the button of the page about this site, or by installing the site as an app. Without that no
// service worker is registered, and nothing is fetched ahead. The work is done by sw.js at the site's root.

import { fill, WORDS } from "./words.js";

const SCOPE = new URL("../../", import.meta.url);
const words = WORDS.offline;

async function registered() {
  const found = await navigator.serviceWorker.getRegistration(SCOPE);
  return found?.scope === SCOPE.href ? found : null; // not that of another site on this host
}

/** A worker that has got as far as it will: resolves when it is in charge, rejects if it was given up. */
function settled(worker) {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === "activated") resolve();
      else if (worker.state === "redundant") reject(new Error("redundant"));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

async function keep() {
  const made = await navigator.serviceWorker.register(new URL("sw.js", SCOPE), {
    updateViaCache: "none",
  });
  await settled(made.installing ?? made.active);
  if (!(await kept()).length) throw new Error("another worker"); // that of `site serve` keeps nothing
  await navigator.storage?.persist?.(); // else a browser short of room may drop it
  watch(made);
}

/** Names of the caches of this site, which other sites of this host do not share. */
async function kept() {
  return (await caches.keys()).filter((name) => name.startsWith(`torch-clinic ${SCOPE.href} `));
}

async function forget() {
  await (await registered())?.unregister();
  for (const name of await kept()) await caches.delete(name);
}

/** The button, and what became of it. */
async function showButton(box) {
  const status = document.createElement("span");
  const button = document.createElement("button");
  status.setAttribute("role", "status");
  Object.assign(button, { type: "button", className: "md-button" });
  const show = (text, label, action) => {
    status.textContent = text;
    button.hidden = !label;
    button.textContent = label;
    button.onclick = action;
  };
  const offer = (text) => show(text, words.keep, start);
  const start = async () => {
    const told = ({ data }) => data.total && show(fill(words.keeping, data), "");
    navigator.serviceWorker.addEventListener("message", told);
    show(words.starting, "");
    try {
      await keep();
      done();
    } catch {
      offer(words.failed);
    } finally {
      navigator.serviceWorker.removeEventListener("message", told);
    }
  };
  const done = () =>
    show(words.kept, words.forget, async () => {
      await forget();
      offer("");
    });
  if ((await registered())?.active) done();
  else offer("");
  box.replaceChildren(status, " ", button);
}

/** A newer worker waits until the reader accepts it, or has closed every page of this site. */
function ask(registration) {
  const worker = registration.waiting;
  if (!worker || document.querySelector(".tc-update")) return;
  const box = document.createElement("aside");
  Object.assign(box, { className: "tc-update" });
  box.setAttribute("role", "status");
  const button = (label, action) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: label, onclick: action });
    return made;
  };
  const accept = () => {
    box.replaceChildren(words.updating);
    // In another tab it may have been accepted already; then, or if it was given up, a new page is all that is needed.
    settled(worker)
      .catch(() => {})
      .then(() => location.reload());
    const takeOver = () => worker.postMessage("take over");
    takeOver();
    // A browser lets the worker in charge end what it answers, for five minutes at most.
    setInterval(takeOver, 1000);
  };
  box.append(
    words.newer,
    button(words.reload, accept),
    button(words.later, () => box.remove()),
  );
  document.body.append(box);
}

let watched = null;

function watch(registration) {
  if (watched === registration) return;
  watched = registration;
  ask(registration);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => registration.waiting && ask(registration));
  });
}

/** For each page: the button where the page has a place for it, and the question whether to update. */
export async function start(box, installed) {
  if (box && !box.hasChildNodes()) await showButton(box);
  const found = await registered();
  if (found?.active) watch(found);
  else if (installed) await keep().catch(() => {}); // tried again with the next page
}
