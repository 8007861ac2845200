// The lookup: from pasted text to the symptom whose words it prints. Twin of
// torchclinic/find/lookup.py and rank.py, which explain each step; the two agree on every input
// (tests/vectors.json, tests/test_twins.py). Runs in browsers, workers and Node; touches no page.

/**
 * @import {
 *   Advice, Answer, Cause, CauseEntry, Hit, Index, Occurrence, Often, Packed, Part, RollCall
 * } from "./types"
 */

import {
  adopt,
  isBinary,
  normalise,
  oneKindOfLineEnd,
  printedType,
  redact,
  strip,
  stripPrefix,
  wordsOf,
} from "./clean.js";
import { holds } from "./condition.js";
import { familyOf, inCudaWords } from "./devices.js";
import { fails } from "./failure.js";
import { rollCall } from "./hang.js";
import { liveApart } from "./live.js";
import { occurrences } from "./match.js";
import { bisect, Pasted } from "./pasted.js";
import { apart as ranksApart } from "./ranks.js";

const MESSAGE = 300; // characters of the reader's line that its page is told

/** @param {unknown} part @returns {part is string} */
const isText = (part) => typeof part === "string";

/**
 * The index that a file of the site holds, which has the wordings in columns; see `_columns` of
 * torchclinic/content/index.py.
 * @param {Packed} packed
 * @returns {Index}
 */
export function unpack({ wordings: { symptom, parts, places, ...sparse }, ...rest }) {
  const stems = Object.keys(rest.symptoms);
  const names = symptom.flatMap((many, at) => Array(many).fill(stems[at]));
  const wordings = parts.map((of, number) => ({ symptom: names[number], parts: of }));
  for (const [name, entries] of Object.entries(sparse)) {
    let number = 0;
    for (const [further, value] of /** @type {[number, unknown][]} */ (entries)) {
      number += further;
      Object.assign(wordings[number], { [name]: value });
    }
  }
  /** @type {Record<string, number[]>} */
  const anchors = Object.create(null);
  for (const [number, of] of places.entries()) {
    const words = wordsOf(parts[number].filter(isText).join(" "));
    for (const place of of) (anchors[words[place]] ??= []).push(number);
  }
  for (const entry of Object.values(rest.symptoms)) entry.title = {}; // until it is told
  return { ...rest, wordings, anchors };
}

/**
 * Which symptom does this text print?
 * @param {Index} index what torchclinic/content/index.py makes
 * @param {string} text anything; it is only ever read
 * @returns {Answer}
 */
export function lookup(index, text) {
  adopt(index.tables.clean);
  const raw = oneKindOfLineEnd(text);
  if (isBinary(raw)) return { status: "binary", hits: [], looked_for: "" };
  const [whole, live] = liveApart(normalise(raw));
  const [clean, first] = ranksApart(whole, index.tables);
  if (!strip(clean, " \n")) return { status: "empty", hits: [], looked_for: "" };
  const { pasted, read, device } = readBy(index, clean);
  const [told, harmless] = apart(index, read, pasted);
  const { roles } = index.tables.rank;
  // What is wrapped is in the text, and no page knows it.
  const raised = first && !first.text.startsWith(index.tables.ranks.signal);
  const wrapped = raised && told.every(({ role }) => roles[role] === "wrapper");
  const candidates = wrapped ? [] : told;
  const named = first?.rank ? { first } : {};
  const call = rollCall(whole, index.tables);
  if (!candidates.length) {
    const line = first ? first.text : lookedFor(index, pasted);
    const told = { looked_for: line, report: redact(line), harmless };
    return called(index, { status: "none", hits: [], ...told, ...named }, call);
  }
  const rawLines = new Pasted(raw);
  const stems = new Set(candidates.map(({ symptom }) => symptom));
  const hits = candidates.map((candidate) => {
    const { values, every, symptom, line } = candidate;
    if (live) Object.assign(values, live.values);
    const facts = { pasted, values, every, stems, live, tables: index.tables };
    const cause = causeOf(index.symptoms[symptom].causes ?? [], facts);
    const hit = hitOf(index, candidate, candidates, rawLines.get(line - 1), cause);
    return device ? { ...hit, device: device.id } : hit;
  });
  const status = isAmbiguous(candidates) ? "ambiguous" : "match";
  return called(index, { status, hits, looked_for: "", harmless, ...named }, call);
}

/**
 * A text, what it prints, and the family of its device: one that no page knows by its own words is
 * read in CUDA's.
 * @param {Index} index
 * @param {string} clean
 */
function readBy(index, clean) {
  const pasted = new Pasted(clean);
  const read = ranked(index, occurrences(index, pasted), pasted);
  const device = familyOf(index.devices, pasted);
  const { roles } = index.tables.rank;
  if (!device || read.some(({ role }) => roles[role] === "cause")) return { pasted, read, device };
  const other = inCudaWords(device, clean);
  const translated = new Pasted(other);
  const told = other === clean ? [] : ranked(index, occurrences(index, translated), translated);
  return told.length ? { pasted: translated, read: told, device } : { pasted, read, device };
}

/**
 * The answer with the roll-call of a program that hangs: its page comes first, unless the text
 * prints an error of its own.
 * @param {Index} index
 * @param {Answer} given
 * @param {RollCall | null} call
 * @returns {Answer}
 */
function called(index, given, call) {
  if (!call) return given;
  const { symptom: stem, row } = call.verdict;
  const { hits } = given;
  const answer = { ...given, hang: call };
  if (hits.some(({ why }) => why[0] === "cause")) return answer;
  const symptom = index.symptoms[stem];
  if (!stem || !symptom) return { ...answer, status: "none", hits: [], report: "" };
  const { topic, title, recover = "", causes = [] } = symptom;
  /** @type {Hit} */
  const made = {
    ...{ symptom: stem, topic, title, recover, line: 1, raw: "", wording: "", exception: "" },
    ...{ values: {}, why: ["symptom"], cause: null, often: null, row: "", seen_in: [] },
  };
  let own = hits.find((hit) => hit.symptom === stem) ?? made;
  if (causes.some((one) => one.row === row) && !own.cause) own = { ...own, often: null, row };
  return { ...answer, status: "match", hits: [own, ...hits.filter((hit) => hit.symptom !== stem)] };
}

/**
 * What failed, and the warnings beside it that stopped nothing: these are an answer only where
 * nothing failed.
 * @param {Index} index
 * @param {Candidate[]} candidates
 * @param {Pasted} pasted
 * @returns {[Candidate[], {symptom: string, line: number}[]]}
 */
function apart(index, candidates, { text }) {
  const { rank, ladder } = index.tables;
  /** @param {Candidate} candidate */
  const isRemark = ({ role }) => rank.roles[role] === "remark";
  const remarks = candidates.filter(isRemark);
  const told = candidates.filter((candidate) => !isRemark(candidate));
  if (told.length || (remarks.length && fails(text.split("\n"), ladder)))
    return [told, remarks.map(({ symptom, line }) => ({ symptom, line }))];
  return [candidates, []];
}

/**
 * Give an index what is said of its symptoms, which is a file of its own.
 * @param {Index} index
 * @param {Record<string, Advice>} advice
 */
export function tell(index, advice) {
  for (const [stem, of] of Object.entries(advice)) Object.assign(index.symptoms[stem], of);
  index.told = true;
}

/**
 * The first row whose condition holds; only where none does, the first that is likely.
 * @param {CauseEntry[]} causes
 * @param {Parameters<typeof holds>[1]} facts
 * @returns {Cause | null}
 */
function causeOf(causes, facts) {
  for (const leaning of [false, true]) {
    for (const row of causes) {
      const tree = leaning ? row.likely : row.if;
      if (tree && holds(tree, facts))
        return { row: row.row, case: row.case ?? "", title: row.title, leaning };
    }
  }
  return null;
}

/**
 * The row that most readers of a wording are served by; null where no table of causes is.
 * @param {Index} index
 * @param {number} wording
 * @returns {Often | null}
 */
export function often({ symptoms, wordings }, wording) {
  const { symptom } = wordings[wording];
  const { often: met = [], causes = [] } = symptoms[symptom];
  const first = wordings.findIndex((entry) => entry.symptom === symptom);
  const [number, ...threads] = met[met.length > 1 ? wording - first : 0] ?? [];
  if (number === undefined) return null;
  const { row, case: name = "", title } = causes[number];
  return { row, case: name, title, threads };
}

/**
 * @param {Index} index
 * @param {Candidate} candidate
 * @param {Candidate[]} candidates
 * @param {string} raw
 * @param {Cause | null} cause
 * @returns {Hit}
 */
function hitOf(index, candidate, candidates, raw, cause) {
  const symptom = index.symptoms[candidate.symptom];
  const others = candidates.filter((other) => other !== candidate);
  const why = [index.tables.rank.roles[candidate.role]];
  if (candidate.outranks) why.push("outranks");
  why.push(candidate.agrees ? "type" : "other-type");
  if (candidate.warning) why.push("warning");
  if (!candidate.block && others.some((other) => other.block)) why.push("first-of-chain");
  const most = cause ? null : often(index, candidate.number);
  return {
    symptom: candidate.symptom,
    topic: symptom.topic,
    title: symptom.title,
    recover: symptom.recover ?? "",
    line: candidate.line,
    raw,
    wording: candidate.wording,
    exception: candidate.exception,
    values: candidate.values,
    why,
    cause,
    often: most,
    row: (cause ?? most)?.row ?? "",
    seen_in: others.filter(({ role }) => role > candidate.role).map(({ symptom }) => symptom),
  };
}

/**
 * The sentence of the cause, else of the symptom, with the user's own values; "" where the paste
 * does not hold them.
 * @param {Index} index
 * @param {Hit} hit
 * @param {string} language
 */
export function diagnose(index, hit, language) {
  const symptom = index.symptoms[hit.symptom];
  const noun = index.devices.find(({ id }) => id === hit.device)?.noun ?? "GPU";
  const row = hit.cause && symptom.causes?.find(({ row }) => row === hit.cause?.row);
  const ofCause = row?.say?.[language];
  for (const sentence of [ofCause, ...(symptom.diagnosis?.[language] ?? [])]) {
    if (!sentence) continue;
    const pieces = sentence.replaceAll("}", "{").split("{");
    if (pieces.every((piece, at) => at % 2 === 0 || Object.hasOwn(hit.values, piece)))
      return pieces
        .map((piece, at) => (at % 2 ? hit.values[piece] : piece.replaceAll("GPU", noun)))
        .join("");
  }
  return "";
}

/**
 * What the page of a hit is told: its values, its cause, the other hits, the family of the reader's
 * device and the line travel in the fragment, which no browser sends to a server; symptom.js shows
 * them there.
 * @param {Hit} hit
 * @param {Hit[]} hits
 */
export function fragment(hit, hits) {
  const stems = hits.map(({ symptom }) => symptom).filter((symptom) => symptom !== hit.symptom);
  const others = [...new Set(stems)].slice(0, 5);
  const also = others.length ? `&also=${others.join(",")}` : "";
  const cause = hit.cause ? `&${hit.cause.leaning ? "lean" : "cause"}=${hit.cause.row}` : "";
  const device = hit.device ? `&on=${hit.device}` : "";
  const message = encodeURIComponent(hit.raw.trim().slice(0, MESSAGE));
  const values = encodeURIComponent(JSON.stringify(hit.values));
  return `#v=${values}${cause}${also}${device}&m=${message}`;
}

/**
 * A symptom that a text prints: where it is told best, and what all its prints tell.
 * @typedef {object} Candidate
 * @property {string} symptom
 * @property {number} line from 1
 * @property {number} number of the wording in the index
 * @property {string} wording
 * @property {string} exception
 * @property {Record<string, string>} values
 * @property {Record<string, string[]>} every
 * @property {number} role
 * @property {boolean} warning
 * @property {boolean} agrees
 * @property {number} block
 * @property {number} letters
 * @property {number} rank
 * @property {boolean} outranks
 */

/** The smaller, the better. @param {Candidate} candidate */
const key = ({ rank, agrees, block, line, letters }) => [
  rank,
  Number(!agrees),
  block,
  line,
  -letters,
];

/**
 * @param {Candidate} one
 * @param {Candidate} other
 */
function compare(one, other) {
  const [a, b] = [key(one), key(other)];
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at] - b[at];
  return 0;
}

/**
 * One candidate for each symptom, best first.
 * @param {Index} index
 * @param {Occurrence[]} places
 * @param {Pasted} pasted
 */
function ranked(index, places, pasted) {
  const chains = places.length ? chainLines(pasted, index.tables.rank.chains) : [];
  /** @type {Map<string, Candidate>} */
  const best = new Map();
  for (const place of telling(places)) {
    const candidate = candidateOf(index, place, bisect(chains, place.line));
    const former = best.get(candidate.symptom) ?? candidate;
    for (const [name, value] of Object.entries(place.values)) {
      former.every[name] ??= [];
      former.every[name].push(value);
    }
    if (candidate === former) {
      best.set(candidate.symptom, candidate);
    } else if (compare(candidate, former) < 0) {
      // What another print of the same symptom told is kept.
      candidate.every = former.every;
      candidate.values = { ...former.values, ...candidate.values };
      best.set(candidate.symptom, candidate);
    } else {
      former.values = { ...candidate.values, ...former.values };
    }
  }
  const order = [...best.values()].sort(
    (a, b) => compare(a, b) || (a.symptom < b.symptom ? -1 : 1),
  );
  return byEdges(index, order);
}

/**
 * @param {Index} index
 * @param {Occurrence} place
 * @param {number} block
 * @returns {Candidate}
 */
function candidateOf(index, place, block) {
  const wording = index.wordings[place.wording];
  const { exception = "", also = [] } = wording;
  const { roles, ranks } = index.tables.rank;
  const role = roles.indexOf(wording.role ?? "cause");
  const warning = (place.type || exception).endsWith("Warning");
  return {
    symptom: wording.symptom,
    line: place.line + 1,
    number: place.wording,
    wording: shown(wording.parts),
    exception,
    values: place.values,
    every: {},
    role,
    warning,
    agrees: !place.type || [wording.exception ?? place.type, ...also].includes(place.type),
    block,
    letters: place.letters,
    rank: ranks[role][Number(warning)],
    outranks: false,
  };
}

/** A wording as a person reads it. @param {Part[]} parts */
export const shown = (parts) =>
  parts.map((part) => (isText(part) ? part : `\u27e8${part[0]}\u27e9`)).join("");

/**
 * Explicit edges win over all else.
 * @param {Index} index
 * @param {Candidate[]} candidates
 */
function byEdges(index, candidates) {
  for (let round = 0; round < candidates.length; round++) {
    for (let above = 0; above < candidates.length; above++) {
      const { symptom } = candidates[above];
      const below = candidates.findIndex(
        (other, at) => at > above && index.symptoms[other.symptom].outranks.includes(symptom),
      );
      if (below < 0) continue;
      candidates[below].outranks = true;
      candidates.splice(above, 0, ...candidates.splice(below, 1));
    }
  }
  return candidates;
}

/**
 * Numbers of the lines that say that one exception led to another, ascending.
 * @param {Pasted} pasted
 * @param {string[]} chains
 */
export function chainLines(pasted, chains) {
  const { text } = pasted;
  const lines = new Set();
  for (const chain of chains)
    for (let at = text.indexOf(chain); at >= 0; at = text.indexOf(chain, at + 1))
      lines.add(pasted.numberAt(at));
  return [...lines].sort((a, b) => a - b);
}

/**
 * Without those that lie inside an occurrence of a wording that tells more.
 * @param {Occurrence[]} places
 */
function telling(places) {
  /** @param {Occurrence} a @param {Occurrence} b */
  const order = (a, b) =>
    a.segment - b.segment ||
    Number(a.squeezed) - Number(b.squeezed) ||
    a.start - b.start ||
    b.stop - a.stop ||
    b.letters - a.letters ||
    a.wording - b.wording;
  const kept = [];
  /** @type {Occurrence[]} */
  let open = [];
  for (const place of [...places].sort(order)) {
    const { segment, squeezed, start, stop, letters } = place;
    open = open.filter(
      (span) => span.segment === segment && span.squeezed === squeezed && span.stop > start,
    );
    if (!open.some((span) => span.stop >= stop && span.letters > letters)) kept.push(place);
    open.push(place);
  }
  return kept;
}

/** Two independent errors come first. @param {Candidate[]} candidates */
function isAmbiguous([first, second]) {
  return (
    second !== undefined &&
    !first.outranks &&
    first.rank === second.rank &&
    first.agrees === second.agrees &&
    first.block === second.block
  );
}

/**
 * The line that says what went wrong.
 * @param {Index} index
 * @param {Pasted} pasted
 */
function lookedFor(index, pasted) {
  const { tail, named } = index.tables.lookup;
  let spoken = "";
  let last = "";
  let left = tail;
  for (let number = pasted.length - 1; number >= 0 && left; number--) {
    const line = pasted.get(number);
    if (!strip(line, " ")) continue;
    const text = stripPrefix(line).slice(0, named);
    if (printedType(text)) return text;
    if (!spoken && ["error", "Error", "ERROR"].some((word) => line.includes(word))) spoken = text;
    last = last || text;
    left -= 1;
  }
  return spoken || last;
}
