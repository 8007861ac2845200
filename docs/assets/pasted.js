// A pasted text, cleaned, and what is asked of it again and again. Twin of
// torchclinic/find/pasted.py.

/** @import { PastedTables } from "./types" */

import { printedType, startsWithAny, stripPrefix } from "./clean.js";

const TRIPLES = 1 << 18; // of bytes, hashed; a power of two
const SHORT = 10_000; // bytes of a text that is searched sooner than its triples are read

export class Pasted {
  /** @param {string} text cleaned */
  constructor(text) {
    this.text = text;
    this.starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
      this.starts.push(at + 1);
    /** @type {Uint8Array | null} */
    this.encoded = null;
    /** @type {Uint8Array | null} */
    this.triples = null;
    /** @type {Map<string, boolean>} */
    this.said = new Map();
    /** @type {string | null} */
    this.places = null;
  }
  /** Its number of lines. */
  get length() {
    return this.starts.length;
  }
  /** @param {number} number */
  end(number) {
    return number + 1 < this.starts.length ? this.starts[number + 1] - 1 : this.text.length;
  }
  /** A line. @param {number} number */
  get(number) {
    return this.text.slice(this.starts[number], this.end(number));
  }
  /** @param {number} at */
  numberAt(at) {
    return bisect(this.starts, at) - 1;
  }

  /** In UTF-8: bytes are read faster than characters. */
  get bytes() {
    this.encoded ??= new TextEncoder().encode(this.text);
    return this.encoded;
  }

  /** Does this stand in the text? @param {string} text */
  says(text) {
    let answer = this.said.get(text);
    if (answer === undefined) {
      answer = this.maySay(text) && this.text.includes(text);
      this.said.set(text, answer);
    }
    return answer;
  }

  /** False where a triple of its bytes stands nowhere. @param {string} text */
  maySay(text) {
    if (this.bytes.length < SHORT) return true;
    this.triples ??= triplesOf(this.bytes);
    const bytes = new TextEncoder().encode(text);
    for (let at = 2; at < bytes.length; at++) if (!this.triples[tripleAt(bytes, at)]) return false;
    return true;
  }

  /** The lines of tracebacks that name a place, each with the line of code below it.
   * @param {PastedTables} tables */
  frames(tables) {
    this.places ??= this.framed(tables).join("\n");
    return this.places;
  }

  /** @param {PastedTables} tables */
  framed({ places, frames }) {
    /** @type {Set<number>} */
    const marked = new Set();
    for (const mark of places) {
      for (let at = this.text.indexOf(mark); at >= 0; ) {
        const number = this.numberAt(at);
        marked.add(number);
        at = this.text.indexOf(mark, this.end(number));
      }
    }
    /** @type {Map<string, boolean>} */
    const kinds = new Map(); // line -> does it name a place?
    const kept = [];
    for (const number of [...marked].sort((a, b) => a - b)) {
      const line = this.get(number);
      let named = kinds.get(line);
      if (named === undefined) {
        const text = stripPrefix(line);
        named = startsWithAny(text, frames) || text.includes(places[places.length - 1]);
        kinds.set(line, named);
      }
      if (!named) continue;
      kept.push(line);
      if (number + 1 >= this.length || marked.has(number + 1)) continue;
      const below = this.get(number + 1);
      if (!printedType(stripPrefix(below))) kept.push(below);
    }
    return kept;
  }
}

/** @param {Uint8Array} bytes */
function triplesOf(bytes) {
  const triples = new Uint8Array(TRIPLES);
  let triple = 0; // as tripleAt has it, of which the last one holds two bytes
  for (let at = 0; at < bytes.length; at++) {
    triple = ((triple << 6) ^ bytes[at]) & (TRIPLES - 1);
    triples[triple] = 1;
  }
  return triples;
}

/** The number of the triple that ends here. @param {Uint8Array} bytes @param {number} at */
const tripleAt = (bytes, at) =>
  ((bytes[at - 2] << 12) ^ (bytes[at - 1] << 6) ^ bytes[at]) & (TRIPLES - 1);

/**
 * How many of the ascending `values` are at most `value`.
 * @param {number[]} values
 * @param {number} value
 */
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
