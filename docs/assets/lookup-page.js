// The lookup's page: reads what is pasted, dropped or opened, asks lookup-ask.js, shows the answer. Everything stays in this browser; the index is fetched, once, and, for a
// message that no page knows, PyTorch's own messages. Pasted text becomes text nodes, never markup.

import { ask, LIMIT, loadAdvice, loadIndex, lower } from "./lookup-ask.js";
import { element, hitCard, showFix, title } from "./lookup-card.js";
import { none } from "./lookup-none.js";
import { frameAbove } from "./own-code.js";
import { fill, WORDS } from "./words.js";

const words = WORDS.lookup;
const KEPT = "tc-paste"; // in the tab's own storage: what a switch of language takes along
// How processes are called, alone and together: they themselves, and their workers.
const NAMES = {
  rank: [
    ["rank", "ranks"],
    ["worker-of-rank", "workers-of-ranks"],
  ],
  process: [
    ["process", "processes"],
    ["worker", "workers"],
  ],
};
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

/** Bring a form to life. `dress` gives blocks of code their buttons. */
export function start(form, result, dress) {
  if (form.dataset.started) return;
  form.dataset.started = "yes";
  const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  const area = form.querySelector("textarea");
  const reset = form.querySelector("button[type=reset]");
  const status = form.querySelector("[role=status]");
  let latest = 0;

  /** A sentence instead of an answer. */
  function note(text) {
    status.textContent = text;
    result.replaceChildren(element("p", { class: "tc-card" }, text));
  }

  async function answer(source = area.value) {
    const own = ++latest;
    const current = () => own === latest; // only the newest text is answered
    const say = (text) => current() && note(text);
    const long = typeof source !== "string" || source.length > LIMIT;
    reset.hidden = !source;
    form.classList.toggle("tc-answered", Boolean(source));
    if (!source) {
      status.textContent = "";
      return result.replaceChildren();
    }
    if (long) say(fill(words.reading, { percent: 0 }));
    const slow = setTimeout(() => say(words.loading), 300);
    let index;
    try {
      index = await loadIndex();
    } catch {
      return say(words.failed);
    } finally {
      clearTimeout(slow);
    }
    try {
      if (long) await loadAdvice(index); // what takes long to read is read once
      let found = await ask(index, source, (share) =>
        say(fill(words.reading, { percent: Math.round(share * 100) })),
      );
      if (!index.told && found.answer.hits.length) {
        await loadAdvice(index);
        if (!current()) return;
        found = await ask(index, source);
      }
      if (!current()) return;
      const wrapped = found.answer.hits.every(({ why }) => why[0] === "wrapper");
      if (found.answer.status === "none" || (found.answer.hits.length && wrapped)) {
        const patience = setTimeout(() => say(words.looking), 300);
        found = await lower(index, found);
        await loadAdvice(index);
        clearTimeout(patience);
        if (!current()) return;
      }
      result.replaceChildren(...show(index, found, language));
      const { status: told, hits } = found.answer;
      status.textContent = summary(result, hits, language);
      for (const hit of told === "ambiguous" ? hits : hits.slice(0, 1))
        showFix(index, hit, result, language, current).then(
          () => dress(result),
          () => {},
        ); // without a network: the page is a link away
    } catch {
      say(words.unreadable);
    }
  }

  let timer = 0;
  // The keyboard of a phone goes, and what was pasted makes room for its answer.
  const reveal = () => {
    if (matchMedia("(pointer: coarse)").matches) area.blur();
    const top = form.getBoundingClientRect().top;
    const card = result.querySelector(".tc-card");
    if (card && (top < 0 || card.getBoundingClientRect().top > innerHeight * 0.4))
      form.scrollIntoView({ block: "start" });
  };
  const take = (text) => {
    area.value = text;
    named("");
    return answer(text).then(reveal);
  };
  const named = (name) => {
    form.querySelector("[data-tc-name]").textContent = name;
  };
  function read(file) {
    area.value = "";
    named(file.name);
    if (file.type.startsWith("image/")) return note(words.image);
    answer(file).then(reveal);
  }

  // A paste is taken wherever it is aimed, unless at another field.
  document.addEventListener("paste", (event) => {
    if (!form.isConnected) return;
    const data = event.clipboardData;
    const text = data?.getData("text/plain");
    const file = data?.files[0];
    if (event.target !== area && event.target.closest?.("input, textarea, [contenteditable]"))
      return;
    if (!text && file) {
      event.preventDefault();
      return read(file);
    }
    if (text && (event.target !== area || text.length > LIMIT)) {
      event.preventDefault();
      if (text.length <= LIMIT) return void take(text);
      // A field that shows megabytes would stop the page for seconds.
      area.value = `${text.slice(0, 2000)}\n…\n${text.slice(-2000)}`;
      named(fill(words.long, { count: text.length.toLocaleString("en") }));
      return void answer(text).then(reveal);
    }
    if (event.target === area) {
      named("");
      setTimeout(() => answer().then(reveal));
    }
  });
  area.addEventListener("input", () => {
    clearTimeout(timer);
    named("");
    timer = setTimeout(answer, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () =>
    setTimeout(() => {
      named("");
      answer();
      area.focus();
    }),
  );
  for (const button of form.querySelectorAll("[data-example]"))
    button.addEventListener("click", () => take(EXAMPLES[button.dataset.example]));
  const files = form.querySelector("input[type=file]");
  files.addEventListener("change", () => files.files[0] && read(files.files[0]));
  acceptDrops(form, read);

  function fromAddress() {
    if (!location.hash.startsWith("#q=")) return;
    try {
      area.value = decodeURIComponent(location.hash.slice(3));
    } catch {
      area.value = location.hash.slice(3); // a stray %
    }
  }
  window.addEventListener("hashchange", () => {
    if (!form.isConnected) return;
    fromAddress();
    answer();
  });
  fromAddress();
  area.value ||= takenAlong();
  document.addEventListener("pointerdown", (event) => keep(event, area.value), true);
  document.addEventListener("click", (event) => keep(event, area.value), true);
  loadIndex().catch(() => {}); // told when it is needed
  // A phone's keyboard would cover the page before it was read. Who types elsewhere goes on there.
  const typing = document.activeElement?.matches("input, textarea");
  if (!typing && matchMedia("(pointer: fine)").matches) area.focus({ preventScroll: true });
  if (area.value) answer(); // from the address, or what the browser kept over a reload
}

/** A file may be dropped anywhere on the page; without this the browser would leave it. */
function acceptDrops(form, read) {
  const holds = (event) => form.isConnected && event.dataTransfer?.types.includes("Files");
  const mark = (over) => document.documentElement.toggleAttribute("data-tc-drop", over);
  document.addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    mark(true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget ?? mark(false));
  document.addEventListener("drop", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    mark(false);
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  });
}

/** The other language's page asks for the same text. */
function keep(event, text) {
  if (!event.target.closest?.("[data-tc-language]")) return;
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // larger than a tab may keep, or forbidden
  }
}

function takenAlong() {
  try {
    const text = sessionStorage.getItem(KEPT) ?? "";
    sessionStorage.removeItem(KEPT);
    return text;
  } catch {
    return "";
  }
}

/** One sentence for those who listen. */
function summary(result, hits, language) {
  if (!hits.length) return result.querySelector("h2, p")?.textContent ?? "";
  const names = hits.slice(0, 3).map((hit) => hit.title[language] ?? hit.symptom);
  return fill(words.found, { titles: names.join(words.join) });
}

/** The answer as elements. */
function show(index, { answer, lines, kept, numbers }, language) {
  if (answer.status === "empty" || answer.status === "binary")
    return [element("p", { class: "tc-card" }, words[answer.status])];
  const beside = remarks(index, answer, language);
  const call = rollCall(answer);
  if (call.length && !answer.hits.length) return [element("section", { class: "tc-card" }, call)];
  if (answer.status === "none" || answer.status === "origin")
    return [...firstFailed(answer), none(answer), ...beside];
  const all = kept.split("\n");
  const card = (hit) => {
    const around = lines[answer.hits.indexOf(hit)];
    const at = numbers ? numbers.indexOf(hit.line) + 1 : hit.line; // where it stands in `kept`
    return hitCard(
      index,
      hit,
      answer.hits,
      { around, frame: frameAbove(index, all, at) },
      language,
    );
  };
  if (answer.status === "ambiguous")
    return [element("p", {}, words.ambiguous), ...answer.hits.map(card)];
  const [first, ...others] = answer.hits;
  const parts = [...call, ...firstFailed(answer), card(first), ...beside];
  if (others.length) {
    const items = others.map((hit) =>
      element(
        "li",
        {},
        title(hit, language, answer.hits),
        ` · ${fill(words.line, { line: hit.line })}`,
      ),
    );
    parts.push(
      element(
        "details",
        { class: "tc-also" },
        element("summary", {}, `${words.also} (${others.length})`),
        element("ul", {}, items),
      ),
    );
  }
  return parts;
}

/** The warnings beside what failed. */
function remarks(index, { harmless = [] }, language) {
  if (!harmless.length) return [];
  const links = harmless.map(({ symptom, line }) =>
    element(
      "li",
      {},
      title({ ...index.symptoms[symptom], symptom, values: {}, raw: "" }, language),
      ` · ${fill(words.line, { line })}`,
    ),
  );
  return [
    element("p", { class: "tc-note" }, words.harmless),
    element("ul", { class: "tc-note" }, links),
  ];
}

/** Where each process of a program that hangs stands, and what follows: as `torchclinic hang`. */
function rollCall({ hang }) {
  if (!hang) return [];
  const { names, kinds, verdicts, at, moves } = WORDS.hang;
  const who = (list, worker) => {
    const called = NAMES[hang.by][worker ? 1 : 0][list.length === 1 ? 0 : 1];
    return fill(names[called], { names: list.join(words.enumeration) });
  };
  const lines = hang.groups.map(({ who: list, kind, detail, place, works, worker }) => {
    const doing = fill(kinds[kind] ?? kinds.own, { detail });
    const parts = [doing, place, works ? moves : ""].filter(Boolean);
    return element("li", {}, `${who(list, worker)}${words.colon}${parts.join(" · ")}`);
  });
  const { name, who: list, others, place } = hang.verdict;
  const worker = name.startsWith("worker-");
  const sentence = fill(verdicts[name], {
    who: who(list, worker),
    others: who(others, false),
    at: place ? fill(at, { place }) : "",
  });
  return [element("ul", { class: "tc-hang" }, lines), element("p", {}, sentence)];
}

/** Which process failed first, and what became of the others. */
function firstFailed({ first }) {
  if (!first) return [];
  const { rank, text, frame, others } = first;
  const place = frame ? fill(words["first-at"], { place: `${frame.file}:${frame.line}` }) : "";
  const only = others.length ? words[others.length === 1 ? "first-one" : "first-others"] : "";
  const lost = fill(only, { others: others.join(", ") });
  // The text may hold a backtick or a brace: it is filled in last, alone.
  const pieces = words.first
    .split("`{text}`")
    .map((piece) => fill(piece, { rank, place, others: lost }));
  const [before, after] = pieces;
  return [element("p", {}, before, element("code", {}, text), after)];
}
