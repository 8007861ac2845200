// The index of the search, ready to be asked. Twin of torchclinic/find/search_table.py.

import { Terms } from "./terms.js";

/** @import { SearchIndex } from "./types" */

export class SearchTable {
  /** Postings of terms that were asked for: a query needs few. @type {Map<string, number[][]>} */
  #decoded = new Map();
  #coded;
  #phrases;

  /** @param {SearchIndex} index */
  constructor(index) {
    this.docs = index.docs;
    this.texts = index.texts ?? []; // a browser is given them later
    this.reader = new Terms(index);
    this.terms = index.terms.split(" ");
    const coded = index.postings.split(" ");
    this.#coded = new Map(this.terms.map((term, at) => [term, coded[at]]));
    this.#phrases = index.phrases;
    this.groups = index.groups.map((group) => group.map((text) => this.reader.of(text)));
    /** First term of a member of a group -> [all its terms, the group]. @type {Map<string, [string[], string[][]][]>} */
    this.alike = new Map();
    for (const group of this.groups)
      for (const member of group)
        this.alike.set(member[0], [...(this.alike.get(member[0]) ?? []), [member, group]]);
  }

  /** @param {string} term */
  has(term) {
    return this.#coded.has(term);
  }

  /**
   * [[document, level]]; none where there is no such term.
   * @param {string} term
   */
  postings(term) {
    let postings = this.#decoded.get(term);
    if (!postings) {
      postings = decode(this.#coded.get(term) ?? "");
      this.#decoded.set(term, postings);
    }
    return postings;
  }

  /** @param {string} term */
  rarity(term) {
    const pages = this.postings(term).length || 1;
    const told = Math.log(1 + (this.docs.length - pages + 0.5) / (pages + 0.5));
    return Math.floor(told * 64 + 0.5) / 64;
  }

  /**
   * The terms of a document's title, and of each of its synonyms.
   * @param {number} doc
   */
  phrases(doc) {
    const codes = this.#phrases[doc].split(" ");
    return [
      this.reader.of(this.docs[doc][2]),
      ...codes.map((code) => numbers(code).map((number) => this.terms[number])),
    ];
  }
}

/** @param {string} code */
const numbers = (code) =>
  Array.from(
    { length: code.length / 2 },
    (_, at) => 90 * (code.charCodeAt(2 * at) - 33) + code.charCodeAt(2 * at + 1) - 33,
  );

/** @param {string} coded */
function decode(coded) {
  const postings = [];
  let doc = 0;
  for (let at = 0; at < coded.length; at++) {
    if (coded[at] === "~") {
      doc += 90;
      continue;
    }
    doc += coded.charCodeAt(at++) - 33;
    postings.push([doc, coded.charCodeAt(at) - 33]);
  }
  return postings;
}
