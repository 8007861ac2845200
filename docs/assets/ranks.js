// Of several processes the one that failed first, and what stops a program from outside. Twin of
// torchclinic/find/ranks.py, which explains each step. Its tables come with the index.

/** @import { Failure, FailingFrame, First, LadderTables, RanksTables } from "./types" */

import { lstrip, strip, stripPrefix } from "./clean.js";
import { exceptionOf, frameOf, parted } from "./failure.js";

/**
 * @typedef {object} Failed
 * @property {number} begin of its traceback, from 0
 * @property {number} line from 0
 * @property {string} rank
 * @property {string} text
 * @property {string} type
 * @property {FailingFrame | null} frame
 */

/** @typedef {{ ranks: RanksTables, ladder: LadderTables }} Tables */

const DIGITS = "0123456789";

/**
 * A text with empty lines for what processes print that only lost another one, which is named; the
 * text as it is, where it is of one process, or does not hold the first one's error.
 * @param {string} clean
 * @param {Tables} tables
 * @returns {[string, First | null]}
 */
export function apart(clean, tables) {
  const { marks, lost: signs, waiting } = tables.ranks;
  if (!marks.some((mark) => clean.includes(mark))) return [clean, null];
  const lines = clean.split("\n");
  const errors = errorsOf(lines, tables).filter(({ type }) => !waiting.includes(type));
  /** @param {Failed} error */
  const isLost = ({ text }) => signs.some((sign) => text.includes(sign));
  const lost = errors.filter(isLost);
  const [root, signal] = rootOf(lines, tables);
  const own = lost.length < errors.length ? errors.filter((error) => !isLost(error)) : signal;
  if (!own.length) return [clean, null];
  const first = own.find(({ rank }) => rank && rank === root) ?? own[0];
  const quiet = new Set(lost.flatMap(({ rank }) => (rank ? [rank] : [])));
  for (const { rank } of own) quiet.delete(rank);
  if (quiet.size) {
    for (let number = 0; number < lines.length; number++)
      if (quiet.has(rankOf(lines[number], tables.ranks))) lines[number] = "";
  }
  for (const { rank, begin, line } of lost) if (!rank) lines.fill("", begin, line + 1);
  const read = lost.length || quiet.size ? lines.join("\n") : clean;
  const { line, text, frame } = first;
  const others = [...quiet].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return [read, { rank: first.rank || root, line: line + 1, text, frame, others }];
}

/**
 * The line that says that someone stopped the program, where nothing in it failed.
 * @param {string} clean
 * @param {Tables} tables
 * @returns {Failure | null}
 */
export function stopped(clean, tables) {
  const { read, stops, waiting } = tables.ranks;
  const { long, signals } = tables.ladder;
  if (!stops.some((sign) => clean.includes(sign))) return null;
  const lines = clean.split("\n");
  const begin = Math.max(0, lines.length - read);
  const texts = lines.slice(begin).map((line) => line.slice(0, long));
  const said = texts.findIndex((line) => stops.some((sign) => line.includes(sign)));
  const errors = errorsOf(lines, tables);
  /** @param {string} line */
  const fails = (line) => line.includes("Error:") && !waiting.some((name) => line.includes(name));
  if (said < 0 || (!errors.length && texts.some(fails))) return null;
  if (errors.some(({ type }) => !waiting.includes(type) && type !== "KeyboardInterrupt"))
    return null;
  if (texts.some((line) => signals.some((word) => line.includes(word)))) return null;
  const text = stripPrefix(texts[said]);
  return { kind: "stopped", line: begin + said + 1, text, type: "", frame: null };
}

/**
 * The number of the process that a launcher put before a line; "" for none.
 * @param {string} line
 * @param {RanksTables} tables
 */
export function rankOf(line, { marks }) {
  const text = lstrip(line.slice(0, 80), " ");
  for (const mark of marks.slice(0, 3)) {
    if (!text.startsWith(mark)) continue;
    const inside = strip(text.slice(mark.length).split("]", 1)[0], " ");
    return inside && !strip(inside, DIGITS) ? inside : "";
  }
  return "";
}

/**
 * The exceptions that end tracebacks, in order; each process prints its own lines in order.
 * @param {string[]} lines
 * @param {Tables} tables
 */
function errorsOf(lines, tables) {
  const { read, head, tall } = tables.ranks;
  /** @type {number[]} */
  let heads = [];
  for (let number = Math.max(0, lines.length - read); number < lines.length; number++)
    if (lines[number].includes(head)) heads.push(number);
  /** @type {Failed[]} */
  const errors = [];
  /** @type {Map<string, number>} */
  const begins = new Map();
  /** @type {Map<string, FailingFrame>} */
  const frames = new Map();
  /** @type {Map<string, string>} */
  const previous = new Map();
  let at = 0;
  while (heads.length || begins.size) {
    if (!begins.size || at - Math.max(...begins.values()) > tall) {
      begins.clear();
      const from = at;
      heads = heads.filter((number) => number >= from);
      if (!heads.length) break;
      at = heads[0];
    }
    if (at >= lines.length) break;
    const rank = rankOf(lines[at], tables.ranks);
    const text = stripPrefix(lines[at].slice(0, tables.ladder.long));
    const begin = begins.get(rank);
    if (text.startsWith(head)) {
      begins.set(rank, at);
      frames.delete(rank);
    } else if (begin !== undefined && text.startsWith('File "')) {
      const frame = frameOf(text, tables.ladder);
      if (!frame.library && !frame.file.includes("/lib/python")) frames.set(rank, frame);
    } else if (begin !== undefined) {
      const type = exceptionOf(text, previous.get(rank) ?? "");
      if (type) begins.delete(rank);
      if (type && !type.endsWith("Warning"))
        errors.push({ begin, line: at, rank, text, type, frame: frames.get(rank) ?? null });
    }
    previous.set(rank, text || (previous.get(rank) ?? ""));
    at += 1;
  }
  return errors;
}

/**
 * The rank that torchrun's summary calls the first that failed, "" for none; and the signal that
 * ended it, where it was one.
 * @param {string[]} lines
 * @param {Tables} tables
 * @returns {[string, Failed[]]}
 */
function rootOf(lines, { ranks: { read, root, signal, abort }, ladder: { long } }) {
  let told = false;
  let rank = "";
  for (let line = Math.max(0, lines.length - read); line < lines.length; line++) {
    told ||= lines[line].includes(root);
    if (!told) continue;
    const [name, value] = parted(lines[line].slice(0, long), ":").map((part) => strip(part, " "));
    if (name === "rank") {
      const number = value.split(" ", 1)[0];
      rank = strip(number, DIGITS) ? "" : number;
    } else if (name === "traceback") {
      if (!value.startsWith(signal) || value.includes(abort)) return [rank, []];
      return [rank, [{ begin: line, line, rank, text: value, type: "", frame: null }]];
    }
  }
  return [rank, []];
}
