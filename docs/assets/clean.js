// Cleaning: what terminals, browsers, loggers and launchers do to a message, undone. Twin of
// torchclinic/find/clean.py, which explains each step. Its tables come with the index.

/** @import { CleanTables } from "./types" */

// 1 for what belongs to a word: ASCII letters, digits, underscore.
export const WORD = new Uint8Array(65536);
for (const c of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
  WORD[c.charCodeAt(0)] = 1;

const DIGITS = "0123456789";
const ASTRAL = /[\ud800-\udbff][\udc00-\udfff]/g;

/** @type {CleanTables} */
let tables;
/** @type {[string, string][]} */
let replacedAscii = [];
/** What is replaced, one character of a fixed list at a time: nothing that could backtrack. */
let replaced = /$^/g;

/**
 * Take the tables of an index, before anything else of this module is asked.
 * @param {CleanTables} given
 */
export function adopt(given) {
  if (tables === given) return;
  tables = given;
  const characters = Object.keys(given.replaced);
  replacedAscii = Object.entries(given.replaced).filter(([c]) => c < "\x80");
  const codes = characters.map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  replaced = new RegExp(`[${codes.join("")}]`, "g");
}

/**
 * @param {string} text
 * @param {number} at
 */
export const isWord = (text, at) => WORD[text.charCodeAt(at)] === 1;

/** @param {string} text */
const isDigits = (text) => strip(text, DIGITS) === "";

/** @param {string} text */
const hasDigit = (text) => [...text].some((c) => c >= "0" && c <= "9");

/**
 * @param {string} text
 * @param {string[]} starts
 */
export const startsWithAny = (text, starts) => starts.some((start) => text.startsWith(start));

/**
 * `text` without the given characters at its ends.
 * @param {string} text
 * @param {string} characters
 */
export function strip(text, characters) {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text[from])) from++;
  while (to > from && characters.includes(text[to - 1])) to--;
  return text.slice(from, to);
}

/**
 * @param {string} text
 * @param {string} characters
 */
export function lstrip(text, characters) {
  let from = 0;
  while (from < text.length && characters.includes(text[from])) from++;
  return text.slice(from);
}

/**
 * Like Python's find(what, from, to): the whole of `what` lies before `to`.
 * @param {string} text
 * @param {string} what
 * @param {number} from
 */
export function find(text, what, from, to = text.length) {
  if (to >= text.length) return text.indexOf(what, from);
  const at = text.slice(from, to).indexOf(what);
  return at < 0 ? -1 : from + at;
}

/**
 * Runs of ASCII letters, digits and underscores.
 * @param {string} text
 */
export function wordsOf(text) {
  const words = [];
  let from = -1;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isWord(text, at)) {
      if (from < 0) from = at;
    } else if (from >= 0) {
      words.push(text.slice(from, at));
      from = -1;
    }
  }
  return words;
}

/** @param {string} text */
export const oneKindOfLineEnd = (text) =>
  text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;

/** What is not takes more bytes than characters. @param {string} text */
export const isAscii = (text) => new TextEncoder().encode(text).length === text.length;

/** @param {string} text */
export function normalise(text) {
  const ascii = isAscii(text);
  if (!ascii) text = text.replace(ASTRAL, "\ufffd");
  if (text.includes("\x1b") || text.includes("\x9b")) text = withoutEscapes(text);
  if (!ascii) text = text.replace(replaced, (c) => tables.replaced[c]);
  else {
    for (const [from, to] of replacedAscii)
      if (text.includes(from)) text = text.replaceAll(from, to);
  }
  if (text.includes("&")) {
    for (const [from, to] of Object.entries(tables.entities)) text = text.replaceAll(from, to);
  }
  if (!ascii) {
    for (const [from, to] of Object.entries(tables.spoken)) text = text.replaceAll(from, to);
  }
  return withoutPrefixes(text);
}

/**
 * Drop what a log's writer put before each line: what stands before two lines of a traceback alike,
 * but for its digits.
 * @param {string} text
 */
function withoutPrefixes(text) {
  const { traced, tries, long, most } = tables.prefix;
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const mark of traced) {
    let at = text.indexOf(mark);
    for (let tried = 0; tried < tries && at >= 0; tried++) {
      const start = Math.max(0, at - long);
      const end = text.slice(start, at).lastIndexOf("\n");
      if (end >= 0 || !start) {
        const shape = shapeOf(text.slice(start + end + 1, at));
        counts.set(shape, (counts.get(shape) ?? 0) + 1);
      }
      at = text.indexOf(mark, at + 1);
    }
  }
  const learned = [...counts].flatMap(([shape, count]) => (count > 1 && shape ? [shape] : []));
  if (!learned.length) return text;
  learned.sort((a, b) => b.length - a.length).splice(most);
  return text
    .split("\n")
    .map((line) => behind(learned, line))
    .join("\n");
}

/** A prefix with a 0 for each number; "" for one that `stripPrefix` knows. @param {string} prefix */
function shapeOf(prefix) {
  for (const mark of tables.prefix.ranks) prefix = prefix.split(mark, 1)[0];
  return stripPrefix(`${prefix}Traceback`) === "Traceback" ? "" : prefix.replace(/[0-9]+/g, "0");
}

/**
 * What follows one of these prefixes; the line where it begins with none.
 * @param {string[]} shapes
 * @param {string} line
 */
function behind(shapes, line) {
  const most = 2 * tables.prefix.long;
  for (const shape of shapes) {
    let at = 0;
    const whole = [...shape].every((c) => {
      const begin = at;
      if (c === "0") while (at < most && line[at] >= "0" && line[at] <= "9") at += 1;
      else if (line[at] === c) at += 1;
      return at > begin;
    });
    if (whole) return line.slice(at);
  }
  return line;
}

/** @param {string} text */
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
      const title = end >= 0 && end < 2000 && !piece.slice(0, end).includes("\n");
      kept.push(piece.slice(title ? end + 1 : 1));
    } else {
      kept.push(piece[0] === "\n" ? piece : piece.slice(1));
    }
  }
  return kept.join("");
}

/** @param {string} text */
export function isBinary(text) {
  // Counted in characters, as Python does: emoji are one.
  const head = [...text.slice(0, 8192)].slice(0, 4096);
  const odd = head.filter(
    (c) => (c < " " && !"\n\t\x1b\x00\x07\x08\x0b\x0c".includes(c)) || c === "\ufffd",
  );
  return odd.length * 10 > head.length;
}

/**
 * A line without what loggers, launchers, boxes and quotes put before (and behind) it.
 * @param {string} line
 */
export function stripPrefix(line) {
  line = strip(line, tables.edge);
  for (let round = 0; round < 6; round++) {
    const shorter = strip(withoutOnePrefix(line), tables.edge);
    if (shorter === line) break;
    line = shorter;
  }
  return line;
}

/** @param {string} line */
function withoutOnePrefix(line) {
  const first = line[0] ?? "";
  if (first === "[") {
    const end = find(line, "]", 0, 60);
    return isTag(line.slice(1, Math.max(end, 1))) ? lstrip(line.slice(end + 1), ": ") : line;
  }
  if (first === "(") {
    const end = find(line, ")", 0, 80);
    return end > 0 && line.slice(0, end).includes("pid=") ? line.slice(end + 1) : line;
  }
  if (line.startsWith("E  ")) return line.slice(1);
  if (first && "WEIFD".includes(first) && line.length > 5 && isDigits(line.slice(1, 5))) {
    const end = find(line, "] ", 0, 120);
    return end > 0 ? line.slice(end + 2) : line;
  }
  if (first >= "0" && first <= "9") {
    const token = line.split(" ", 1)[0];
    return isTimeOrNumber(token) ? line.slice(token.length) : line;
  }
  return withoutLevel(line);
}

/** @param {string} inside */
function isTag(inside) {
  if (startsWithAny(inside, ["Errno", "WinError"])) return false;
  if (startsWithAny(inside, ["rank", "Rank", "default"]) || hasDigit(inside)) return true;
  return tables.levels.includes(strip(inside, " "));
}

/** @param {string} token */
function isTimeOrNumber(token) {
  if (token.endsWith(":") && isDigits(token.slice(0, -1))) return true;
  return [...token].some((c) => ":-/".includes(c)) && strip(token, "0123456789-:/.,TZ+") === "";
}

/** @param {string} line */
function withoutLevel(line) {
  const level = tables.levels.find(
    (name) =>
      line.startsWith(name) && line.length > name.length && " :|-".includes(line[name.length]),
  );
  if (!level) return line;
  line = lstrip(line.slice(level.length), " :|-");
  const end = find(line, "] ", 0, 80);
  const inside = line.slice(0, Math.max(end, 0));
  return end > 0 && hasDigit(inside) && !inside.includes("[") ? line.slice(end + 2) : line;
}

/**
 * @param {string} text
 * @param {string} previous
 */
export function isSource(text, previous) {
  if (printedType(`${text} `)) return false;
  if (previous.startsWith('File "') && previous.includes(", line "))
    return !text.startsWith('File "');
  return startsWithAny(lstrip(text, "-> 0123456789\u2502:"), tables.code);
}

/** @param {string} before */
export function printedType(before) {
  if (!before.includes(":")) return "";
  const head = strip(before.slice(0, before.indexOf(":")), " ");
  const word = head.slice(head.lastIndexOf(" ") + 1);
  const name = word.slice(word.lastIndexOf(".") + 1);
  const ends = tables.types.some((type) => name.endsWith(type));
  return ends && [...name].every((c) => isWord(c, 0)) ? name : "";
}

/**
 * A line without what could tell who or where: paths, addresses, secrets and numbers are replaced
 * by their kind; names with a number in them, symbols and versions stay.
 * @param {string} line
 */
export function redact(line) {
  const { breaks } = tables.redact;
  const pieces = [""];
  for (const c of line) {
    pieces[pieces.length - 1] += c;
    if (breaks.includes(c)) pieces.push("");
  }
  return pieces.map(redactPiece).join("");
}

/** @param {string} piece */
function redactPiece(piece) {
  const core = strip(piece, tables.redact.around);
  if (!core) return piece;
  const kind = kindOf(core);
  if (!kind) return piece.replace(core, () => withoutNumbers(core));
  let begin = 0;
  while (begin < core.length && core[begin] > "\x7f") begin += 1;
  if (core[begin] === "/" || core[begin] === "\\") begin = 0;
  return piece.replace(core, () => core.slice(0, begin) + kind);
}

/** @param {string} core */
function kindOf(core) {
  if (core.includes("@") || core.includes("://")) return "<address>";
  return core.includes("/") || core.includes("\\") ? "<path>" : "";
}

/** @param {string} core */
function withoutNumbers(core) {
  const { pins, secret } = tables.redact;
  const versions = pins.some((pin) => core.includes(pin)) || isVersion(core);
  let text = "";
  let run = "";
  for (const c of `${core} `) {
    if (isWord(c, 0)) {
      run += c;
    } else {
      text += (versions && run.length < secret ? run : redactRun(run)) + c;
      run = "";
    }
  }
  return text.slice(0, -1);
}

/** @param {string} c */
const isDigit = (c) => c >= "0" && c <= "9";

/** 1.13.1, v2.0.1+cu117; an address has four numbers. @param {string} core */
function isVersion(core) {
  const numbers = core.replace(/^v/, "").split("+")[0].split(".");
  /** @param {string} number */
  const short = (number) => number.length > 0 && number.length < 5 && [...number].every(isDigit);
  return numbers.length === 3 && numbers.every(short);
}

/** @param {string} run */
function redactRun(run) {
  const digits = [...run].filter(isDigit).length;
  if (run.startsWith("_Z") || !digits) return run;
  if (run.length >= tables.redact.secret && digits >= 4 && run.length - digits >= 4)
    return "<secret>";
  if (!isDigit(run[0]) && digits <= 4) return run;
  return run.replace(/[0-9]+/g, "<n>");
}
