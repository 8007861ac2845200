// The table of PyTorch's messages, as the matcher reads it. Twin of
// torchclinic/find/origins_table.py, which explains each step.

/** @import { Holes, Origins, Part, Patterns, Table, Template } from "./types" */

import { adopt, lstrip, normalise, strip, stripPrefix, wordsOf } from "./clean.js";

const SOUGHT = 160;
const ANCHORS = 2;
const WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789";
const HOLE = "__hole__";

/**
 * @param {string} text
 * @param {string} characters
 */
export function rstrip(text, characters) {
  let to = text.length;
  while (to > 0 && characters.includes(text[to - 1])) to--;
  return text.slice(0, to);
}

/** A text that PyTorch prints: to the matcher a wording, whose parts are made when first asked for. */
class Message {
  /** @type {Part[] | null} */
  #parts = null;
  #holes;

  /**
   * @param {string} text
   * @param {Template[]} places
   * @param {Holes} holes
   */
  constructor(text, places, holes) {
    this.text = text;
    this.places = places.sort((a, b) => b[7] - a[7]);
    this.#holes = holes;
  }
  get parts() {
    this.#parts ??= parts(this.text, this.#holes);
    return this.#parts;
  }
}

/**
 * The table as the matcher reads it, and for each text the places in which it stands.
 * @param {Table} table
 * @param {Pick<Patterns, "holes" | "tables">} index of the lookup
 * @returns {Origins}
 */
export function load(table, { holes, tables }) {
  adopt(tables.clean);
  /** @type {Map<string, Template[]>} */
  const byText = new Map();
  for (const [at, text] of /** @type {string[]} */ (table.templates[0]).entries()) {
    const template = /** @type {Template} */ (table.templates.map((column) => column[at]));
    byText.set(text, [...(byText.get(text) ?? []), template]);
  }
  const { releases, files, classes, lists } = table;
  return {
    holes,
    tables,
    traces: {},
    wordings: [...byText].map(([text, places]) => new Message(text, places, holes)),
    anchors: anchorsOf([...byText.keys()].map(beginning)),
    releases,
    files,
    classes,
    lists,
    public: new Map(Object.entries(table.public)),
  };
}

/**
 * The rarest words of each message -> the numbers of the messages that they lead to.
 * @param {string[][]} vocabularies
 */
function anchorsOf(vocabularies) {
  /** @type {Map<string, number>} */
  const frequency = new Map();
  for (const words of vocabularies)
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const fit = [...frequency].filter(
    ([word]) => word.length > 2 && !word.includes(HOLE) && !/^[0-9]+$/.test(word),
  );
  fit.sort(
    ([one, often], [other, oftener]) =>
      often - oftener || other.length - one.length || (one < other ? -1 : 1),
  );
  const rank = new Map(fit.map(([word], at) => [word, at]));
  /** @param {string} word */
  const rankOf = (word) => rank.get(word) ?? 0;
  /** @type {Record<string, number[]>} */
  const anchors = Object.create(null);
  for (const [number, words] of vocabularies.entries()) {
    const rarest = words.filter((word) => rank.has(word)).sort((a, b) => rankOf(a) - rankOf(b));
    for (const word of rarest.slice(0, ANCHORS)) (anchors[word] ??= []).push(number);
  }
  return anchors;
}

/**
 * The words at a template's beginning, each once; those glued to the value of a hole hold HOLE.
 * @param {string} template
 */
function beginning(template) {
  const text = template.replaceAll("{{", " ").replaceAll("{:int}", HOLE).replaceAll("{}", HOLE);
  const words = wordsOf(text.slice(0, SOUGHT));
  if (text.length > SOUGHT) words.pop();
  return [...new Set(words)];
}

/**
 * A template as the matcher takes it.
 * @param {string} text
 * @param {Holes} holes
 */
export function parts(text, holes) {
  const lines = normalise(text)
    .split("\n")
    .map((line) => stripPrefix(line).split(" ").filter(Boolean).join(" "));
  const [first, ...rest] = strip(lines.join("\n"), "\n").replaceAll("{{", "\0").split("{");
  /** @type {Part[]} */
  const made = [];
  let left = SOUGHT;
  for (const [number, piece] of [`}${first}`, ...rest].entries()) {
    const end = piece.indexOf("}");
    const kind = end < 0 ? piece : piece.slice(0, end);
    let literal = end < 0 ? "" : piece.slice(end + 1);
    literal = literal.replaceAll("}}", "}").replaceAll("\0", "{");
    if (made.length) addHole(made, kind.slice(1), literal, holes);
    else if (number) literal = lstrip(lstrip(literal, WORD), " \n");
    const stop = literal.length > left ? cut(literal, left) : literal.length;
    if (stop < literal.length) {
      literal = rstrip(literal.slice(0, stop), " \n");
      return literal ? [...made, literal, LINE] : [...made.slice(0, -1), LINE];
    }
    left = Math.max(0, left - literal.length);
    if (literal) made.push(literal);
  }
  const last = made.at(-1);
  if (typeof last === "string") made[made.length - 1] = rstrip(last, " \n");
  return made.at(-1) === "" ? made.slice(0, -1) : made;
}

/** @type {Part} */
const LINE = ["", "line"];

/**
 * Add a hole before a literal; two holes in a row are one, which takes anything.
 * @param {Part[]} made
 * @param {string} kind
 * @param {string} literal
 * @param {Holes} holes
 */
function addHole(made, kind, literal, holes) {
  if (typeof made.at(-1) !== "string") {
    made[made.length - 1] = LINE;
    return;
  }
  const told = Object.hasOwn(holes, kind) && !(literal && holes[kind][0].includes(literal[0]));
  made.push(["", told ? kind : "line"]);
}

/**
 * Where a literal of more than `left` letters is cut: behind a word, where its line goes on.
 * @param {string} literal
 * @param {number} left
 */
function cut(literal, left) {
  for (let end = left; ; end++) {
    end = literal.length - lstrip(literal.slice(end), WORD).length;
    if (end === literal.length || strip(literal.slice(end).split("\n", 1)[0], " ,.")) return end;
  }
}
