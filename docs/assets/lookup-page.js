// The lookup's page: reads what is pasted, asks lookup.js, shows the answer. Everything stays in this browser; the index is the only thing
// fetched, once. Pasted text becomes text nodes, never markup.

import { diagnose, lookup } from "./lookup.js";

const LIMIT = 2_000_000; // characters read of a paste: its end, where the error is
const SHOWN = 400; // characters shown of one line
const TEXT = {
  en: {
    loading: "Loading the index …",
    failed: "The index could not be loaded, so nothing can be looked up. Reload the page; if that does not help, search or browse by topic.",
    empty: "There is nothing to look up: the text is only blanks. Paste the last lines of what your program printed.",
    binary: "This is not text. Paste the error text itself, or drop a log file.",
    long: "This is more than 2 MB of text. Only its last 2 MB were read.",
    none: "No match: no page here knows this message.",
    noneHint: "That is an honest answer, not a guess: a message is known here or it is not.",
    lookedFor: "Looked for:",
    nothingPrinted: "No line of this text looks like an error.",
    advice: [
      "Paste more: the whole output, from the first Traceback on. The real cause often stands above the last line.",
      "If the message is another library's or program's, its own documentation is the place to ask.",
      "Search this site for two or three words of the message.",
    ],
    copy: "Copy a report",
    copied: "Copied",
    reportHint: "to propose this message for a page. It holds the line above; read it before you send it anywhere.",
    ambiguous: "Several independent errors are in this text, the most likely first.",
    also: "Also in this text",
    line: (n) => `Line ${n} of your text`,
    unwritten: "The message is known, but its page is not written yet: there is no verified fix here.",
    docs: "Official documentation: ",
    open: "Go to the fix",
    values: "From your message: ",
    seenIn: "Shown inside: ",
    why: "Why this one: ",
    reasons: {
      cause: "it names the cause itself",
      symptom: "it is a consequence; the cause may stand elsewhere",
      wrapper: "it only wraps another error, which was not found in this text",
      outranks: "it explains the others found here",
      type: "the exception's type agrees",
      "other-type": "the exception's type is not the usual one",
      warning: "it is a warning",
      "first-of-chain": "it came first in the chain of exceptions",
    },
  },
  zh: {
    loading: "正在加载索引……",
    failed: "索引加载失败，无法查询。请刷新页面；仍然不行的话，请用搜索或按主题浏览。",
    empty: "没有可查的内容：文本全是空白。请粘贴程序最后打印的几行报错。",
    binary: "这不是文本。请粘贴报错文字，或者把日志文件拖进来。",
    long: "文本超过 2 MB，只读取了最后 2 MB。",
    none: "没有匹配：这里没有页面认识这段报错。",
    noneHint: "这是如实的回答，不是猜测：要么认识，要么不认识。",
    lookedFor: "查找的是：",
    nothingPrinted: "文本里没有看起来像报错的行。",
    advice: [
      "多粘贴一些：从第一个 Traceback 开始的全部输出。真正的原因常常在最后一行的上面。",
      "如果报错来自别的库或程序，请查它自己的文档。",
      "在本站搜索报错里的两三个词。",
    ],
    copy: "复制反馈内容",
    copied: "已复制",
    reportHint: "用来提议为这段报错写一个页面。内容就是上面那一行，发出去之前请自己看一遍。",
    ambiguous: "这段文本里有几个互不相关的报错，最可能的排在前面。",
    also: "文本里还有",
    line: (n) => `你的文本第 ${n} 行`,
    unwritten: "这条报错已收录，但页面还没有写：这里没有跑过的修复。",
    docs: "官方文档：",
    open: "查看修复",
    values: "报错里的数值：",
    seenIn: "外层报错：",
    why: "为什么是这一条：",
    reasons: {
      cause: "它说的就是原因本身",
      symptom: "它是后果，原因可能在别处",
      wrapper: "它只是外层包装，文本里没有找到被包装的报错",
      outranks: "它能解释这里的其他报错",
      type: "异常类型一致",
      "other-type": "异常类型和常见的不同",
      warning: "它是一条警告",
      "first-of-chain": "它在异常链里最先出现",
    },
  },
};
const EXAMPLES = {
  shapes: `Traceback (most recent call last):
  File "train.py", line 41, in <module>
    logits = model(images)
  File "model.py", line 18, in forward
    return self.classifier(features)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)`,
  memory: `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.31 GiB is free. Including non-PyTorch memory, this process has 22.37 GiB memory in use. Of the allocated memory 20.11 GiB is allocated by PyTorch, and 1.93 GiB is reserved by PyTorch but unallocated.`,
  backward: `Traceback (most recent call last):
  File "train.py", line 27, in <module>
    loss.backward()
RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).`,
};

let loaded = null;

/** The index, fetched once; a failed fetch may be tried again. */
function loadIndex() {
  loaded ??= fetch(new URL("index.json", import.meta.url))
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`status ${response.status}`))))
    .catch((error) => {
      loaded = null;
      throw error;
    });
  return loaded;
}

/** An element; strings among its children become text nodes. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== ""));
  return made;
}

/** Bring a form to life. */
export function start(form, result) {
  if (form.dataset.started) return;
  form.dataset.started = "yes";
  const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  const area = form.querySelector("textarea");
  const reset = form.querySelector("button[type=reset]");
  let latest = 0;

  async function answer() {
    const asked = ++latest;
    const text = area.value;
    reset.hidden = !text;
    if (!text) return result.replaceChildren();
    let index;
    try {
      const slow = setTimeout(() => asked === latest && result.replaceChildren(element("p", {}, TEXT[language].loading)), 300);
      index = await loadIndex().finally(() => clearTimeout(slow));
    } catch {
      if (asked === latest) result.replaceChildren(element("p", { class: "tc-card" }, TEXT[language].failed));
      return;
    }
    // Only the newest text is answered: typing goes on while the index loads.
    if (asked === latest) result.replaceChildren(...show(index, text, language));
  }

  let timer = 0;
  area.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(answer, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => (answer(), area.focus())));
  for (const button of form.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => {
      area.value = EXAMPLES[button.dataset.example];
      answer();
    });
  }
  area.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  area.addEventListener("drop", async (event) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    area.value = await file.slice(Math.max(0, file.size - 2 * LIMIT)).text();
    answer();
  });
  loadIndex().catch(() => {}); // told when it is needed
  // A phone's keyboard would cover the page before it was read.
  if (matchMedia("(pointer: fine)").matches) area.focus({ preventScroll: true });
  if (area.value) answer(); // what the browser kept over a reload
}

/** The answer as elements. */
function show(index, text, language) {
  const words = TEXT[language];
  const skipped = Math.max(0, text.length - LIMIT);
  const read = skipped ? text.slice(skipped) : text;
  const before = skipped ? text.slice(0, skipped).split("\n").length - 1 : 0; // lines that were not read
  const found = lookup(index, read);
  const parts = skipped ? [element("p", { class: "tc-note" }, words.long)] : [];
  if (found.status === "empty" || found.status === "binary") return [...parts, element("p", { class: "tc-card" }, words[found.status])];
  if (found.status === "none") return [...parts, none(found.looked_for, words)];
  const lines = read.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
  const card = (hit) => hitCard(index, hit, found.hits, lines, before, language);
  if (found.status === "ambiguous") return [...parts, element("p", {}, words.ambiguous), ...found.hits.map(card)];
  const [first, ...others] = found.hits;
  parts.push(card(first));
  if (others.length) {
    const items = others.map((hit) => element("li", {}, title(hit, language), ` · ${words.line(hit.line + before)}`));
    parts.push(element("details", { class: "tc-also" }, element("summary", {}, `${words.also} (${others.length})`), element("ul", {}, items)));
  }
  return parts;
}

function address(hit) {
  return new URL(`../${hit.topic}/${hit.symptom}/#fix`, import.meta.url).href;
}

function title(hit, language) {
  return hit.page ? element("a", { href: address(hit) }, hit.title[language]) : element("span", {}, hit.title[language]);
}

function hitCard(index, hit, hits, lines, before, language) {
  const words = TEXT[language];
  const card = element("section", { class: hit.page ? "tc-card tc-hit" : "tc-card tc-none" }, element("h2", {}, title(hit, language)));
  const sentence = diagnose(index, hit, language);
  if (sentence) card.append(element("p", { class: "tc-diagnosis" }, sentence));
  if (hit.page) card.append(element("p", {}, element("a", { class: "md-button md-button--primary", href: address(hit) }, words.open)));
  else card.append(element("p", {}, words.unwritten));
  // Only an address of the web: the index is ours, but a link is a link.
  if (hit.docs?.startsWith("https://")) card.append(element("p", {}, words.docs, element("a", { href: hit.docs, rel: "noopener" }, hit.docs)));
  card.append(quote(hit, lines, before, words));
  const values = Object.entries(hit.values);
  if (values.length) {
    const pairs = values.map(([name, value]) => element("span", {}, element("var", {}, name), " = ", element("code", {}, value.trim())));
    card.append(element("p", { class: "tc-values" }, words.values, pairs));
  }
  const around = hit.seen_in.map((stem) => hits.find((other) => other.symptom === stem)).filter(Boolean);
  if (around.length) card.append(element("p", { class: "tc-note" }, words.seenIn, around.flatMap((other, at) => (at ? [", ", title(other, language)] : [title(other, language)]))));
  const reasons = hit.why.map((code) => words.reasons[code]).filter(Boolean);
  if (reasons.length) card.append(element("p", { class: "tc-note" }, `${words.why}${reasons.join(language === "zh" ? "；" : "; ")}`, language === "zh" ? "。" : "."));
  return card;
}

/** The matched line, with one line before and after it. */
function quote(hit, lines, before, words) {
  const cut = (line) => (line.length > SHOWN ? `${line.slice(0, SHOWN)} …` : line);
  const at = hit.line - 1;
  const code = element("code", {});
  if (at > 0) code.append(`${cut(lines[at - 1])}\n`);
  code.append(element("mark", {}, cut(hit.raw)));
  if (lines[at + 1]) code.append(`\n${cut(lines[at + 1])}`);
  return element("figure", { class: "tc-quote" }, element("figcaption", {}, words.line(hit.line + before)), element("pre", {}, code));
}

function none(lookedFor, words) {
  const card = element("section", { class: "tc-card tc-none" }, element("h2", {}, words.none), element("p", {}, words.noneHint));
  if (!lookedFor) card.append(element("p", {}, words.nothingPrinted));
  else card.append(element("p", {}, words.lookedFor), element("pre", {}, element("code", {}, lookedFor.slice(0, SHOWN))));
  card.append(element("ul", {}, words.advice.map((text) => element("li", {}, text))));
  if (lookedFor) {
    const button = element("button", { type: "button", class: "md-button" }, words.copy);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(`Unknown message:\n\n    ${lookedFor}\n\ntorch version:\nWhat caused it, and what cured it:\n`);
      button.textContent = words.copied;
    });
    card.append(element("p", { class: "tc-note" }, button, " ", words.reportHint));
  }
  return card;
}
