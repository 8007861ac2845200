// The search: from a few words to the pages about them. Twin of torchclinic/find/search.py, which
// explains each step; the two agree on every input (tests/search-vectors.json,
// tests/test_search.py). Runs in browsers, workers and Node; touches no page.

import { HAN, isDigits, isLetters, stem } from "./terms.js";

/**
 * @import { Found, FoundPage, Hit, Index, Run } from "./types"
 * @import { SearchTable } from "./search-table.js"
 */

const [LETTERS, WORDS] = [4000, 40];
const TYPED = 12;
const [ALIKE, LONGER, IN_TWO, ONE_SLIP, TWO_SLIPS] = [0.9, 0.7, 0.7, 0.8, 0.6];
const FORMS = 40;
const [FULL, GIVEN, WEAK] = [16, 0.3, 0.6];
const CLOSER = 20;
const SECTIONED = 10;
const [UNKNOWN, UNKNOWN_HAN] = [2, 0.5];
const SHORTEST = 12;
const [NAMED, SHOWN] = [0.3, 0.5];

/**
 * The first characters: what is two units long here is one character in Python.
 * @param {string} text
 */
const beginning = (text) =>
  Array.from(text.slice(0, 2 * LETTERS))
    .slice(0, LETTERS)
    .join("");

/**
 * Pages about the query.
 * @param {SearchTable} table
 * @param {string} query
 */
export const search = (table, query) => new Query(table, query).answer();

/**
 * What was found, with the pages of `stems` first.
 * @param {SearchTable} table
 * @param {Found} found
 * @param {string[]} stems
 * @param {boolean} whole
 * @returns {Found}
 */
export function lead(table, found, stems, whole) {
  if (!stems.length) return found;
  const names = table.docs.map(([id]) => id.slice(id.lastIndexOf("/") + 1));
  const numbers = new Map(names.map((name, number) => [name, number]));
  const wanted = stems.flatMap((stem) => numbers.get(stem) ?? []);
  const hits = new Map(found.hits.map((hit) => [hit.doc, hit]));
  /** @param {number} doc */
  const order = (doc) => (whole ? 0 : -(hits.get(doc)?.score ?? -1));
  const first = [...wanted].sort((a, b) => order(a) - order(b)); // of the same as they stand
  const score = found.hits.length ? found.hits[0].score : 1;
  const leading = first.map((doc) => ({ sections: [], ...hits.get(doc), doc, score }));
  return {
    hits: [...leading, ...found.hits.filter((hit) => !wanted.includes(hit.doc))],
    weak: !leading.length && found.weak,
  };
}

/** One query: its terms, what each weighs, the ways to say it, and what it brings each page. */
export class Query {
  /**
   * @param {SearchTable} table
   * @param {string} text
   */
  constructor(table, text) {
    this.table = table;
    /** @type {string[]} */
    this.terms = [];
    /** From which term to which. @type {{ start: number, end: number, run: Run }[]} */
    this.places = [];
    for (const run of table.reader.runs(beginning(text))) {
      const [start, end] = [this.terms.length, this.terms.length + run.parts.length];
      if (end > WORDS) break;
      this.places.push({ start, end, run });
      this.terms.push(...run.parts);
    }
    this.weights = this.terms.map((term) => table.rarity(term));
    /** @type {[string[], number][][]} */
    this.ways = this.terms.map(() => []);
    /** @type {Map<number, number>[]} */
    this.gains = this.terms.map(() => new Map());
    for (const [at, term] of this.terms.entries()) this.say(at, at + 1, [term], 1);
    for (const { start, end, run } of this.places) this.say(start, end, [run.whole], 1);
    for (const [at, { end, run }] of this.places.slice(1).entries()) {
      const before = this.places[at];
      if (before.run.bare && run.bare)
        this.say(before.start, end, [stem(before.run.bare + run.bare)], 1);
    }
    this.sayOtherwise();
    this.finishWord();
    this.mend();
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {string[]} way
   * @param {number} factor
   */
  say(start, end, way, factor) {
    if (!way.every((term) => this.table.has(term))) return false;
    /** @type {Map<number, number>} */
    let sums = new Map();
    for (const [number, term] of way.entries()) {
      const value = (this.table.rarity(term) * factor) / way.length;
      const next = new Map();
      for (const [doc, level] of this.table.postings(term))
        if (!number || sums.has(doc)) next.set(doc, (sums.get(doc) ?? 0) + value * level);
      sums = next;
    }
    for (let at = start; at < end; at++) {
      this.ways[at].push([way, factor]);
      const gains = this.gains[at];
      for (const [doc, gain] of sums) if (gain > (gains.get(doc) ?? 0)) gains.set(doc, gain);
    }
    return true;
  }

  sayOtherwise() {
    for (const [at, term] of this.terms.entries())
      for (const [member, group] of this.table.alike.get(term) ?? []) {
        if (!member.every((part, offset) => this.terms[at + offset] === part)) continue;
        for (const other of group)
          if (other !== member) this.say(at, at + member.length, other, ALIKE);
      }
  }

  finishWord() {
    const last = this.terms.at(-1) ?? "";
    const known = this.table.has(last);
    if (!last || (last < HAN ? last.length < 3 : known || last.length > 1)) return;
    const longer = this.table.terms.filter((term) => term.startsWith(last) && term !== last);
    for (const term of longer.slice(0, FORMS))
      this.say(this.terms.length - 1, this.terms.length, [term], known ? LONGER / 2 : LONGER);
  }

  mend() {
    for (const [at, term] of this.terms.entries()) {
      if (this.table.has(term) || this.gains[at].size) continue;
      if (term > HAN) {
        const beside = [this.terms[at - 1], this.terms[at + 1]]
          .filter((other) => other && this.table.has(other))
          .join("");
        this.weights[at] *= [...term].filter((c) => !beside.includes(c)).length * UNKNOWN_HAN;
      } else if (isDigits(term)) {
        this.weights[at] /= 4;
      } else if (!this.cut(at, term) && !(this.terms.length <= TYPED && this.slip(at, term))) {
        this.weights[at] *= UNKNOWN;
      }
    }
  }

  /**
   * @param {number} at
   * @param {string} term
   */
  cut(at, term) {
    for (let cut = 3; cut < term.length - 2; cut++)
      if (this.say(at, at + 1, [term.slice(0, cut), stem(term.slice(cut))], IN_TWO)) return true;
    return false;
  }

  /**
   * @param {number} at
   * @param {string} term
   */
  slip(at, term) {
    for (const [most, worth] of [
      [1, ONE_SLIP],
      [2, TWO_SLIPS],
    ]) {
      if (term.length < most * 4 || !isLetters(term)) return false;
      const meant = this.table.terms.filter(
        (other) => other < HAN && other.length > 2 && slips(term, other, most) <= most,
      );
      for (const other of meant) this.say(at, at + 1, [other], worth);
      if (!meant.length) continue;
      if (most === 1)
        this.weights[at] = Math.max(...meant.map((other) => this.table.rarity(other)));
      return true;
    }
    return false;
  }

  /** @returns {Found} */
  answer() {
    let total = 0;
    for (const weight of this.weights) total += weight;
    total ||= 1; // words that every page has
    const docs = [...new Set(this.gains.flatMap((gains) => [...gains.keys()]))];
    const ranked = docs.map((doc) => {
      let [score, covered] = [0, 0];
      for (const [at, gains] of this.gains.entries()) {
        const gain = gains.get(doc) ?? 0;
        score += gain;
        covered += Math.min(gain, this.weights[at] * FULL);
      }
      const coverage = covered / (total * FULL);
      score = score * (GIVEN + (1 - GIVEN) * coverage) * this.table.docs[doc][3];
      return { doc, score, coverage };
    });
    /**
     * @param {FoundPage} a
     * @param {FoundPage} b
     */
    const inOrder = (a, b) => b.score - a.score || a.doc - b.doc;
    ranked.sort(inOrder);
    for (const page of ranked.slice(0, CLOSER)) page.score *= 1 + this.likeness(page.doc, total);
    ranked.sort(inOrder);
    const hits = ranked.map((page, at) => ({
      ...page,
      sections: at < SECTIONED ? this.sections(page.doc, total) : [],
    }));
    return { hits, weak: !hits.length || hits[0].coverage < WEAK };
  }

  /**
   * The weight of what is said, one way or another, by a text with these terms.
   * @param {Set<string>} said
   */
  covered(said) {
    let covered = 0;
    for (const [at, weight] of this.weights.entries()) {
      const ways = this.ways[at].filter(([way]) => way.every((term) => said.has(term)));
      covered += weight * Math.max(0, ...ways.map(([, factor]) => factor));
    }
    return covered;
  }

  /**
   * How much the title or a synonym of a page is like the query: 0 to 1.
   * @param {number} doc
   * @param {number} total
   */
  likeness(doc, total) {
    let best = 0;
    for (const phrase of this.table.phrases(doc)) {
      let whole = total;
      for (const term of phrase) whole += this.table.rarity(term);
      best = Math.max(best, (2 * this.covered(new Set(phrase))) / whole);
    }
    return Math.min(best, 1);
  }

  /**
   * @param {number} doc
   * @param {number} total
   * @returns {[number, boolean][]}
   */
  sections(doc, total) {
    const headings = this.table.texts[doc]?.[1] ?? [];
    const ranked = headings
      .map(([, heading], number) => ({
        number,
        covered: this.covered(this.table.reader.said(heading)),
      }))
      .filter(({ covered }) => covered >= total * NAMED)
      .sort((a, b) => b.covered - a.covered || a.number - b.number);
    return ranked.slice(0, 3).map(({ number, covered }) => [number, covered >= total * SHOWN]);
  }
}

/**
 * Whether the lookup should be asked.
 * @param {string} query
 */
export const mayBeMessage = (query) => (beginning(query).match(/[A-Za-z]{2,}/g) ?? []).length > 2;

/**
 * The stems whose message the query is, or a piece of one.
 * @param {Hit[]} hits the lookup's
 * @param {Index} index the lookup's
 * @param {string} query
 */
export function recognised(hits, index, query) {
  if (hits.length) return [...new Set(hits.map((hit) => hit.symptom))];
  const words = beginning(query)
    .split(/[ \t\r\n]+/)
    .filter(Boolean);
  const needle = words.join(" ").toLowerCase();
  if (/[\u0080-\uffff]/.test(needle) || needle.length < SHORTEST) return [];
  const pieces = index.wordings.filter(({ parts }) =>
    parts.some((part) => typeof part === "string" && part.toLowerCase().includes(needle)),
  );
  return [...new Set(pieces.map((wording) => wording.symptom))];
}

/**
 * Letters added, left out, changed, or swapped with their neighbour.
 * @param {string} one
 * @param {string} other
 * @param {number} most
 */
function slips(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  /** @type {number[]} */
  let before = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const row = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const changed = last[to] + (one[at] === other[to] ? 0 : 1);
      let cost = Math.min(changed, last[to + 1] + 1, row[to] + 1);
      if (at && to && one[at] === other[to - 1] && one[at - 1] === other[to])
        cost = Math.min(cost, before[to - 1] + 1);
      row.push(cost);
    }
    if (Math.min(...row) > most) return most + 1;
    [before, last] = [last, row];
  }
  return last[other.length];
}
