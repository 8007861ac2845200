// What is said of a text where no wording is printed in it as it is: rung by rung, never surer.
// Twin of torchclinic/find/ladder.py and about.py, which explain each step.

/** @import { AboutTables, Answer, Failure, Hit, Index, Likely, LadderTables, Pages } from "./types" */

import {
  isSource,
  normalise,
  oneKindOfLineEnd,
  printedType,
  stripPrefix,
  wordsOf,
} from "./clean.js";
import { lastFailure, parted } from "./failure.js";
import { Likeness } from "./likely.js";
import { liveApart } from "./live.js";
import { lookup, often, shown } from "./lookup.js";
import { apart, stopped } from "./ranks.js";

/** @type {WeakMap<Index, Likeness>} */
const likenesses = new WeakMap();

/**
 * What `lookup` answers, with its rung; where that is nothing, the next lower rung.
 * @param {Index} index
 * @param {string} text
 * @param {(text: string) => Promise<object | null> | object | null} origin
 * @param {(query: string) => Promise<Pages> | Pages} search
 * @returns {Promise<Answer>}
 */
export async function climb(index, text, origin, search) {
  const answer = lookup(index, text);
  if (!["none", "match", "ambiguous"].includes(answer.status)) return { ...answer, rung: "none" };
  if (answer.hang) return { ...answer, rung: "sure" };
  if (answer.hits.some(({ why }) => why[0] !== "wrapper")) return { ...answer, rung: "sure" };
  const { ladder, about: tables } = index.tables;
  const [whole] = liveApart(normalise(oneKindOfLineEnd(text)));
  const [clean, first] = apart(whole, index.tables);
  const lines = clean.split("\n");
  const end = stopped(clean, index.tables);
  const nothing = /** @type {Answer} */ ({ status: "none", hits: [], looked_for: "" });
  Object.assign(nothing, { report: "" });
  if (end) return { ...answer, ...nothing, rung: "other", failure: end };
  if (answer.hits.length) return { ...answer, rung: "sure" };
  const failure = lastFailure(first ? lines.slice(0, first.line) : lines, ladder);
  const message = failure ? unsaid(lines, failure) : "";
  if (failure && message) {
    const told = lookup(index, `${text}\n${message}`);
    if (told.hits.length && told.hits[0].line > lines.length) {
      Object.assign(told.hits[0], { line: failure.line, raw: failure.text });
      return { ...told, rung: "likely" };
    }
  }
  if (!likenesses.has(index)) likenesses.set(index, new Likeness(index));
  const unheard = new Set();
  if (first) unheard.add("wrapper"); // what is wrapped is in the text
  if (failure?.kind === "exception") unheard.add("symptom"); // the program ended of that
  const alike = likenesses.get(index)?.find(clean, lines) ?? [];
  const near = alike.filter(({ wording }) => !unheard.has(index.wordings[wording].role));
  if (near.length) {
    const hits = near.slice(0, 3).map((likely) => hitOf(index, likely));
    return { ...answer, status: "likely", hits, rung: "likely" };
  }
  if (failure?.kind === "cut") {
    return { ...answer, rung: "cut", failure, about: await about(lines, tables, search) };
  }
  const source = await origin(first ? clean : text);
  if (source) return { ...answer, status: "origin", origin: source, rung: "origin" };
  if (failure && isOfAnother(failure, ladder)) return { ...answer, rung: "other", failure };
  const pages = await about(lines, tables, search);
  return { ...answer, rung: pages.length ? "about" : "none", about: pages };
}

/**
 * @param {Failure} failure
 * @param {LadderTables} tables
 */
function isOfAnother({ kind, frame }, { ours }) {
  return kind === "exception" && frame !== null && !ours.includes(frame.library);
}

/**
 * The message that a text lacks and its last line of code tells; "" where it tells none.
 * @param {string[]} lines
 * @param {Failure} failure
 */
function unsaid(lines, { kind, text, line }) {
  if (kind === "cut") return raised(text);
  const name = text.slice(text.lastIndexOf(".") + 1).replace(/[: ]+$/, "");
  if (name !== "AssertionError") return "";
  const above = lines.slice(Math.max(0, line - 4), line - 1).map(stripPrefix);
  const code = above.findLast((said) => /[^^~ .]/.test(said)) ?? "";
  return code.startsWith("assert ") ? raised(code) : "";
}

/** `RuntimeError: text` of a line `raise RuntimeError("text")`; "" of any other. @param {string} code */
function raised(code) {
  if (code.startsWith("assert ")) return `AssertionError: ${code}`;
  if (!code.startsWith("raise ")) return "";
  const [name, rest] = parted(code.slice("raise ".length), "(");
  const literal = rest.replace(/^[frbu]+/, "");
  const text = /^["']/.test(literal) ? parted(literal.slice(1), literal[0])[0] : "";
  return text ? `${name}: ${text}` : "";
}

/**
 * @param {Index} index
 * @param {Likely} likely
 * @returns {Hit}
 */
function hitOf(index, { symptom, wording, line, text }) {
  const { topic, title, recover = "" } = index.symptoms[symptom];
  const { parts, exception = "" } = index.wordings[wording];
  const most = often(index, wording);
  return {
    ...{ symptom, topic, title, recover, line: line + 1, raw: text, wording: shown(parts) },
    ...{ exception, values: {}, why: ["likely"], cause: null, seen_in: [] },
    ...{ often: most, row: most?.row ?? "" },
  };
}

/**
 * At most three pages that the text may be about, best first: never a match.
 * @param {string[]} lines
 * @param {AboutTables} tables
 * @param {(query: string) => Promise<Pages> | Pages} search
 */
export async function about(lines, tables, search) {
  /** @type {Map<string, number>} */
  const scores = new Map();
  const signs = [...tables.signs, ...tables.trouble];
  const signed = lines.some((line) => signs.some((sign) => line.includes(sign)));
  for (const query of queries(lines, tables)) {
    const [pages, weak] = await search(query);
    if (weak && !signed) continue;
    for (const [page, score] of pages.slice(0, tables.counted))
      scores.set(page, (scores.get(page) ?? 0) + score);
  }
  const order = [...scores].sort(([, one], [, other]) => other - one);
  return order.slice(0, tables.named).map(([page]) => page);
}

/**
 * What says most of a text: its first lines, each and together, the last two of an error, and what
 * is quoted.
 * @param {string[]} lines
 * @param {AboutTables} tables
 */
function queries(lines, tables) {
  const prose = [];
  let previous = "";
  for (let number = 0; number < lines.length; number++) {
    if (number === tables.begin) number = Math.max(tables.begin, lines.length - tables.end);
    if (number >= lines.length) break;
    const text = stripPrefix(lines[number]);
    const frame = tables.frames.some((start) => text.startsWith(start));
    if (text && !frame && !isSource(text, previous)) prose.push(text);
    previous = text || previous;
  }
  const typed = prose.filter((text) => printedType(text));
  const spoken = prose.filter((text) => tables.errors.some((word) => text.includes(word)));
  const said = prose
    .slice(0, tables.quoted)
    .flatMap((text) => quotes(text.slice(0, 4 * tables.long), tables));
  const chosen = [prose[0], typed.at(-1), spoken.at(-1), prose[1], ...said.slice(0, tables.quoted)];
  if (!typed.length) {
    const sentences = prose.slice(1).flatMap((text) => {
      const cut = text.slice(0, 4 * tables.long);
      return tables.stops.reduce((told, stop) => told.replaceAll(stop, "\n"), cut).split("\n");
    });
    const told = sentences.find((one) => tables.trouble.some((word) => one.includes(word)));
    if (told && !prose[1].startsWith(told)) chosen.push(told);
  }
  const whole = prose
    .slice(0, tables.together)
    .join(" ")
    .slice(0, 2 * tables.long);
  const asked = [...chosen.flatMap((text) => (text ? [text.slice(0, tables.long)] : [])), whole];
  return [...new Set(asked)].filter((text) => text);
}

/**
 * What stands between two marks of a line: a message that its writer quotes.
 * @param {string} text
 * @param {AboutTables} tables
 */
function quotes(text, { marks, outside, words }) {
  const found = [];
  let at = 0;
  /** @param {number} place */
  const isOutside = (place) => outside.includes(text.charAt(place));
  while (at < text.length) {
    const opens = marks.includes(text[at]) && isOutside(at - 1);
    const end = opens ? text.indexOf(text[at], at + 1) : -1;
    if (end < 0 || !isOutside(end + 1)) {
      at++;
      continue;
    }
    const inside = text.slice(at + 1, end);
    if (wordsOf(inside).length >= words) found.push(inside);
    at = end + 1;
  }
  return found;
}
