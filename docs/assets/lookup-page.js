// The lookup's page: reads what is pasted, asks lookup.js, shows the answer. Everything stays in this browser; the index is fetched, once, and, for a
// message that no page knows, PyTorch's own messages. Pasted text becomes text nodes, never markup.

import { diagnose, fragment, lookup, tell, wordsOf } from "./lookup.js";
import { draw, svg } from "./picture.js";
import { fill, WORDS } from "./words.js";

const LIMIT = 200_000; // characters looked up at once; more, and files, are read by the worker
const SHOWN = 400; // characters shown of one line
const WORDY = 4; // words of a text that may be a message of PyTorch
const words = WORDS.lookup;
const EXAMPLES = {
  shapes: `Traceback (most recent call last):
  File "train.py", line 41, in <module>
    logits = model(images)
  File "model.py", line 18, in forward
    return self.classifier(features)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)`,
  memory: `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.31 GiB is free. Including non-PyTorch memory, this process has 22.37 GiB memory in use. Of the allocated memory 20.11 GiB is allocated by PyTorch, and 1.93 GiB is reserved by PyTorch but unallocated.`,
  backward: `Traceback (most recent call last):
  File "train.py", line 27, in <module>
    loss.backward()
RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).`,
};

const loaded = new Map();

/** A file of the site, fetched once; a failed fetch may be tried again. */
function load(name) {
  if (!loaded.has(name)) {
    const asked = fetch(new URL(name, import.meta.url)).then((response) => (response.ok ? response.json() : Promise.reject(new Error(`status ${response.status}`))));
    loaded.set(name, asked);
    asked.catch(() => loaded.delete(name));
  }
  return loaded.get(name);
}

/** The causes of an index, unless it has them; without a network it does without. */
async function loadCauses(index) {
  if (!index.told) await load("causes.json").then((causes) => tell(index, causes), () => {});
}

/** An element; strings among its children become text nodes. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== ""));
  return made;
}

/** What answers big texts and files: one worker, started when it is first needed; the newest question is the one that counts. */
let worker = null;
let asked = 0;

/** {answer, lines, kept, numbers}, as lookup-worker.js gives them: of a short text at once, of a long one or a file through the worker, which tells how far it is. */
async function ask(index, source, onProgress) {
  const id = ++asked;
  if (typeof source === "string" && source.length <= LIMIT) {
    const answer = lookup(index, source);
    const lines = source.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
    return { answer, lines: answer.hits.map((hit) => [lines[hit.line - 2] ?? "", lines[hit.line] ?? ""]), kept: source, numbers: null };
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
function whence(holes, text) {
  if (!originsWorker) {
    originsWorker = new Worker(new URL("origins-worker.js", import.meta.url), { type: "module" });
    originsWorker.onmessage = ({ data }) => originsAsked.get(data.id)?.(data.origin);
  }
  const id = originsAsked.size;
  return new Promise((resolve) => {
    originsAsked.set(id, resolve);
    originsWorker.postMessage({ id, text, holes });
  });
}

/** Pages that were asked for a cause, by address; a failed fetch may be tried again. */
const pages = new Map();

function page(href) {
  if (!pages.has(href)) {
    const asked = fetch(href).then((response) => (response.ok ? response.text() : Promise.reject(new Error(`status ${response.status}`))));
    pages.set(href, asked.then((text) => new DOMParser().parseFromString(text, "text/html")));
    asked.catch(() => pages.delete(href));
  }
  return pages.get(href);
}

/** Bring a form to life. `dress` gives blocks of code their buttons. */
export function start(form, result, dress) {
  if (form.dataset.started) return;
  form.dataset.started = "yes";
  const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  const area = form.querySelector("textarea");
  const reset = form.querySelector("button[type=reset]");
  let latest = 0;

  async function answer(source = area.value) {
    const own = ++latest;
    const current = () => own === latest; // only the newest text is answered
    const say = (text) => current() && result.replaceChildren(element("p", { class: "tc-card" }, text));
    reset.hidden = !source;
    if (!source) return result.replaceChildren();
    const slow = setTimeout(() => say(words.loading), 300);
    let index;
    try {
      index = await load("index.json");
    } catch {
      return say(words.failed);
    } finally {
      clearTimeout(slow);
    }
    try {
      const long = typeof source !== "string" || source.length > LIMIT;
      if (long) await loadCauses(index); // what takes long to read is read once
      let found = await ask(index, source, (share) => say(fill(words.reading, { percent: Math.round(share * 100) })));
      if (!index.told && found.answer.hits.some((hit) => hit.page)) {
        await loadCauses(index);
        if (!current()) return;
        found = await ask(index, source);
      }
      if (!current()) return;
      result.replaceChildren(...show(index, found, language));
      if (found.answer.status === "none" && wordsOf(found.kept).length >= WORDY) showOrigin(index, found, result, language, current);
      const shown = found.answer.status === "ambiguous" ? found.answer.hits : found.answer.hits.slice(0, 1);
      for (const hit of shown.filter((one) => one.page)) showCause(hit, result, current).then(() => dress(result), () => {}); // without a network: the page is a link away
    } catch {
      say(words.unreadable);
    }
  }

  let timer = 0;
  // A paste is taken wherever it is aimed, unless at another field; on a phone the keyboard goes, and the answer comes into view.
  const reveal = () => {
    if (matchMedia("(pointer: coarse)").matches) area.blur();
    const card = result.querySelector(".tc-card");
    if (card?.getBoundingClientRect().top > innerHeight * 0.6) card.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("paste", (event) => {
    if (!form.isConnected) return;
    if (event.target === area) return void setTimeout(() => answer().then(reveal));
    const text = event.clipboardData?.getData("text/plain");
    if (!text || event.target.closest?.("input, textarea, [contenteditable]")) return;
    event.preventDefault();
    area.value = text;
    answer().then(reveal);
  });
  area.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(answer, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => (answer(), area.focus())));
  for (const button of form.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => {
      area.value = EXAMPLES[button.dataset.example];
      answer().then(reveal);
    });
  }
  const files = form.querySelector("input[type=file]");
  files.addEventListener("change", () => files.files[0] && read(files.files[0]));
  form.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  form.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files[0]) return;
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  });
  function read(file) {
    area.value = "";
    answer(file);
  }

  function fromAddress() {
    if (!location.hash.startsWith("#q=")) return;
    try {
      area.value = decodeURIComponent(location.hash.slice(3));
    } catch {
      area.value = location.hash.slice(3); // a stray %
    }
  }
  window.addEventListener("hashchange", () => form.isConnected && (fromAddress(), answer()));
  fromAddress();
  load("index.json").catch(() => {}); // told when it is needed
  // A phone's keyboard would cover the page before it was read.
  if (matchMedia("(pointer: fine)").matches) area.focus({ preventScroll: true });
  if (area.value) answer(); // from the address, or what the browser kept over a reload
}

/** The answer as elements. */
function show(index, { answer, lines }, language) {
  if (answer.status === "empty" || answer.status === "binary") return [element("p", { class: "tc-card" }, words[answer.status])];
  if (answer.status === "none") return [none(index, answer, language)];
  const card = (hit) => hitCard(index, hit, answer.hits, lines[answer.hits.indexOf(hit)], language);
  if (answer.status === "ambiguous") return [element("p", {}, words.ambiguous), ...answer.hits.map(card)];
  const [first, ...others] = answer.hits;
  const parts = [card(first)];
  if (others.length) {
    const items = others.map((hit) => element("li", {}, title(hit, language, answer.hits), ` · ${fill(words.line, { line: hit.line })}`));
    parts.push(element("details", { class: "tc-also" }, element("summary", {}, `${words.also} (${others.length})`), element("ul", {}, items)));
  }
  return parts;
}

function address(hit, hits) {
  return new URL(`../${hit.topic}/${hit.symptom}/${fragment(hit, hits)}`, import.meta.url).href;
}

function title(hit, language, hits = []) {
  return hit.page ? element("a", { href: address(hit, hits) }, hit.title[language]) : element("span", {}, hit.title[language]);
}

function hitCard(index, hit, hits, around, language) {
  const card = element("section", { class: hit.page ? "tc-card tc-hit" : "tc-card tc-none" }, element("h2", {}, title(hit, language, hits)));
  const sentence = diagnose(index, hit, language);
  if (sentence) card.append(element("p", { class: "tc-diagnosis" }, sentence));
  const picture = draw(index.symptoms[hit.symptom].pictures ?? [], hit.values, WORDS.picture);
  if (picture) card.append(element("p", { class: "tc-drawn" }, svg(picture)));
  if (hit.page && index.told) {
    const named = hit.cause && element("h3", {}, words[hit.cause.leaning ? "leaning" : "cause"], hit.cause.title[language].replaceAll("`", ""));
    card.append(element("div", { "data-tc-cause": hit.symptom }, named));
  }
  if (words.recover[hit.recover]) card.append(element("p", { class: "tc-recover" }, words.recover[hit.recover]));
  if (hit.page) card.append(element("p", {}, element("a", { class: "md-button md-button--primary", href: address(hit, hits) }, words.open)));
  else card.append(element("p", {}, words.unwritten));
  // Only an address of the web: the index is ours, but a link is a link.
  if (hit.docs?.startsWith("https://")) card.append(element("p", {}, words.docs, element("a", { href: hit.docs, rel: "noopener" }, hit.docs)));
  card.append(quote(hit, around));
  const values = Object.entries(hit.values);
  if (values.length) {
    const pairs = values.map(([name, value]) => element("span", {}, element("var", {}, name), " = ", element("code", {}, value.trim())));
    card.append(element("p", { class: "tc-values" }, words.values, pairs));
  }
  const wrappers = hit.seen_in.map((stem) => hits.find((other) => other.symptom === stem)).filter(Boolean);
  if (wrappers.length) card.append(element("p", { class: "tc-note" }, words["seen-in"], wrappers.flatMap((other, at) => (at ? [", ", title(other, language, hits)] : [title(other, language, hits)]))));
  const reasons = hit.why.map((code) => words.reasons[code]).filter(Boolean);
  if (reasons.length) card.append(element("p", { class: "tc-note" }, `${words.why}${reasons.join(words.join)}${words.stop}`));
  return card;
}

/** From the page of a hit: the fix of the cause that the text tells and the table of the others, or, where it tells none, the table alone. */
async function showCause(hit, result, current) {
  const place = result.querySelector(`[data-tc-cause="${hit.symptom}"]`);
  if (!place) return;
  const href = new URL(`../${hit.topic}/${hit.symptom}/`, import.meta.url).href;
  const source = await page(href);
  if (!current()) return;
  const block = (name, value) => own(source.querySelector(value ? `[data-tc-${name}="${value}"]` : `[data-tc-${name}]`), href, hit.symptom);
  const table = block("causes", "");
  if (!hit.cause) return table && place.replaceChildren(element("h3", {}, words.which), table);
  const check = hit.cause.case && block("check", hit.cause.case);
  place.append(...[hit.cause.case && block("case", hit.cause.case)].filter(Boolean));
  if (check) place.append(element("details", { class: "tc-proof" }, element("summary", {}, words.check), check));
  if (table) place.append(element("details", { class: "tc-proof" }, element("summary", {}, words["other-causes"]), table));
}

/** In place of the card that says "no match": where PyTorch writes the message, where it does. */
async function showOrigin(index, { answer, kept, numbers }, result, language, current) {
  const origin = await whence(index.holes, kept);
  if (!origin || !current()) return;
  if (numbers) origin.line = numbers[origin.line - 1];
  result.replaceChildren(none(index, answer, language, origin));
}

/** The sentence of a place, code as code. */
function sentence(place) {
  const where = WORDS.origin[place.function ? "in-function" : place.file ? "in-file" : "somewhere"];
  const text = where + (place.condition ? WORDS.origin.when : "") + WORDS.origin[place.first === place.last ? "one-release" : "releases"];
  // Filled piece by piece: a condition may hold a backtick or a brace.
  return text.split("`").map((piece, at) => (at % 2 ? element("code", {}, fill(piece, place)) : fill(piece, { ...place, older: place.unread ? WORDS.origin.older : "" })));
}

function originParts(origin) {
  const link = (href, text) => element("a", { href, rel: "noopener" }, text);
  const place = (one) => [
    ...sentence(one),
    ...(one.source ? [" ", link(one.source, `${WORDS.origin.source}${one.file.split("/").pop()}${one.number > 0 ? `:${one.number}` : ""}`)] : []),
    ...(one.public ? [element("br", {}), link(one.documentation, fill(WORDS.origin.documentation, one))] : []),
  ];
  const [first, ...others] = origin.places;
  const made = [
    element("p", { class: "tc-note" }, WORDS.origin["no-advice"]),
    element("figure", { class: "tc-quote" }, element("figcaption", {}, fill(words.line, origin)), element("pre", {}, element("code", {}, element("mark", {}, origin.raw.slice(0, SHOWN))))),
    element("p", { class: "tc-origin" }, place(first)),
  ];
  if (others.length) made.push(element("p", {}, WORDS.origin.also), element("ul", {}, others.map((one) => element("li", { class: "tc-origin" }, place(one)))));
  made.push(element("p", {}, link(origin.search, WORDS.origin.issues)));
  return made;
}

/** A part of another page of this site for this one: its links lead where they led, its tabs are no other's. */
function own(part, href, name) {
  if (!part) return null;
  const made = document.importNode(part, true);
  for (const link of made.querySelectorAll("a[href]")) link.href = new URL(link.getAttribute("href"), href).href;
  for (const input of made.querySelectorAll("input")) [input.id, input.name] = [`${name}-${input.id}`, `${name}-${input.name}`];
  for (const label of made.querySelectorAll("label[for]")) label.htmlFor = `${name}-${label.htmlFor}`;
  return made;
}

/** The matched line, with one line before and after it. */
function quote(hit, [previous, next]) {
  const cut = (line) => (line.length > SHOWN ? `${line.slice(0, SHOWN)} …` : line);
  const code = element("code", {});
  if (previous) code.append(`${cut(previous)}\n`);
  code.append(element("mark", {}, cut(hit.raw)));
  if (next) code.append(`\n${cut(next)}`);
  return element("figure", { class: "tc-quote" }, element("figcaption", {}, fill(words.line, { line: hit.line })), element("pre", {}, code));
}

function none(index, answer, language, origin = null) {
  const card = element("section", { class: "tc-card tc-none" });
  if (origin) {
    card.append(element("h2", {}, WORDS.origin.heading), ...originParts(origin));
  } else {
    card.append(element("h2", {}, words.none), element("p", {}, words.honest));
    const questions = element("a", { href: new URL("../no-message/", import.meta.url).href }, words["no-message"]);
    if (!answer.looked_for) card.append(element("p", {}, words["nothing-printed"], " ", questions));
    else card.append(element("p", {}, words["looked-for"]), element("pre", {}, element("code", {}, answer.looked_for.slice(0, SHOWN))));
    card.append(element("ul", {}, [words.more, words.elsewhere, words.search].map((text) => element("li", {}, text))));
  }
  if (answer.neighbours.length) {
    const links = answer.neighbours.map((stem) => element("li", {}, title({ ...index.symptoms[stem], symptom: stem, values: {} }, language)));
    card.append(element("p", { class: "tc-note" }, words.neighbours), element("ul", { class: "tc-note" }, links));
  }
  if (answer.report) {
    // Shown as it would be copied, before anything is copied.
    const report = `Unknown message:\n\n    ${answer.report}\n\ntorch version:\nWhat caused it, and what cured it:\n`;
    const button = element("button", { type: "button", class: "md-button" }, words.copy);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(report);
      button.textContent = words.copied;
    });
    card.append(element("p", { class: "tc-note" }, words.report), element("pre", {}, element("code", {}, report)), element("p", {}, button));
  }
  return card;
}
