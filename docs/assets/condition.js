// Conditions: what a paste must say for a row of a page's table of causes to be the reader's. Twin
// of torchclinic/find/condition.py, which says how they are read: true, false, or null where the
// paste does not hold what would be needed to know.

/** @import { Tables, Tree } from "./types" */
/** @import { Live } from "./live.js" */
/** @import { Pasted } from "./pasted.js" */

import { strip } from "./clean.js";

/**
 * What conditions read of one hit.
 * @typedef {object} Facts
 * @property {Pasted} pasted the whole text
 * @property {Record<string, string>} values of the hit
 * @property {Record<string, string[]>} every all values of each name, in order
 * @property {Set<string>} stems of all hits
 * @property {Live | null} live what the program knew, where the paste says it
 * @property {Pick<Tables, "condition" | "pasted">} tables of the index
 */
/** @typedef {any} Value a number, or a list: ["hole", name], ["sizes", name], ["+", …] … */

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SMALL = LETTERS.slice(0, 26);
/** @type {Record<string, (a: number, b: number) => number>} */
const OPERATIONS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

/** @param {Facts} facts @param {string} name */
const valueNamed = ({ values }, name) => (Object.hasOwn(values, name) ? values[name] : null);

/**
 * Is it so?
 * @param {Tree} tree
 * @param {Facts} facts
 * @returns {boolean | null}
 */
export function holds(tree, facts) {
  const [kind, ...parts] = /** @type {[string, ...any]} */ (tree);
  if (kind === "and" || kind === "or")
    return joined(parts, kind === "or", (part) => holds(part, facts));
  if (kind === "in")
    return joined(parts.slice(1), true, (literal) => compare("==", parts[0], literal, facts));
  if (kind === "not") {
    const answer = holds(parts[0], facts);
    return answer === null ? null : !answer;
  }
  if (kind === "paste") return parts.some((text) => facts.pasted.says(text));
  if (kind === "frames")
    return parts.some(
      (text) => facts.pasted.says(text) && names(facts.pasted.frames(facts.tables.pasted), text),
    );
  if (kind === "also") return parts.some((stem) => facts.stems.has(stem));
  if (kind === "live")
    return facts.live?.rows.some((row) => parts.every((word) => row.has(word))) ?? null;
  if (kind === "read") return valueNamed(facts, parts[0]) !== null;
  if (kind === "begins") {
    const value = valueNamed(facts, parts[0]);
    return value === null ? null : parts.slice(1).some((text) => value.startsWith(text));
  }
  if (kind === "square") {
    const number = numberIn(parts[0], facts);
    if (number === null) return null;
    const root = Math.floor(Math.sqrt(number) + 0.5);
    return number >= 1 && root * root === number;
  }
  return compare(kind, parts[0], parts[1], facts);
}

/**
 * Does a text stand in the frames as words of its own: `ema` in `update_ema(`, not `remaining`?
 * @param {string} frames
 * @param {string} text
 */
function names(frames, text) {
  const begins = isIn(text[0], SMALL);
  const ends = isIn(text[text.length - 1], LETTERS);
  for (let at = frames.indexOf(text); at >= 0; at = frames.indexOf(text, at + 1)) {
    const joined = begins && isIn(frames[at - 1], LETTERS);
    if (!joined && !(ends && isIn(frames[at + text.length], SMALL))) return true;
  }
  return false;
}

/** @param {string | undefined} letter @param {string} letters */
const isIn = (letter, letters) => letter !== undefined && letters.includes(letter);

/**
 * `decisive` as soon as one answer is it; null if one is unknown; else the contrary.
 * @param {any[]} parts
 * @param {boolean} decisive
 * @param {(part: any) => boolean | null} answerOf
 */
function joined(parts, decisive, answerOf) {
  let unknown = false;
  for (const part of parts) {
    const answer = answerOf(part);
    if (answer === decisive) return answer;
    unknown ||= answer === null;
  }
  return unknown ? null : !decisive;
}

/**
 * @param {string} op
 * @param {Value} left
 * @param {Value} right
 * @param {Facts} facts
 */
function compare(op, left, right, facts) {
  if (isSizes(left) && isSizes(right)) {
    const a = sizesOf(left, facts);
    const b = sizesOf(right, facts);
    if (a === null || b === null || (op !== "==" && op !== "!=")) return null;
    return (a.length === b.length && a.every((size, at) => size === b[at])) === (op === "==");
  }
  if (op === "==" || op === "!=") {
    const [a, b] = alike(left, right, facts);
    return a === null || b === null ? null : (a === b) === (op === "==");
  }
  const a = numberIn(left, facts);
  const b = numberIn(right, facts);
  if (a === null || b === null) return null;
  return op === "<" ? a < b : op === "<=" ? a <= b : op === ">" ? a > b : a >= b;
}

/**
 * Both sides as numbers or both as texts; null for what is unknown, or of another kind. Beside a
 * text, a value is compared as it was printed.
 * @param {Value} left
 * @param {Value} right
 * @param {Facts} facts
 */
function alike(left, right, facts) {
  const a = either(left, facts);
  const b = either(right, facts);
  if (a === null || b === null || typeof a === typeof b) return [a, b];
  const [c, d] = [asPrinted(left, a, facts), asPrinted(right, b, facts)];
  return typeof c === typeof d ? [c, d] : [null, null];
}

/**
 * @param {Value} part
 * @param {number | string} value
 * @param {Facts} facts
 */
const asPrinted = (part, value, facts) =>
  Array.isArray(part) && part[0] === "hole" ? valueNamed(facts, part[1]) : value;

/**
 * A number if it is one, else a text.
 * @param {Value} part
 * @param {Facts} facts
 * @returns {number | string | null}
 */
function either(part, facts) {
  if (Array.isArray(part) && part[0] === "text") return part[1];
  if (Array.isArray(part) && part[0] === "hole") {
    const value = valueNamed(facts, part[1]);
    return value === null ? null : (numberOf(value) ?? value);
  }
  return numberIn(part, facts);
}

/** @param {Value} part */
const isSizes = (part) => Array.isArray(part) && (part[0] === "sizes" || part[0] === "slice");

/**
 * @param {Value} part
 * @param {Facts} facts
 * @returns {number | null}
 */
function numberIn(part, facts) {
  if (!Array.isArray(part)) return part;
  const [kind, first, second] = part;
  if (kind === "hole" || kind === "bytes") {
    const value = valueNamed(facts, first);
    if (value === null) return null;
    return kind === "hole" ? numberOf(value) : bytesOf(value, facts.tables.condition.units);
  }
  if (kind === "count" || kind === "kinds") {
    const every = Object.hasOwn(facts.every, first) ? facts.every[first] : [];
    return kind === "count" ? every.length : new Set(every).size;
  }
  if (kind === "item" || kind === "len" || kind === "product") {
    const sizes = sizesOf(first, facts);
    if (sizes === null) return null;
    if (kind === "len") return sizes.length;
    if (kind === "item") return sizes.at(second) ?? null;
    return finite(sizes.reduce((product, size) => product * size, 1));
  }
  if (Object.hasOwn(OPERATIONS, kind)) {
    const a = numberIn(first, facts);
    const b = numberIn(second, facts);
    if (a === null || b === null || ((kind === "/" || kind === "%") && b === 0)) return null;
    return finite(OPERATIONS[kind](a, b));
  }
  return null;
}

/** @param {number} value */
const finite = (value) => (Number.isFinite(value) ? value : null);

/**
 * @param {Value} part
 * @param {Facts} facts
 * @returns {number[] | null}
 */
function sizesOf(part, facts) {
  if (part[0] === "slice") {
    const sizes = sizesOf(part[1], facts);
    return sizes === null ? null : sizes.slice(part[2] ?? 0, part[3] ?? sizes.length);
  }
  const value = part[0] === "sizes" ? valueNamed(facts, part[1]) : null;
  if (value === null) return null;
  const pieces = strip(value, "[]() ").replaceAll("x", ",").split(",");
  const numbers = pieces
    .map((piece) => strip(piece, " "))
    .filter(Boolean)
    .map(numberOf);
  const sizes = numbers.filter((number) => number !== null);
  const most = facts.tables.condition.sizes;
  return sizes.length === numbers.length && sizes.length && sizes.length <= most ? sizes : null;
}

/**
 * A decimal number; null for anything else, and for one that no double holds.
 * @param {string} text
 */
export function numberOf(text) {
  const body = text[0] === "-" || text[0] === "+" ? text.slice(1) : text;
  const e = body.indexOf("e");
  const mantissa = e < 0 ? body : body.slice(0, e);
  const exponent = e < 0 ? "" : body.slice(e + 1);
  const digits = exponent[0] === "-" || exponent[0] === "+" ? exponent.slice(1) : exponent;
  if (!areDigits(mantissa.replace(".", "")) || (e >= 0 && !areDigits(digits)) || text.length > 400)
    return null;
  return finite(Number(text));
}

/** @param {string} text */
const areDigits = (text) => text !== "" && strip(text, "0123456789") === "";

/**
 * `1.70 GiB`, `20 MB`, `0 bytes`, `359661568`: a number of bytes; units are powers of 1024, as
 * PyTorch prints them.
 * @param {string} text
 * @param {Record<string, number>} units
 */
export function bytesOf(text, units) {
  text = strip(text, " .,");
  let end = text.length;
  while (end > 0 && LETTERS.includes(text[end - 1])) end--;
  const unit = text.slice(end).toLowerCase();
  let from = end;
  while (from > 0 && text[from - 1] === " ") from--;
  const value = numberOf(text.slice(0, from));
  return value === null || !Object.hasOwn(units, unit) ? null : finite(value * 1024 ** units[unit]);
}
