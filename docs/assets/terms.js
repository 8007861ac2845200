// Terms: what the words of a text are to the search. Twin of torchclinic/find/terms.py, which
// explains each step.

/** @import { Run, SearchIndex } from "./types" */

const LONGEST = 40;
export const RUN = /[A-Za-z0-9_]+|[\u3400-\u9fff]+/g;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const MARKS = /[\u0300-\u036f]/g;
const HAN_CHARACTER = /[\u3400-\u9fff]/g;
export const HAN = "{"; // above every Latin term, below every Chinese one

/** @param {string} word */
export const isLetters = (word) => /^[a-z]+$/.test(word);
/** @param {string} word */
export const isDigits = (word) => /^[0-9]+$/.test(word);
/** @param {string} word */
const isSmall = (word) => word.length === 1 || (word.length === 2 && isDigits(word));

/**
 * A word without the commonest English endings.
 * @param {string} word
 */
export function stem(word) {
  if (word.length < 4 || !isLetters(word)) return word;
  if (word.endsWith("ies") && word.length > 4) word = `${word.slice(0, -3)}y`;
  else if (word.endsWith("sses")) word = word.slice(0, -2);
  else if (word.endsWith("s") && !(word.length === 4 ? "si" : "siu").includes(word.slice(-2, -1)))
    word = word.slice(0, -1);
  for (const ending of ["ing", "ed"]) {
    const rest = word.endsWith(ending) ? word.slice(0, -ending.length) : word;
    if (rest === word || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    const [before, last] = rest.slice(-2);
    word = last === before && !"lsz".includes(last) ? rest.slice(0, -1) : rest;
    break;
  }
  if ((word.endsWith("sion") || word.endsWith("tion")) && word.length > 5) word = word.slice(0, -3);
  if (word.length > 4 && word.endsWith("e")) word = word.slice(0, -1);
  if (word.endsWith("izat") || word.endsWith("isat")) word = word.slice(0, -2);
  return word.length > 4 && word.endsWith("is") ? `${word.slice(0, -2)}iz` : word;
}

/** What reads words, with the tables that an index brings. */
export class Terms {
  /** @param {Pick<SearchIndex, "traditional" | "stop">} index */
  constructor({ traditional: [old, simplified], stop: [words, han] }) {
    this.traditional = new Map(Array.from(old, (c, at) => [c, simplified[at]]));
    this.stop = new Set(words.split(" "));
    this.stopHan = new RegExp(han, "g");
  }

  /** @param {string} text */
  fold(text) {
    const plain = text.normalize("NFKD").replace(MARKS, "");
    return plain.replace(HAN_CHARACTER, (c) => this.traditional.get(c) ?? c);
  }

  /**
   * The words of a text without stop words.
   * @param {string} text
   */
  runs(text) {
    /** @type {Run[]} */
    const found = [];
    for (const run of this.fold(text).match(RUN) ?? []) {
      if (run > HAN) {
        for (const piece of run.replace(this.stopHan, " ").split(" ").filter(Boolean))
          found.push({ parts: pairs(piece), whole: "", bare: "", written: piece });
        continue;
      }
      const bare = run.replaceAll("_", "").slice(0, LONGEST).toLowerCase();
      if (!bare || this.stop.has(bare) || isSmall(bare)) continue;
      const parts = (run.slice(0, 2 * LONGEST).match(PART) ?? []).map((part) => part.toLowerCase());
      const told = parts.filter((part) => part.length > 2 && !this.stop.has(part)).map(stem);
      if (parts.length > 1 && told.length)
        found.push({ parts: told, whole: stem(bare), bare, written: run });
      else found.push({ parts: [stem(bare)], whole: "", bare, written: run });
    }
    return found;
  }

  /**
   * The terms of a text in order, without wholes.
   * @param {string} text
   */
  of(text) {
    return this.runs(text).flatMap(({ parts }) => parts);
  }

  /**
   * All terms of a text, each once.
   * @param {string} text
   */
  said(text) {
    return new Set(this.runs(text).flatMap(({ parts, whole }) => [...parts, whole]));
  }
}

/**
 * The pairs of neighbours of Chinese characters; one alone as it is.
 * @param {string} han
 */
const pairs = (han) =>
  han.length > 1 ? Array.from({ length: han.length - 1 }, (_, at) => han.slice(at, at + 2)) : [han];
