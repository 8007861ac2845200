// Wordings that a text nearly prints: retyped, in another case, without its numbers, or cut short.
// Twin of torchclinic/find/likely.py, which explains each step. Its tables come with the index.

/** @import { Index, Likely, LikelyTables, WordingEntry } from "./types" */

import { isAscii, isSource, printedType, strip, stripPrefix, wordsOf } from "./clean.js";

/** @param {string[]} words */
const letters = (words) => words.reduce((sum, word) => sum + word.length, 0);

/** The words of an index's wordings, made when they are first asked for. */
export class Likeness {
  /** @param {Index} index */
  constructor(index) {
    this.index = index;
    this.tables = index.tables.likely;
    /** @type {string[][]} */
    this.words = [];
    /** The first word of wordings -> their numbers. @type {Map<string, number[]>} */
    this.begins = new Map();
    index.wordings.forEach((wording, number) => {
      const literals = wording.parts.filter((part) => typeof part === "string");
      const sought = wording.role !== "remark" && literals.every(isAscii);
      const there = sought ? telling(literals.join(" "), this.tables) : [];
      this.words.push(there);
      if (!there.length) return;
      const begun = this.begins.get(there[0]) ?? [];
      begun.push(number);
      this.begins.set(there[0], begun);
    });
  }

  /**
   * The symptoms whose wordings stand in these lines nearly, those that tell most first.
   * @param {string} clean
   * @param {string[]} lines
   * @returns {Likely[]}
   */
  find(clean, lines) {
    /** @type {Map<string, {key: [number, number, number], likely: Likely}>} */
    const found = new Map();
    for (const [number, text] of read(lines, this.tables)) {
      const line = telling(text, this.tables);
      for (let start = 0; start < line.length; start++) {
        for (const candidate of this.begins.get(line[start]) ?? []) {
          const matched = this.matched(candidate, line, start);
          if (!matched) continue;
          const wording = this.index.wordings[candidate];
          const told = letters(this.words[candidate].slice(0, matched));
          const whole = matched === this.words[candidate].length;
          const plenty = told >= this.tables.plenty;
          const sought = this.words[candidate].slice(0, matched);
          const alike = sought.every((word, at) => word === line[start + at]);
          const signed = alike && (whole || plenty) && raisedByTorch(wording, text, this.tables);
          if (!this.allowed(wording, signed, whole && plenty, clean)) continue;
          /** @type {[number, number, number]} */
          const key = [Number(whole), told, number];
          const former = found.get(wording.symptom);
          if (former && compare(former.key, key) >= 0) continue;
          const { symptom } = wording;
          found.set(symptom, {
            key,
            likely: { symptom, wording: candidate, line: number, text, whole },
          });
        }
      }
    }
    return [...found.values()].sort((a, b) => compare(b.key, a.key)).map(({ likely }) => likely);
  }

  /**
   * How many words of a wording stand in the line from `start` on; 0 if too few.
   * @param {number} candidate
   * @param {string[]} line
   * @param {number} start
   */
  matched(candidate, line, start) {
    const { between, head_words, head_letters } = this.tables;
    const words = this.words[candidate];
    let [count, skipped, skippedAt, at] = [0, 0, 0, start];
    for (const word of words) {
      while (at < line.length && line[at] !== word && skipped <= between * words.length) {
        at++;
        skipped++;
      }
      if (at >= line.length || line[at] !== word) break;
      at++;
      count++;
      skippedAt = skipped;
    }
    const told = letters(words.slice(0, count));
    if (count === words.length) {
      const enough = count >= this.tables.words && told >= this.tables.letters;
      return enough && this.isOneSymptom(words, true) ? count : 0;
    }
    // What follows may say otherwise, but the piece of a word at the end of what was cut.
    const rest = line.slice(start + count + skippedAt);
    const ends = !rest.length || (rest.length === 1 && words[count].startsWith(rest[0]));
    const cut = ends || told >= this.tables.plenty;
    if (!cut || skippedAt > 1 || count < head_words || told < head_letters) return 0;
    return this.isOneSymptom(words.slice(0, count), false) ? count : 0;
  }

  /**
   * Is there one symptom alone whose wordings begin with these words, or are `whole` they?
   * @param {string[]} words
   * @param {boolean} whole
   */
  isOneSymptom(words, whole) {
    const alike = (this.begins.get(words[0]) ?? [])
      .filter((other) => !whole || this.words[other].length === words.length)
      .filter((other) => words.every((word, at) => word === this.words[other][at]));
    return new Set(alike.map((other) => this.index.wordings[other].symptom)).size === 1;
  }

  /**
   * Do the conditions of the wording hold?
   * @param {WordingEntry} wording
   * @param {boolean} signed
   * @param {boolean} plenty
   * @param {string} clean
   */
  allowed({ near, unless = [] }, signed, plenty, clean) {
    const asks = (unless.length || !plenty) && !signed;
    if (asks && !this.any(["model-code"], clean)) return false;
    return (
      (!near?.length || this.any(near, clean)) && !this.any([...unless, "gpu-programs"], clean)
    );
  }

  /**
   * @param {string[]} names
   * @param {string} clean
   */
  any(names, clean) {
    const { traces } = this.index;
    return names.some((name) => (traces[name] ?? [name]).some((text) => clean.includes(text)));
  }
}

/**
 * Does a line begin with an exception that few others raise, and may the wording have it?
 * @param {WordingEntry} wording
 * @param {string} line
 * @param {LikelyTables} tables
 */
function raisedByTorch({ exception, also = [] }, line, { raised }) {
  const type = printedType(line);
  return raised.includes(type) && [exception ?? type, ...also].includes(type);
}

/**
 * The words of a text that are compared: in small letters, without numbers and sizes.
 * @param {string} text
 * @param {LikelyTables} tables
 */
function telling(text, { alike }) {
  text = ` ${text.replace(/[A-Z]/g, (c) => c.toLowerCase())} `;
  for (const [said, same] of alike) text = text.replaceAll(said, same);
  return wordsOf(text).filter((word) => strip(word, "0123456789x"));
}

/**
 * Numbered lines that may hold a message, cleaned: no frames and no quoted code.
 * @param {string[]} lines
 * @param {LikelyTables} tables
 * @returns {[number, string][]}
 */
function read(lines, { begin, end, long }) {
  /** @type {[number, string][]} */
  const told = [];
  let previous = "";
  for (let number = 0; number < lines.length; number++) {
    if (number === begin) number = Math.max(begin, lines.length - end);
    if (number >= lines.length) break;
    const text = stripPrefix(lines[number].slice(0, long));
    if (text && !isSource(text, previous) && !text.startsWith('File "')) told.push([number, text]);
    previous = text || previous;
  }
  return told;
}

/**
 * @param {number[]} one
 * @param {number[]} other
 */
function compare(one, other) {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at] - other[at];
}
