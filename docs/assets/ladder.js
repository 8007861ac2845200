// What is said of a text where no wording is printed in it as it is: rung by rung, never surer.
// Twin of torchclinic/find/ladder.py and about.py, which explain each step.

/** @import { AboutTables, Answer, Failure, Hit, Index, Likely, LadderTables } from "./types" */

import { isSource, normalise, oneKindOfLineEnd, printedType, stripPrefix } from "./clean.js";
import { lastFailure, parted } from "./failure.js";
import { Likeness } from "./likely.js";
import { liveApart } from "./live.js";
import { lookup, often, shown } from "./lookup.js";
import { Pasted } from "./pasted.js";
import { apart, stopped } from "./ranks.js";

/** @type {WeakMap<Index, Likeness>} */
const likenesses = new WeakMap();

/**
 * What `lookup` answers, with its rung; where that is nothing, the next lower rung.
 * @param {Index} index
 * @param {string} text
 * @param {(text: string) => Promise<object | null> | object | null} origin
 * @param {(query: string) => Promise<[string[], boolean]> | [string[], boolean]} search
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
  if (end) {
    const nothing = { status: "none", hits: [], looked_for: "", report: "", neighbours: [] };
    return { ...answer, .../** @type {Answer} */ (nothing), rung: "other", failure: end };
  }
  if (answer.hits.length) return { ...answer, rung: "sure" };
  const failure = lastFailure(first ? lines.slice(0, first.line) : lines, ladder);
  const message = failure?.kind === "cut" ? raised(failure.text) : "";
  if (failure && message) {
    const told = lookup(index, `${text}\n${message}`);
    if (told.hits.length && told.hits[0].line > lines.length) {
      Object.assign(told.hits[0], { line: failure.line, raw: failure.text });
      return { ...told, rung: "likely" };
    }
  }
  if (!likenesses.has(index)) likenesses.set(index, new Likeness(index));
  const alike = likenesses.get(index)?.find(clean, lines) ?? [];
  /** @param {Likely} likely */
  const wraps = ({ wording }) => index.wordings[wording].role === "wrapper";
  const near = first ? alike.filter((likely) => !wraps(likely)) : alike; // it is in the text
  if (near.length) {
    const hits = near.slice(0, 3).map((likely) => hitOf(index, likely, new Pasted(clean)));
    return { ...answer, status: "likely", hits, rung: "likely" };
  }
  if (failure?.kind === "cut")
    return { ...answer, rung: "cut", failure, about: await about(lines, tables, search) };
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

/** `RuntimeError: text` of a line `raise RuntimeError("text")`; "" of any other. @param {string} code */
function raised(code) {
  if (!code.startsWith("raise ")) return "";
  const [name, rest] = parted(code.slice("raise ".length), "(");
  const literal = rest.replace(/^[frbu]+/, "");
  const text = /^["']/.test(literal) ? parted(literal.slice(1), literal[0])[0] : "";
  return text ? `${name}: ${text}` : "";
}

/**
 * @param {Index} index
 * @param {Likely} likely
 * @param {Pasted} pasted
 * @returns {Hit}
 */
function hitOf(index, { symptom, wording, line, text }, pasted) {
  const { topic, title, recover = "" } = index.symptoms[symptom];
  const { parts, exception = "" } = index.wordings[wording];
  const most = often(index, wording, pasted);
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
 * @param {(query: string) => Promise<[string[], boolean]> | [string[], boolean]} search
 */
export async function about(lines, tables, search) {
  /** @type {Map<string, number>} */
  const scores = new Map();
  const signed = lines.some((line) => tables.signs.some((sign) => line.includes(sign)));
  for (const query of queries(lines, tables)) {
    const [pages, weak] = await search(query);
    if (weak && !signed) continue;
    pages.slice(0, tables.counted).forEach((page, place) => {
      scores.set(page, (scores.get(page) ?? 0) + (weak ? tables.weak : 1) / (1 + place));
    });
  }
  const order = [...scores].sort(([, one], [, other]) => other - one);
  return order.slice(0, tables.named).map(([page]) => page);
}

/**
 * The lines that say most of a text: the first, the second, and the last two of an error.
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
  const chosen = [prose[0], typed.at(-1), spoken.at(-1), prose[1]];
  return [...new Set(chosen.flatMap((text) => (text ? [text.slice(0, tables.long)] : [])))];
}
