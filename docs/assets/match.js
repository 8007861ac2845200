// Matching: where in a text the wordings of an index stand. Twin of torchclinic/find/match.py,
// which explains each step.

/** @import { Occurrence, Part, Patterns, WordingEntry } from "./types" */

import { adopt, find, isSource, isWord, printedType, strip, stripPrefix, WORD } from "./clean.js";
import { bisect, Pasted } from "./pasted.js";

const HASHES = 1 << 17; // of words, at least, and as many times the anchors as SPARSE: few words share one
const SPARSE = 32;
const NEVER = 0x7fffffff;

/** @param {string} text */
const squeeze = (text) => text.replaceAll(" ", "");

/** @param {unknown} part @returns {part is string} */
const isText = (part) => typeof part === "string";

/**
 * What an index needs to be read.
 * @typedef {object} Prepared
 * @property {Map<string, number[]>} byWord anchor -> numbers of wordings
 * @property {Int32Array} known for each hash, up to which line its words are known: a word needs a
 *   look only in a later one; no anchor, no look
 * @property {Int32Array} whole for each slot the whole hash of its anchor; 0 where several share it,
 *   each of whose words is looked at
 * @property {Record<string, {set: Set<string>, cap: number}>} holes
 */

/** @type {WeakMap<Patterns, Prepared>} */
const prepared = new WeakMap();

/** @param {Patterns} index */
function prepare(index) {
  adopt(index.tables.clean);
  const former = prepared.get(index);
  if (former) return former;
  const byWord = new Map(Object.entries(index.anchors));
  let size = HASHES; // a power of two
  while (size < byWord.size * SPARSE) size *= 2;
  const known = new Int32Array(size).fill(NEVER);
  const whole = new Int32Array(size);
  for (const word of byWord.keys()) {
    const value = hash(word);
    const slot = value & (size - 1);
    whole[slot] = known[slot] === -1 ? 0 : value;
    known[slot] = -1;
  }
  /** @type {Prepared["holes"]} */
  const holes = {};
  for (const [kind, [characters, cap]] of Object.entries(index.holes))
    holes[kind] = { set: new Set(characters), cap };
  const made = { byWord, known, whole, holes };
  prepared.set(index, made);
  return made;
}

/** @param {string} word */
function hash(word) {
  let value = 0;
  for (let at = 0; at < word.length; at++) value = (Math.imul(value, 31) + word.charCodeAt(at)) | 0;
  return value;
}

/**
 * Every place where a wording is printed.
 * @param {Patterns} index
 * @param {Pasted} pasted
 */
export function occurrences(index, pasted) {
  const { byWord } = prepare(index);
  /** @type {Occurrence[]} */
  const places = [];
  for (const [start, end] of ranges(index, anchorLines(index, pasted), pasted.length)) {
    const segment = new Segment(index, pasted, start, end);
    const numbers = new Set();
    for (const word of anchorsIn(index, new Pasted(segment.joined)).keys())
      for (const number of byWord.get(word) ?? []) numbers.add(number);
    for (const number of [...numbers].sort((a, b) => a - b))
      places.push(...ofWording(index, number, segment, pasted));
  }
  return places;
}

/**
 * Where a segment prints one wording: as it is, else through squeezed text.
 * @param {Patterns} index
 * @param {number} number
 * @param {Segment} segment
 * @param {Pasted} pasted
 * @returns {Occurrence[]}
 */
function ofWording(index, number, segment, pasted) {
  const wording = index.wordings[number];
  let { parts } = wording;
  const letters = parts.reduce((sum, part) => sum + (isText(part) ? squeeze(part).length : 0), 0);
  let squeezed = false;
  let spans = spansOf(index, parts, segment.joined, squeezed);
  if (!spans.length && letters >= index.tables.match.squeezable) {
    squeezed = true;
    parts = parts.map((part) => (isText(part) ? squeeze(part) : part));
    spans = spansOf(index, parts, segment.squeezed, squeezed);
  }
  if (!spans.length || !stands(index, wording, pasted)) return [];
  const places = [];
  for (const [start, stop, values] of spans) {
    const [row, column] = segment.place(start, squeezed);
    if (segment.source[row] || !meets(index, wording, values)) continue;
    const line = segment.texts[row];
    places.push({
      wording: number,
      line: segment.numbers[row],
      values,
      start,
      stop,
      segment: segment.start,
      squeezed,
      before: squeezed ? "" : line.slice(0, column),
      after: squeezed ? "" : segment.joined.slice(stop).split("\n", 1)[0],
      type: printedType(squeezed ? line : line.slice(0, column)),
      letters,
    });
  }
  return places;
}

/**
 * Anchor -> the numbers of the first lines that hold it. One pass over the text, whatever the
 * number of wordings.
 * @param {Patterns} index
 * @param {Pasted} pasted
 */
function anchorsIn(index, pasted) {
  const search = new Search(index, pasted);
  while (search.next()) search.look();
  for (const word of search.found.keys()) search.known[hash(word) & (search.known.length - 1)] = -1;
  return search.found;
}

/** What `anchorsIn` has found so far. */
class Search {
  /**
   * @param {Patterns} index
   * @param {Pasted} pasted
   */
  constructor(index, { text, bytes }) {
    const { byWord, known, whole } = prepare(index);
    this.byWord = byWord;
    this.known = known;
    this.whole = whole;
    this.frequent = index.tables.match.frequent;
    this.text = text;
    this.bytes = bytes;
    this.ascii = text.length === bytes.length;
    /** @type {Map<string, number[]>} */
    this.found = new Map();
    this.at = -1; // where the last word ended
    this.line = 0;
    this.slot = 0; // of its hash
  }

  /** Go to the end of the next word that may be an anchor, if there is one. */
  next() {
    // A loop of its own, which calls nothing: it is the one that sees every byte.
    const { bytes, known, whole } = this;
    const inWord = WORD;
    const size = bytes.length;
    const last = known.length - 1;
    let { line } = this;
    let value = 0; // hash of the word so far
    let at = this.at;
    if (at >= 0 && bytes[at] === 10) line++;
    for (at++; at < size; at++) {
      const code = bytes[at]; // what is no ASCII is more than one byte, and none of a word
      if (inWord[code] === 1) {
        value = (Math.imul(value, 31) + code) | 0;
        continue;
      }
      const slot = value & last;
      if (known[slot] < line && (whole[slot] === value || whole[slot] === 0)) break;
      value = 0;
      if (code === 10) line++;
    }
    this.at = at;
    this.line = line;
    this.slot = value & last;
    return at < size || (at === size && known[this.slot] < line);
  }

  /** What to do about that word. */
  look() {
    const { at, bytes, found, line, slot } = this;
    let from = at;
    while (from > 0 && WORD[bytes[from - 1]] === 1) from--;
    const word = this.ascii
      ? this.text.slice(from, at)
      : new TextDecoder().decode(bytes.subarray(from, at));
    if (!this.byWord.has(word)) return;
    const lines = found.get(word) ?? [];
    if (lines.length === 0) found.set(word, lines);
    if (lines[lines.length - 1] !== line) lines.push(line);
    // In this line, or anywhere once it is frequent, this word tells no more.
    if (this.whole[slot]) this.known[slot] = lines.length > this.frequent ? NEVER : line;
  }
}

/**
 * Numbers of the lines that hold an anchor, ascending.
 * @param {Patterns} index
 * @param {Pasted} pasted
 */
function anchorLines(index, pasted) {
  const { byWord } = prepare(index);
  const { frequent } = index.tables.match;
  /** @type {Set<number>} */
  const lines = new Set();
  for (const [word, numbers] of anchorsIn(index, pasted)) {
    if (numbers.length <= frequent) {
      for (const number of numbers) lines.add(number);
      continue;
    }
    for (const number of byWord.get(word) ?? []) {
      let literal = "";
      for (const part of index.wordings[number].parts)
        if (isText(part) && part.length > literal.length) literal = part;
      addFirstAndLast(pasted, literal, frequent / 2, lines);
    }
  }
  return [...lines].sort((a, b) => a - b);
}

/**
 * The first and the last `most` lines in which a literal begins.
 * @param {Pasted} pasted
 * @param {string} literal
 * @param {number} most
 * @param {Set<number>} lines
 */
function addFirstAndLast(pasted, literal, most, lines) {
  if (!pasted.says(literal)) return;
  const { text } = pasted;
  let at = -1;
  for (let n = 0; n < most; n++) {
    at = text.indexOf(literal, at + 1);
    if (at < 0) return;
    const number = pasted.numberAt(at);
    lines.add(number);
    at = pasted.end(number);
  }
  let end = text.length;
  for (let n = 0; n < most; n++) {
    // The whole of the literal must lie before `end`, as in Python's rfind.
    end = end - literal.length < 0 ? -1 : text.lastIndexOf(literal, end - literal.length);
    if (end < 0) return;
    const number = pasted.numberAt(end);
    lines.add(number);
    end = pasted.starts[number];
  }
}

/**
 * @param {Patterns} index
 * @param {number[]} wanted
 * @param {number} count
 */
function ranges(index, wanted, count) {
  const { context } = index.tables.match;
  /** @type {[number, number][]} */
  const made = [];
  for (const number of wanted) {
    const start = Math.max(0, number - context);
    const end = Math.min(count, number + context + 1);
    const last = made[made.length - 1];
    if (last && start <= last[1]) last[1] = end;
    else made.push([start, end]);
  }
  return made;
}

/** Lines of a text, cleaned. */
class Segment {
  /**
   * @param {Patterns} index
   * @param {Pasted} pasted
   * @param {number} start
   * @param {number} end
   */
  constructor(index, pasted, start, end) {
    const { long } = index.tables.match;
    this.start = start;
    /** @type {number[]} */
    this.numbers = [];
    /** @type {string[]} */
    this.texts = [];
    /** @type {boolean[]} */
    this.source = [];
    let previous = "";
    for (let number = start; number < end; number++) {
      let line = pasted.get(number);
      if (line.length > long) line = line.slice(0, long / 2) + line.slice(-long / 2);
      const pieces = line.split("\\n");
      for (const piece of pieces.length > 2 ? pieces : [line]) {
        let text = stripPrefix(piece);
        if (text.includes("  ")) text = text.split(" ").filter(Boolean).join(" ");
        this.numbers.push(number);
        this.texts.push(text);
        this.source.push(isSource(text, previous));
        if (text) previous = text;
      }
    }
    this.joined = this.texts.join("\n");
    /** @type {string | null} */
    this.tight = null;
    /** @type {number[][]} */
    this.ends = []; // where each text ends, in the joined and in the squeezed text
  }

  get squeezed() {
    this.tight ??= squeeze(this.joined).replaceAll("\n", "");
    return this.tight;
  }

  /**
   * Number of the text, and offset in it, of an offset in the joined or in the squeezed text.
   * @param {number} offset
   * @param {boolean} squeezed
   */
  place(offset, squeezed) {
    let end = 0;
    this.ends[Number(squeezed)] ??= this.texts.map((text) => {
      end += squeezed ? squeeze(text).length : text.length + 1;
      return end;
    });
    const ends = this.ends[Number(squeezed)];
    const row = bisect(ends, offset);
    return [row, offset - (row ? ends[row - 1] : 0)];
  }
}

/**
 * @param {Patterns} index
 * @param {Partial<WordingEntry>} wording
 * @param {Pasted} pasted
 */
function stands(index, { near, unless }, pasted) {
  /** @param {string} name */
  const says = (name) => (index.traces[name] ?? [name]).some((trace) => pasted.says(trace));
  return (!near?.length || near.some(says)) && !unless?.some(says);
}

/**
 * @param {Patterns} index
 * @param {Partial<WordingEntry>} wording
 * @param {Record<string, string>} values
 */
function meets(index, { when }, values) {
  if (!when) return true;
  const [one, other] = when.slice(1).map((hole) => {
    const lower = (values[hole] ?? "").toLowerCase();
    return index.tables.match.devices.find((name) => lower.includes(name)) ?? "cpu";
  });
  return (one !== other) === (when[0] === "differ");
}

/**
 * All places where `parts` stand in `text`: [start, stop, values].
 * @param {Patterns} index
 * @param {Part[]} parts
 * @param {string} text
 * @param {boolean} squeezed
 */
function spansOf(index, parts, text, squeezed) {
  /** @type {[number, number, Record<string, string>][]} */
  const spans = [];
  if (!parts.every((part) => !isText(part) || text.includes(part))) return spans;
  const { frequent, tries } = index.tables.match;
  const first = /** @type {string} */ (parts[0]);
  let at = text.indexOf(first);
  for (let tried = 0; tried < tries && at >= 0 && spans.length < frequent; tried++) {
    const span = spanAt(index, parts, text, at, squeezed);
    if (span && (squeezed || wholeWords(text, span, first, parts[parts.length - 1]))) {
      spans.push(span);
      at = text.indexOf(first, Math.max(span[1], at + 1));
    } else {
      at = text.indexOf(first, at + 1);
    }
  }
  return spans;
}

/**
 * @param {string} text
 * @param {[number, number, unknown]} span
 * @param {string} first
 * @param {Part} last
 */
function wholeWords(text, [start, stop], first, last) {
  if (start && isWord(first, 0) && isWord(text, start - 1)) return false;
  return !(
    stop < text.length &&
    isText(last) &&
    isWord(last, last.length - 1) &&
    isWord(text, stop)
  );
}

/**
 * Walk literals and holes from `start`.
 * @param {Patterns} index
 * @param {Part[]} parts
 * @param {string} text
 * @param {number} start
 * @param {boolean} squeezed
 * @returns {[number, number, Record<string, string>] | null}
 */
function spanAt(index, parts, text, start, squeezed) {
  /** @type {Record<string, string>} */
  const values = {};
  let at = start;
  for (const [position, part] of parts.entries()) {
    if (isText(part)) {
      if (!text.startsWith(part, at)) return null;
      at += part.length;
      continue;
    }
    const [name, kind] = part;
    const following = /** @type {string | undefined} */ (parts[position + 1]);
    const end = holeEnd(index, kind, following, text, at, squeezed);
    const value = end < 0 ? "" : strip(text.slice(at, end), " ,.");
    if (!value) return null;
    if (name && !(squeezed && (kind === "line" || following === undefined))) values[name] = value;
    at = end;
  }
  return [start, at, values];
}

/**
 * Where the value of a hole ends that begins at `at`; -1 where it cannot be one.
 * @param {Patterns} index
 * @param {string} kind
 * @param {string | undefined} following
 * @param {string} text
 * @param {number} at
 * @param {boolean} squeezed
 */
function holeEnd(index, kind, following, text, at, squeezed) {
  const { set, cap } = prepare(index).holes[kind];
  if (following !== undefined && (squeezed || kind === "line" || kind === "bytes")) {
    const end = find(text, following, at, at + cap + following.length);
    if (end < 0) return -1;
    const value = text.slice(at, end);
    const foreign =
      kind === "line" ? value.includes("\n") : ![...value].every((c) => set.has(c) || c === " ");
    return foreign ? -1 : end;
  }
  if (kind === "line") {
    const end = find(text, "\n", at, at + cap);
    return end < 0 ? Math.min(text.length, at + cap) : end;
  }
  let end = at;
  while (end < text.length && end - at < cap && set.has(text[end])) end++;
  return end;
}
