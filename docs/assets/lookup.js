// The lookup: from pasted text to the symptom whose words it prints. Twin of torchclinic/find/ (clean, match, lookup), which explains each step;
// the two agree on every input (tests/vectors.json, tests/test_twins.py). Runs in browsers, workers and Node; touches no page.

import { holds, Paste } from "./condition.js";

const CONTEXT = 4;
const FREQUENT = 64;
const TRIES = 1000;
const LONG = 200000;
const TAIL = 200;
const CHAINS = [
  "The above exception was the direct cause of the following exception",
  "During handling of the above exception, another exception occurred",
];
const ROLES = ["cause", "symptom", "wrapper"];
const RANKS = [[0, 2], [1, 3], [4, 4]]; // [role][is a warning]
const SQUEEZABLE = 16;
const HASHES = 1 << 17; // of words; a power of two
const NEVER = 0x7fffffff;
const EDGE = " >|\u2502\u2503\u2551\u2506\u250a\u2771\u276f";
const LEVELS = ["ERROR", "WARNING", "WARN", "INFO", "DEBUG", "CRITICAL", "FATAL", "(W)", "(E)"];
const CODE = ["raise ", "warnings.warn(", "warn(", "assert ", "return ", "msg = ", "print(", "logger.", "if ", "elif ", "except ", 'f"', "f'", "TORCH_CHECK", "#"];
const TYPES = ["Error", "Exception", "Warning", "Interrupt", "Exit", "Unsupported", "Failed", "Timeout", "Iteration", "Miss", "Hit"];
const ENTITIES = [["&lt;", "<"], ["&gt;", ">"], ["&quot;", '"'], ["&#39;", "'"], ["&#x27;", "'"], ["&nbsp;", " "], ["&amp;", "&"]];
const REPLACE = new Map([
  ...[9, 11, 12, 28, 29, 30, 31, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].map((code) => [String.fromCharCode(code), " "]),
  ...Array.from({ length: 11 }, (_, n) => [String.fromCharCode(0x2000 + n), " "]),
  ...[0, 0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff].map((code) => [String.fromCharCode(code), ""]),
  ...pairs("\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb", "'''\"\"\"\"\""),
  ...pairs("\uff08\uff09\uff0c\uff1a\uff1b\uff01\uff1f\uff3b\uff3d\uff1d\uff0e\uff40", "(),:;!?[]=.`"),
]);
// One character of a fixed list at a time: nothing that could backtrack.
const REPLACED = new RegExp(`[${[...REPLACE.keys()].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}]`, "g");
const REPLACE_ASCII = [...REPLACE].filter(([c]) => c < "\x80");
const ASTRAL = /[\ud800-\udbff][\udc00-\udfff]/g;

function pairs(from, to) {
  return [...from].map((c, at) => [c, to[at]]);
}

// 1 for what belongs to a word: ASCII letters, digits, underscore.
const WORD = new Uint8Array(65536);
for (const c of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") WORD[c.charCodeAt(0)] = 1;

const isWord = (text, at) => WORD[text.charCodeAt(at)] === 1;
const isDigits = (text) => [...text].every((c) => c >= "0" && c <= "9");
const hasDigit = (text) => [...text].some((c) => c >= "0" && c <= "9");

/** What a mapping of the index needs at run time, made once for each index. */
const prepared = new WeakMap();

function prepare(index) {
  let made = prepared.get(index);
  if (made) return made;
  const byWord = new Map(Object.entries(index.anchors));
  // For each hash, up to which line its words are known: a word needs a look only in a later one. No anchor, no look.
  const known = new Int32Array(HASHES).fill(NEVER);
  const shared = new Set(); // hashes of several anchors: each of their words is looked at
  for (const word of byWord.keys()) {
    const slot = hash(word);
    if (known[slot] === -1) shared.add(slot);
    known[slot] = -1;
  }
  const tables = {};
  for (const [kind, [characters, cap]] of Object.entries(index.holes)) tables[kind] = { set: new Set(characters), cap };
  const squeezed = index.wordings.map((wording) => wording.parts.map((part) => (typeof part === "string" ? squeeze(part) : part)));
  const letters = index.wordings.map((wording) => wording.parts.reduce((sum, part) => sum + (typeof part === "string" ? squeeze(part).length : 0), 0));
  made = { byWord, known, shared, tables, squeezed, letters };
  prepared.set(index, made);
  return made;
}

function hash(word) {
  let value = 0;
  for (let at = 0; at < word.length; at++) value = (Math.imul(value, 31) + word.charCodeAt(at)) | 0;
  return value & (HASHES - 1);
}

const squeeze = (text) => text.replaceAll(" ", "");

/**
 * Which symptom does this text print? See `lookup` in torchclinic/find/lookup.py for what comes back.
 * @param {object} index what `torchclinic.index.build` made
 * @param {string} text anything; it is only ever read
 */
export function lookup(index, text) {
  const raw = text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;
  if (isBinary(raw)) return { status: "binary", hits: [], looked_for: "" };
  const clean = normalise(raw);
  if (!strip(clean, " \n")) return { status: "empty", hits: [], looked_for: "" };
  const page = new Lines(clean);
  const hits = decide(index, occurrences(index, page), page);
  if (!hits.length) {
    const line = lookedFor(page);
    return { status: "none", hits: [], looked_for: line, report: redact(line), neighbours: neighbours(index, line) };
  }
  const rawLines = new Lines(raw);
  for (const hit of hits) hit.raw = rawLines.get(hit.line - 1);
  const stems = new Set(hits.map((hit) => hit.symptom));
  for (const hit of hits) hit.cause = causeOf(index.symptoms[hit.symptom].causes ?? [], new Paste(clean, hit.values, hit.every, stems, { stripPrefix, printedType }));
  return { status: isAmbiguous(hits) ? "ambiguous" : "match", hits: hits.map((hit) => shown(index, hit, hits)), looked_for: "" };
}

/** Give an index its causes, which are a file of their own. */
export function tell(index, causes) {
  for (const [stem, rows] of Object.entries(causes)) index.symptoms[stem].causes = rows;
  index.told = true;
}

/** The first row whose condition holds; only where none does, the first that is likely. */
function causeOf(causes, paste) {
  for (const name of ["if", "likely"]) {
    const row = causes.find((one) => one[name] && holds(one[name], paste));
    if (row) return { row: row.row, case: row.case ?? "", title: row.title, leaning: name === "likely" };
  }
  return null;
}

/** The sentence of the cause, else of the symptom, with the user's own values; "" where the paste does not hold them. */
export function diagnose(index, hit, language) {
  const symptom = index.symptoms[hit.symptom];
  const own = hit.cause && symptom.causes.find(({ row }) => row === hit.cause.row).say?.[language];
  const sentences = [...(own ? [own] : []), ...(symptom.diagnosis?.[language] ?? [])];
  for (const sentence of sentences) {
    const pieces = sentence.replaceAll("}", "{").split("{");
    if (pieces.every((piece, at) => at % 2 === 0 || Object.hasOwn(hit.values, piece))) {
      return pieces.map((piece, at) => (at % 2 ? hit.values[piece] : piece)).join("");
    }
  }
  return "";
}

/** What the page of a hit is told: its values, its cause and the other hits travel in the fragment, which no browser sends to a server; site.js shows them there. */
export function fragment(hit, hits) {
  const others = [...new Set(hits.filter((other) => other.page && other.symptom !== hit.symptom).map((other) => other.symptom))];
  const also = others.length ? `&also=${others.slice(0, 5).join(",")}` : "";
  const cause = hit.cause ? `&cause=${hit.cause.row}` : "";
  return Object.keys(hit.values).length || also || cause ? `#v=${encodeURIComponent(JSON.stringify(hit.values))}${cause}${also}` : "#fix";
}

/** The lines of a text, cut out only when asked for. */
export class Lines {
  constructor(text) {
    this.text = text;
    this.starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.starts.push(at + 1);
  }
  get length() {
    return this.starts.length;
  }
  end(number) {
    return number + 1 < this.starts.length ? this.starts[number + 1] - 1 : this.text.length;
  }
  get(number) {
    return this.text.slice(this.starts[number], this.end(number));
  }
  numberAt(at) {
    return bisect(this.starts, at) - 1;
  }
}

/** How many of the ascending `values` are at most `value`. */
export function bisect(values, value) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function normalise(text) {
  const ascii = !/[^\x00-\x7f]/.test(text);
  if (!ascii) text = text.replace(ASTRAL, "\ufffd");
  if (text.includes("\x1b") || text.includes("\x9b")) text = withoutEscapes(text);
  if (!ascii) text = text.replace(REPLACED, (c) => REPLACE.get(c));
  else for (const [from, to] of REPLACE_ASCII) if (text.includes(from)) text = text.replaceAll(from, to);
  if (text.includes("&")) for (const [from, to] of ENTITIES) text = text.replaceAll(from, to);
  return text;
}

function withoutEscapes(text) {
  const [first, ...pieces] = text.replaceAll("\x9b", "\x1b[").split("\x1b");
  const kept = [first];
  for (const piece of pieces) {
    if (piece[0] === "[") {
      let at = 1;
      while (at < piece.length && at < 40 && "0123456789;:?<=>!$ '\"".includes(piece[at])) at++;
      kept.push(at < piece.length && piece[at] !== "\n" ? piece.slice(at + 1) : piece.slice(at));
    } else if (piece[0] === "]") {
      const end = piece.indexOf("\x07");
      kept.push(end >= 0 && end < 2000 && !piece.slice(0, end).includes("\n") ? piece.slice(end + 1) : piece.slice(1));
    } else {
      kept.push(piece[0] === "\n" ? piece : piece.slice(1));
    }
  }
  return kept.join("");
}

function isBinary(text) {
  // Counted in characters, as Python does: emoji are one.
  const head = [...text.slice(0, 8192)].slice(0, 4096);
  const odd = head.filter((c) => (c < " " && !"\n\t\x1b\x00\x07\x08\x0b\x0c".includes(c)) || c === "\ufffd").length;
  return odd * 10 > head.length;
}

/** `text` without the given characters at its ends. */
export function strip(text, characters) {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text[from])) from++;
  while (to > from && characters.includes(text[to - 1])) to--;
  return text.slice(from, to);
}

export function lstrip(text, characters) {
  let from = 0;
  while (from < text.length && characters.includes(text[from])) from++;
  return text.slice(from);
}

/** Like Python's find(what, from, to): the whole of `what` lies before `to`. */
function find(text, what, from, to = text.length) {
  if (to >= text.length) return text.indexOf(what, from);
  const at = text.slice(from, to).indexOf(what);
  return at < 0 ? -1 : from + at;
}

export function stripPrefix(line) {
  line = strip(line, EDGE);
  for (let round = 0; round < 6; round++) {
    const before = line;
    const first = line[0] ?? "";
    if (first === "[") {
      const end = find(line, "]", 0, 60);
      const inside = end > 0 ? line.slice(1, end) : "";
      if (inside && !inside.startsWith("Errno") && !inside.startsWith("WinError") && (inside.startsWith("rank") || inside.startsWith("Rank") || inside.startsWith("default") || hasDigit(inside) || LEVELS.includes(strip(inside, " ")))) {
        line = lstrip(line.slice(end + 1), ": ");
      }
    } else if (first === "(") {
      const end = find(line, ")", 0, 80);
      if (end > 0 && line.slice(0, end).includes("pid=")) line = line.slice(end + 1);
    } else if (line.startsWith("E  ")) {
      line = line.slice(1);
    } else if (first && "WEIFD".includes(first) && line.length > 5 && isDigits(line.slice(1, 5))) {
      const end = find(line, "] ", 0, 120);
      if (end > 0) line = line.slice(end + 2);
    } else if (first >= "0" && first <= "9") {
      const token = line.split(" ", 1)[0];
      const stamp = token.length > 1 && [...token].every((c) => "0123456789-:/.,TZ+".includes(c)) && [...token].some((c) => ":-/".includes(c));
      if (stamp || (token.endsWith(":") && isDigits(token.slice(0, -1)))) line = line.slice(token.length);
    } else {
      const level = LEVELS.find((name) => line.startsWith(name) && line.length > name.length && " :|-".includes(line[name.length]));
      if (level) {
        line = lstrip(line.slice(level.length), " :|-");
        const end = find(line, "] ", 0, 80);
        if (end > 0 && hasDigit(line.slice(0, end)) && !line.slice(0, end).includes("[")) line = line.slice(end + 2);
      }
    }
    line = strip(line, EDGE);
    if (line === before) break;
  }
  return line;
}

/** Anchor -> the numbers of the first lines that hold it. One pass over the text, whatever the number of wordings. */
function anchorsIn(index, text) {
  const { byWord, known, shared } = prepare(index);
  const found = new Map();
  // Bytes are read faster than characters; what is no ASCII is more than one of them, and none of a word.
  const bytes = new TextEncoder().encode(text);
  const look = (at, line, slot) => {
    let from = at;
    while (from > 0 && WORD[bytes[from - 1]] === 1) from--;
    const word = text.length === bytes.length ? text.slice(from, at) : new TextDecoder().decode(bytes.subarray(from, at));
    if (!byWord.has(word)) return;
    const lines = found.get(word) ?? [];
    if (lines.length === 0) found.set(word, lines);
    if (lines[lines.length - 1] !== line) lines.push(line);
    // In this line, or anywhere once it is frequent, this word tells no more.
    if (!shared.has(slot)) known[slot] = lines.length > FREQUENT ? NEVER : line;
  };
  const size = bytes.length;
  let line = 0;
  let value = 0; // hash of the word so far
  for (let at = 0; at < size; at++) {
    const code = bytes[at];
    if (WORD[code] === 1) {
      value = (Math.imul(value, 31) + code) | 0;
      continue;
    }
    if (known[value & (HASHES - 1)] < line) look(at, line, value & (HASHES - 1));
    value = 0;
    if (code === 10) line++;
  }
  if (known[value & (HASHES - 1)] < line) look(size, line, value & (HASHES - 1));
  for (const word of found.keys()) known[hash(word)] = -1;
  return found;
}

/** Numbers of the lines that hold an anchor, ascending. */
function anchorLines(index, page) {
  const { byWord } = prepare(index);
  const found = new Set();
  for (const [word, list] of anchorsIn(index, page.text)) {
    if (list.length <= FREQUENT) for (const number of list) found.add(number);
    else for (const number of byWord.get(word)) addLiteralLines(index.wordings[number], page, found);
  }
  return [...found].sort((a, b) => a - b);
}

/** The first and the last lines in which a wording's longest literal stands as it is. */
function addLiteralLines(wording, page, found) {
  const { text } = page;
  let literal = "";
  for (const part of wording.parts) if (typeof part === "string" && part.length > literal.length) literal = part;
  let at = -1;
  for (let n = 0; n < FREQUENT / 2; n++) {
    at = text.indexOf(literal, at + 1);
    if (at < 0) return;
    const number = page.numberAt(at);
    found.add(number);
    at = page.end(number);
  }
  let end = text.length;
  for (let n = 0; n < FREQUENT / 2; n++) {
    // The whole of the literal must lie before `end`, as in Python's rfind.
    end = end - literal.length < 0 ? -1 : text.lastIndexOf(literal, end - literal.length);
    if (end < 0) return;
    const number = page.numberAt(end);
    found.add(number);
    end = page.starts[number];
  }
}

function segments(wanted, count) {
  const made = [];
  for (const number of wanted) {
    const start = Math.max(0, number - CONTEXT);
    const end = Math.min(count, number + CONTEXT + 1);
    const last = made[made.length - 1];
    if (last && start <= last[1]) last[1] = end;
    else made.push([start, end]);
  }
  return made;
}

export function occurrences(index, page) {
  const { byWord, squeezed: squeezedParts, letters } = prepare(index);
  const found = [];
  const known = new Map(); // texts of conditions -> whether they stand in the paste
  const stands = (text) => {
    if (!known.has(text)) known.set(text, (index.traces?.[text] ?? [text]).some((trace) => page.text.includes(trace)));
    return known.get(text);
  };
  for (const [start, end] of segments(anchorLines(index, page), page.length)) {
    const { numbers, texts, source } = read(page, start, end);
    const joined = texts.join("\n");
    const candidates = new Set();
    for (const word of anchorsIn(index, joined).keys()) for (const number of byWord.get(word)) candidates.add(number);
    let squeezedText = null;
    const ends = []; // where each line ends, in the joined and in the squeezed text
    for (const candidate of [...candidates].sort((a, b) => a - b)) {
      const wording = index.wordings[candidate];
      let here = matchAll(index, wording.parts, joined, false);
      const throughSqueeze = here.length === 0;
      if (throughSqueeze && letters[candidate] >= SQUEEZABLE) {
        squeezedText ??= squeeze(joined).replaceAll("\n", "");
        here = matchAll(index, squeezedParts[candidate], squeezedText, true);
      }
      if (!here.length || (wording.near && !wording.near.some(stands)) || wording.unless?.some(stands)) continue;
      const offsets = (ends[throughSqueeze ? 1 : 0] ??= lineEnds(texts, throughSqueeze));
      for (const [at, stop, values] of here) {
        const row = bisect(offsets, at);
        if (source[row] || !meets(wording, values)) continue;
        const column = at - (row ? offsets[row - 1] : 0);
        found.push({
          wording: candidate,
          line: numbers[row],
          values,
          start: at,
          stop,
          segment: start,
          squeezed: throughSqueeze,
          before: throughSqueeze ? "" : texts[row].slice(0, column),
          after: throughSqueeze ? "" : joined.slice(stop).split("\n", 1)[0],
          type: printedType(throughSqueeze ? texts[row] : texts[row].slice(0, column)),
          letters: letters[candidate],
        });
      }
    }
  }
  return found;
}

function lineEnds(texts, squeezed) {
  let end = 0;
  return texts.map((text) => (end += squeezed ? squeeze(text).length : text.length + 1));
}

/** Runs of ASCII letters, digits and underscores. */
export function wordsOf(text) {
  const found = [];
  let from = -1;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isWord(text, at)) {
      if (from < 0) from = at;
    } else if (from >= 0) {
      found.push(text.slice(from, at));
      from = -1;
    }
  }
  return found;
}

function read(page, start, end) {
  const numbers = [];
  const texts = [];
  const source = [];
  let previous = "";
  for (let number = start; number < end; number++) {
    let line = page.get(number);
    if (line.length > LONG) line = line.slice(0, LONG / 2) + line.slice(-LONG / 2);
    const pieces = line.split("\\n");
    for (const piece of pieces.length > 2 ? pieces : [line]) {
      let text = stripPrefix(piece);
      if (text.includes("  ")) text = text.split(" ").filter(Boolean).join(" ");
      numbers.push(number);
      texts.push(text);
      source.push(isSource(text, previous));
      if (text) previous = text;
    }
  }
  return { numbers, texts, source };
}

function isSource(text, previous) {
  if (printedType(`${text} `)) return false;
  if (previous.startsWith('File "') && previous.includes(", line ")) return !text.startsWith('File "'); // a frame follows a frame: faulthandler quotes no code
  const code = lstrip(text, "-> 0123456789\u2502:");
  return CODE.some((word) => code.startsWith(word));
}

export function printedType(before) {
  if (!before.includes(":")) return "";
  const head = strip(before.slice(0, before.indexOf(":")), " ");
  const name = head.slice(head.lastIndexOf(" ") + 1).split(".").pop();
  return TYPES.some((type) => name.endsWith(type)) && [...name].every((c) => WORD[c.charCodeAt(0)] === 1) ? name : "";
}

function meets(wording, values) {
  if (!wording.when) return true;
  const [relation, one, other] = wording.when;
  return (deviceOf(values[one] ?? "") !== deviceOf(values[other] ?? "")) === (relation === "differ");
}

function deviceOf(value) {
  const lower = value.toLowerCase();
  return ["cuda", "mps", "xpu", "hip", "xla", "meta", "npu", "hpu", "mlu", "musa", "privateuse", "dml"].find((name) => lower.includes(name)) ?? "cpu";
}

function matchAll(index, parts, text, squeezed) {
  if (!parts.every((part) => typeof part !== "string" || text.includes(part))) return [];
  const found = [];
  const first = parts[0];
  let at = text.indexOf(first);
  for (let tried = 0; tried < TRIES && at >= 0 && found.length < FREQUENT; tried++) {
    const made = matchAt(index, parts, text, at, squeezed);
    if (made && (squeezed || wholeWords(text, at, made[0], first, parts[parts.length - 1]))) {
      found.push([at, ...made]);
      at = text.indexOf(first, Math.max(made[0], at + 1));
    } else {
      at = text.indexOf(first, at + 1);
    }
  }
  return found;
}

function wholeWords(text, start, stop, first, last) {
  if (start && isWord(first, 0) && isWord(text, start - 1)) return false;
  return !(stop < text.length && typeof last === "string" && isWord(last, last.length - 1) && isWord(text, stop));
}

function matchAt(index, parts, text, at, squeezed) {
  const { tables } = prepare(index);
  const values = {};
  for (let position = 0; position < parts.length; position++) {
    const part = parts[position];
    if (typeof part === "string") {
      if (!text.startsWith(part, at)) return null;
      at += part.length;
      continue;
    }
    const [name, kind] = part;
    const { set, cap } = tables[kind];
    const following = parts[position + 1];
    let end;
    if (following !== undefined && (squeezed || kind === "line" || kind === "bytes")) {
      end = find(text, following, at, at + cap + following.length);
      if (end < 0) return null;
      const value = text.slice(at, end);
      if (kind === "line" ? value.includes("\n") : ![...value].every((c) => set.has(c) || c === " ")) return null;
    } else if (kind === "line") {
      end = find(text, "\n", at, at + cap);
      if (end < 0) end = Math.min(text.length, at + cap);
    } else {
      end = at;
      while (end < text.length && end - at < cap && set.has(text[end])) end++;
    }
    const value = strip(text.slice(at, end), " ,.");
    if (!value) return null;
    if (name && !(squeezed && (kind === "line" || following === undefined))) values[name] = value;
    at = end;
  }
  return [at, values];
}

function compareKeys(one, other) {
  const a = key(one);
  const b = key(other);
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at] - b[at];
  return 0;
}

const key = (hit) => [hit.rank, Number(!hit.agrees), hit.block, hit.line, -hit.letters];

function decide(index, found, page) {
  const best = new Map();
  const every = new Map(); // of each symptom, all values of each name
  const chains = found.length ? chainLines(page) : [];
  for (const occurrence of telling(found)) {
    const wording = index.wordings[occurrence.wording];
    const hit = {
      symptom: wording.symptom,
      line: occurrence.line + 1,
      wording: wording.parts.map((part) => (typeof part === "string" ? part : `\u27e8${part[0]}\u27e9`)).join(""),
      exception: wording.exception ?? "",
      values: occurrence.values,
      role: ROLES.indexOf(wording.role ?? "cause"),
      warning: (occurrence.type || (wording.exception ?? "")).endsWith("Warning"),
      agrees: !occurrence.type || [wording.exception ?? occurrence.type, ...(wording.also ?? [])].includes(occurrence.type),
      block: bisect(chains, occurrence.line),
      letters: occurrence.letters,
    };
    hit.rank = RANKS[hit.role][Number(hit.warning)];
    if (!every.has(hit.symptom)) every.set(hit.symptom, {});
    hit.every = every.get(hit.symptom);
    for (const [name, value] of Object.entries(hit.values)) (hit.every[name] ??= []).push(value);
    const old = best.get(hit.symptom);
    if (!old || compareKeys(hit, old) < 0) {
      hit.values = { ...(old ? old.values : {}), ...hit.values };
      best.set(hit.symptom, hit);
    } else {
      old.values = { ...hit.values, ...old.values };
    }
  }
  const hits = [...best.values()].sort((a, b) => compareKeys(a, b) || (a.symptom < b.symptom ? -1 : 1));
  for (let round = 0; round < hits.length; round++) {
    for (let above = 0; above < hits.length; above++) {
      let below = above + 1;
      while (below < hits.length && !index.symptoms[hits[below].symptom].outranks.includes(hits[above].symptom)) below++;
      if (below < hits.length) {
        hits[below].outranked = true;
        hits.splice(above, 0, ...hits.splice(below, 1));
      }
    }
  }
  return hits;
}

export function chainLines(page) {
  const lines = new Set();
  for (const text of CHAINS) for (let at = page.text.indexOf(text); at >= 0; at = page.text.indexOf(text, at + 1)) lines.add(page.numberAt(at));
  return [...lines].sort((a, b) => a - b);
}

function telling(found) {
  const order = (a, b) =>
    a.segment - b.segment || a.squeezed - b.squeezed || a.start - b.start || b.stop - a.stop || b.letters - a.letters || a.wording - b.wording;
  const kept = [];
  let open = [];
  for (const one of [...found].sort(order)) {
    open = open.filter((o) => o.segment === one.segment && o.squeezed === one.squeezed && o.stop > one.start);
    if (!open.some((o) => o.stop >= one.stop && o.letters > one.letters)) kept.push(one);
    open.push(one);
  }
  return kept;
}

function isAmbiguous(hits) {
  if (hits.length < 2 || hits[0].outranked) return false;
  return ["rank", "agrees", "block"].every((name) => hits[0][name] === hits[1][name]);
}

function shown(index, hit, hits) {
  const symptom = index.symptoms[hit.symptom];
  const why = [ROLES[hit.role]];
  if (hit.outranked) why.push("outranks");
  why.push(hit.agrees ? "type" : "other-type");
  if (hit.warning) why.push("warning");
  if (hit.block === 0 && hits.some((other) => other.block)) why.push("first-of-chain");
  return {
    symptom: hit.symptom,
    topic: symptom.topic,
    title: symptom.title,
    page: symptom.page,
    recover: symptom.recover ?? "",
    docs: symptom.docs ?? "",
    line: hit.line,
    raw: hit.raw,
    wording: hit.wording,
    exception: hit.exception,
    values: hit.values,
    why,
    cause: hit.cause,
    seen_in: hits.filter((other) => other !== hit && other.role > hit.role).map((other) => other.symptom),
  };
}

function lookedFor(page) {
  let spoken = "";
  let last = "";
  let left = TAIL;
  for (let number = page.length - 1; number >= 0; number--) {
    const line = page.get(number);
    if (!strip(line, " ")) continue;
    const text = stripPrefix(line).slice(0, 400);
    if (printedType(text)) return text;
    if (!spoken && (line.includes("error") || line.includes("Error") || line.includes("ERROR"))) spoken = text;
    last = last || text;
    left -= 1;
    if (!left) break;
  }
  return spoken || last;
}

/** A line without what could tell who or where: paths, addresses, secrets and numbers are replaced by their kind. */
export function redact(line) {
  return line.split(" ").map(redactWord).join(" ");
}

function redactWord(word) {
  const core = strip(word, "\"'`()[]{}<>,;:!?=");
  if (!core) return word;
  const characters = [...core];
  const digits = characters.filter((c) => c >= "0" && c <= "9").length;
  const letters = characters.filter((c) => WORD[c.charCodeAt(0)] === 1).length - digits;
  let kind = "";
  if (core.includes("@") || core.includes("://")) kind = "<address>";
  else if (core.includes("/") || core.includes("\\")) kind = "<path>";
  else if (characters.length >= 20 && digits >= 4 && letters >= 4) kind = "<secret>";
  else {
    for (const c of characters) {
      if (c < "0" || c > "9") kind += c;
      else if (!kind.endsWith("<n>")) kind += "<n>";
    }
  }
  return word.replace(core, () => kind);
}

function neighbours(index, line) {
  const long = (text) => wordsOf(text).filter((word) => word.length > 3);
  const here = new Set(long(line));
  const best = new Map();
  for (const wording of index.wordings) {
    const there = new Set(wording.parts.filter((part) => typeof part === "string").flatMap(long));
    const shared = [...there].filter((word) => here.has(word)).length;
    if (shared >= 3 && shared * 2 >= there.size) best.set(wording.symptom, Math.max(best.get(wording.symptom) ?? 0, shared / there.size));
  }
  return [...best.keys()].sort((a, b) => best.get(b) - best.get(a) || (a < b ? -1 : 1)).slice(0, 3);
}
