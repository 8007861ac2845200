// The words of a query in a text, to be marked.

import { HAN, RUN } from "./terms.js";

/** @import { Terms } from "./terms.js" */

/**
 * The text cut into pieces [piece, whether it has one of these terms].
 * @param {string} text
 * @param {Set<string>} wanted
 * @param {Terms} terms
 */
export function marked(text, wanted, terms) {
  /** @type {[string, boolean][]} */
  const pieces = [];
  let last = 0;
  for (const run of text.matchAll(RUN)) {
    const marks =
      run[0] > HAN ? hanMarks(terms.fold(run[0]), wanted) : latinMarks(run[0], wanted, terms);
    for (const [start, end] of marks) {
      pieces.push([text.slice(last, run.index + start), false]);
      pieces.push([text.slice(run.index + start, run.index + end), true]);
      last = run.index + end;
    }
  }
  pieces.push([text.slice(last), false]);
  return pieces.filter(([piece]) => piece);
}

/**
 * [start, end] of the word, if it has one of the terms.
 * @param {string} word
 * @param {Set<string>} wanted
 * @param {Terms} terms
 */
function latinMarks(word, wanted, terms) {
  const met = [...terms.said(word)].some((term) => wanted.has(term));
  return met ? [[0, word.length]] : [];
}

/**
 * [start, end] of each stretch of Chinese that has one of the terms.
 * @param {string} han
 * @param {Set<string>} wanted
 */
function hanMarks(han, wanted) {
  /** @type {[number, number][]} */
  const marks = [];
  for (let at = 0; at < han.length; at++) {
    if (!wanted.has(han.slice(at, at + 2)) && !(han.length === 1 && wanted.has(han))) continue;
    const end = Math.min(at + 2, han.length);
    const last = marks.at(-1);
    if (last && last[1] >= at) last[1] = end;
    else marks.push([at, end]);
  }
  return marks;
}
