// Conditions: what a paste must say for a row of a page's table of causes to be the reader's. Twin of torchclinic/find/condition.py, which says how they
// are read: true, false, or null where the paste does not hold what would be needed to know.

const SIZES = 64;
const UNITS = { "": 0, b: 0, byte: 0, bytes: 0, k: 1, kb: 1, kib: 1, m: 2, mb: 2, mib: 2, g: 3, gb: 3, gib: 3, t: 4, tb: 4, tib: 4 };
const PLACES = ['File "', "File ~", "File /", "Cell In", "-->", ".py in "];
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const OPERATIONS = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b };

/** What conditions read of one hit: the cleaned text, the hit's values, all values of each name, and the stems of all hits. */
export class Paste {
  constructor(clean, values, every, stems, { stripPrefix, printedType }) {
    Object.assign(this, { clean, values, every, stems, stripPrefix, printedType, placed: null });
  }

  value(name) {
    return Object.hasOwn(this.values, name) ? this.values[name] : null;
  }

  line(start) {
    const end = this.clean.indexOf("\n", start);
    return this.clean.slice(start, end < 0 ? this.clean.length : end);
  }

  /** The lines of tracebacks that name a place, each with the line of code below it. */
  get frames() {
    if (this.placed !== null) return this.placed;
    const starts = new Set();
    for (const mark of PLACES) {
      for (let at = this.clean.indexOf(mark); at >= 0; ) {
        starts.add(at ? this.clean.lastIndexOf("\n", at - 1) + 1 : 0);
        const end = this.clean.indexOf("\n", at);
        at = end < 0 ? -1 : this.clean.indexOf(mark, end);
      }
    }
    const found = [];
    for (const start of [...starts].sort((a, b) => a - b)) {
      const line = this.line(start);
      const text = this.stripPrefix(line);
      if (!["File ", "Cell In", "--"].some((mark) => text.startsWith(mark)) && !text.includes(".py in ")) continue;
      found.push(line);
      const below = start + line.length + 1;
      if (below > this.clean.length || starts.has(below)) continue;
      const next = this.line(below);
      if (!this.printedType(this.stripPrefix(next))) found.push(next);
    }
    return (this.placed = found.join("\n"));
  }
}

export function holds(tree, paste) {
  const [kind, ...parts] = tree;
  if (kind === "and" || kind === "or") {
    let unknown = false;
    for (const part of parts) {
      const made = holds(part, paste);
      if (made === (kind === "or")) return made;
      unknown ||= made === null;
    }
    return unknown ? null : kind === "and";
  }
  if (kind === "not") {
    const made = holds(parts[0], paste);
    return made === null ? null : !made;
  }
  if (kind === "paste") return parts.some((text) => paste.clean.includes(text));
  if (kind === "frames") return parts.some((text) => paste.frames.includes(text));
  if (kind === "also") return parts.some((stem) => paste.stems.has(stem));
  if (kind === "read") return paste.value(parts[0]) !== null;
  if (kind === "begins") {
    const value = paste.value(parts[0]);
    return value === null ? null : parts.slice(1).some((text) => value.startsWith(text));
  }
  if (kind === "square") {
    const number = numberIn(parts[0], paste);
    const root = Math.floor(Math.sqrt(number) + 0.5);
    return number === null ? null : number >= 1 && root * root === number;
  }
  if (kind === "in") {
    const made = parts.slice(1).map((literal) => compare("==", parts[0], literal, paste));
    return made.includes(true) ? true : made.includes(null) ? null : false;
  }
  return compare(kind, parts[0], parts[1], paste);
}

function compare(op, one, other, paste) {
  if (isSizes(one) && isSizes(other)) {
    const a = sizesOf(one, paste);
    const b = sizesOf(other, paste);
    if (a === null || b === null || (op !== "==" && op !== "!=")) return null;
    return (a.length === b.length && a.every((size, at) => size === b[at])) === (op === "==");
  }
  if (op === "==" || op === "!=") {
    let a = either(one, paste);
    let b = either(other, paste);
    if (a === null || b === null) return null;
    if (typeof a !== typeof b) {
      a = printed(one, a, paste);
      b = printed(other, b, paste);
      if (typeof a !== typeof b) return null;
    }
    return (a === b) === (op === "==");
  }
  const a = numberIn(one, paste);
  const b = numberIn(other, paste);
  if (a === null || b === null) return null;
  return op === "<" ? a < b : op === "<=" ? a <= b : op === ">" ? a > b : a >= b;
}

/** A value as it was printed; what is no value stays as it is. */
const printed = (side, made, paste) => (Array.isArray(side) && side[0] === "hole" ? paste.value(side[1]) : made);

/** A number if it is one, else a text. */
function either(part, paste) {
  if (Array.isArray(part) && part[0] === "text") return part[1];
  if (Array.isArray(part) && part[0] === "hole") {
    const value = paste.value(part[1]);
    return value === null ? null : numberOf(value) ?? value;
  }
  return numberIn(part, paste);
}

const isSizes = (part) => Array.isArray(part) && (part[0] === "sizes" || part[0] === "slice");

function numberIn(part, paste) {
  if (!Array.isArray(part)) return part;
  const [kind, one, other] = part;
  if (kind === "hole" || kind === "bytes") {
    const value = paste.value(one);
    return value === null ? null : kind === "hole" ? numberOf(value) : bytesOf(value);
  }
  if (kind === "count" || kind === "kinds") {
    const every = Object.hasOwn(paste.every, one) ? paste.every[one] : [];
    return kind === "count" ? every.length : new Set(every).size;
  }
  if (kind === "item" || kind === "len" || kind === "product") {
    const sizes = sizesOf(one, paste);
    if (sizes === null) return null;
    if (kind === "len") return sizes.length;
    if (kind === "item") return sizes.at(other) ?? null;
    return finite(sizes.reduce((product, size) => product * size, 1));
  }
  if (Object.hasOwn(OPERATIONS, kind)) {
    const a = numberIn(one, paste);
    const b = numberIn(other, paste);
    if (a === null || b === null || ((kind === "/" || kind === "%") && b === 0)) return null;
    return finite(OPERATIONS[kind](a, b));
  }
  return null;
}

const finite = (value) => (Number.isFinite(value) ? value : null);

function sizesOf(part, paste) {
  if (part[0] === "slice") {
    const sizes = sizesOf(part[1], paste);
    return sizes === null ? null : sizes.slice(part[2] ?? 0, part[3] ?? sizes.length);
  }
  const value = part[0] === "sizes" ? paste.value(part[1]) : null;
  if (value === null) return null;
  const pieces = strip(value, "[]() ").replaceAll("x", ",").split(",");
  const found = pieces.map((piece) => strip(piece, " ")).filter((piece) => piece).map(numberOf);
  return found.length && found.length <= SIZES && !found.includes(null) ? found : null;
}

function strip(text, characters) {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text[from])) from++;
  while (to > from && characters.includes(text[to - 1])) to--;
  return text.slice(from, to);
}

/** A decimal number; null for anything else, and for one that no double holds. */
export function numberOf(text) {
  const body = text[0] === "-" || text[0] === "+" ? text.slice(1) : text;
  const e = body.indexOf("e");
  const mantissa = e < 0 ? body : body.slice(0, e);
  const exponent = e < 0 ? "" : body.slice(e + 1);
  const digits = exponent[0] === "-" || exponent[0] === "+" ? exponent.slice(1) : exponent;
  if (!areDigits(mantissa.replace(".", "")) || (e >= 0 && !areDigits(digits)) || text.length > 400) return null;
  return finite(Number(text));
}

const areDigits = (text) => text !== "" && strip(text, "0123456789") === "";

/** `1.70 GiB`, `20 MB`, `0 bytes`, `359661568`: a number of bytes; units are powers of 1024, as PyTorch prints them. */
export function bytesOf(text) {
  text = strip(text, " .,");
  let end = text.length;
  while (end > 0 && LETTERS.includes(text[end - 1])) end--;
  const unit = text.slice(end).toLowerCase();
  let from = end;
  while (from > 0 && text[from - 1] === " ") from--;
  const value = numberOf(text.slice(0, from));
  return value === null || !Object.hasOwn(UNITS, unit) ? null : finite(value * 1024 ** UNITS[unit]);
}
