// Origins: where in PyTorch a message is written, and in which releases. Twin of torchclinic/find/origins.py, which explains each step; the two agree on
// every input (tests/test_origins_match.py). Loaded only where no symptom matches.

import { bisect, chainLines, Lines, lstrip, normalise, occurrences, printedType, strip, stripPrefix, wordsOf } from "./lookup.js";

const READ = 200000;
const PLACES = 3;
const SOUGHT = 160;
const HOLE = "__hole__";
const ANCHORS = 2;
const WRAPPED = 40;
const FRAMES = 60;
const QUERY = 120;
const LEFT_OUT = ["...", "\u2026", "[...]", "(...)", "<...>", "....", ".....", "......", "\u2026\u2026", "[\u2026]"];
const BEHIND = ["(function ", "at /", "at ..", "at C:", "Exception raised from "];
const LOG = "log";
const REWRITTEN = ["torch/_refs/", "torch/_prims", "torch/_decomp/", "torch/_meta_registrations.py", "torch/_subclasses/", "torch/jit/_shape_functions.py", "torch/_logging/"];
const KEPT = ["torch/", "functorch/", "aten/", "c10/", "caffe2/"];
const DOCUMENTED = "https://docs.pytorch.org/docs/stable/search.html?q=";
const ISSUES = "https://github.com/pytorch/pytorch/issues?q=";
const WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789";

const begins = (text, starts) => starts.some((start) => text.startsWith(start));
const isDigits = (text) => [...text].every((c) => c >= "0" && c <= "9");

function rstrip(text, characters) {
  let to = text.length;
  while (to > 0 && characters.includes(text[to - 1])) to--;
  return text.slice(0, to);
}

/** [before, after] the first `mark`; all of it before, where there is none. */
function partition(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** A template as the matcher takes it. */
export function parts(text, holes) {
  const lines = normalise(text).split("\n").map((line) => line.split(" ").filter(Boolean).join(" "));
  const [first, ...rest] = strip(lines.join("\n"), "\n").replaceAll("{{", "\0").split("{");
  const found = [];
  let left = SOUGHT;
  for (const [number, piece] of [`}${first}`, ...rest].entries()) {
    let [kind, literal] = partition(piece, "}");
    kind = kind.slice(1);
    literal = literal.replaceAll("}}", "}").replaceAll("\0", "{");
    if (found.length) {
      const told = Object.hasOwn(holes, kind) && !(literal && holes[kind][0].includes(literal[0]));
      if (typeof found[found.length - 1] === "string") found.push(["", told ? kind : "line"]);
      else found[found.length - 1] = ["", "line"];
    } else if (number) {
      literal = lstrip(lstrip(literal, WORD), " \n");
    }
    if (literal.length > left) {
      let end = left;
      while (end < literal.length && WORD.includes(literal[end])) end++;
      literal = rstrip(literal.slice(0, end), " \n");
      return literal ? [...found, literal, ["", "line"]] : found;
    }
    left -= literal.length;
    if (literal) found.push(literal);
  }
  const last = found.length - 1;
  if (typeof found[last] === "string") found[last] = rstrip(found[last], " \n");
  return found[last] === "" ? found.slice(0, last) : found;
}

/**
 * The table as the matcher reads it. See `load` in torchclinic/find/origins.py.
 * @param {object} table what torchclinic/content/origins.py makes
 * @param {object} holes of the lookup's index
 */
export function load(table, holes) {
  const byText = new Map();
  for (const [at, text] of table.templates[0].entries()) {
    if (!byText.has(text)) byText.set(text, []);
    byText.get(text).push(table.templates.map((column) => column[at]));
  }
  const wordings = [];
  const alone = [];
  const frequency = new Map();
  for (const [text, places] of byText) {
    wordings.push(new Wording(text, places.sort((a, b) => b[7] - a[7]), holes));
    const words = wordsAlone(text);
    alone.push(words);
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const anchors = Object.create(null);
  const order = (a, b) => frequency.get(a) - frequency.get(b) || b.length - a.length || (a < b ? -1 : 1);
  const fit = [...frequency.keys()].filter((word) => word.length > 2 && !word.includes(HOLE) && !isDigits(word));
  const rank = new Map(fit.sort(order).map((word, at) => [word, at])); // the rarest first
  for (const [number, words] of alone.entries()) {
    const told = words.filter((word) => rank.has(word)).sort((a, b) => rank.get(a) - rank.get(b));
    for (const word of told.slice(0, ANCHORS)) (anchors[word] ??= []).push(number);
  }
  const { releases, files, classes } = table;
  return { wordings, anchors, holes, traces: {}, releases, files, classes, public: new Map(Object.entries(table.public)) };
}

/** A template, its text made into parts when it is first asked for: that of most never is. */
class Wording {
  #holes;
  #parts = null;
  constructor(text, places, holes) {
    Object.assign(this, { text, places });
    this.#holes = holes;
  }
  get parts() {
    return (this.#parts ??= parts(this.text, this.#holes));
  }
}

/** The words of a template, each once; those that are glued to the value of a hole hold HOLE. */
function wordsAlone(template) {
  const text = template.replaceAll("{{", " ").replaceAll("{:int}", HOLE).replaceAll("{}", HOLE);
  const there = wordsOf(text.slice(0, SOUGHT));
  if (text.length > SOUGHT) there.pop();
  return [...new Set(there)];
}

/** Where PyTorch writes what this text prints, or null. See `origin` in torchclinic/find/origins.py. */
export function origin(origins, text) {
  const raw = text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;
  const clean = normalise(raw);
  let cut = Math.max(0, clean.length - READ);
  if (cut) cut = clean.indexOf("\n", cut) + 1 || cut;
  const page = new Lines(clean.slice(cut));
  const chains = chainLines(page);
  let best = null;
  for (const [number, found] of occurrences(origins, page).entries()) {
    const wording = origins.wordings[found.wording];
    const frame = frameAbove(page, found.line);
    const places = wording.places.map((template) => placeOf(origins, template, frame)).filter((place) => fits(place, wording, found, frame));
    if (!places.length) continue;
    places.sort((a, b) => b.raised - a.raised);
    const aside = Number(!found.type || found.type.endsWith("Warning"));
    const key = [aside, bisect(chains, found.line), Number(!places[0].raised), -found.line, -found.letters, number];
    if (!best || before(key, best.key)) best = { key, found, wording, places: places.slice(0, PLACES) };
  }
  if (!best) return null;
  const line = best.found.line + clean.slice(0, cut).split("\n").length - 1;
  return { line: line + 1, raw: raw.split("\n")[line], message: shown(best.wording), search: search(best.wording.parts), places: best.places };
}

const varies = (text) => text.startsWith("{") && !text.startsWith("{{");

function shown({ text, parts: made }) {
  return (varies(text) ? "\u2026" : "") + made.map((part) => (typeof part === "string" ? part : "\u2026")).join("");
}

function before(one, other) {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return one[at] < other[at];
  return false;
}

const without = (text, end) => (text.endsWith(end) ? text.slice(0, -end.length) : text);

function placeOf(origins, [, fileAt, number, own, exceptionAt, condition, first, last], frame) {
  const file = origins.files[fileAt] ?? "";
  const release = origins.releases[last];
  const python = file.endsWith(".py");
  const module = without(without(file, ".py"), "/__init__").replaceAll("/", ".");
  const name = python ? without(`${module}.${own}`, ".") : own;
  const known = python ? publicName(origins.public, name) : "";
  const source = `https://github.com/pytorch/pytorch/blob/v${release}/${file}${number > 0 ? `#L${number}` : ""}`;
  return {
    name,
    function: name.endsWith("operator()") ? "" : own,
    file,
    number,
    exception: origins.classes[exceptionAt] ?? "",
    condition,
    first: origins.releases[Math.max(first, ~first)],
    last: release,
    unread: first < 0,
    public: known,
    documentation: known && DOCUMENTED + known,
    source: begins(file, KEPT) && !file.includes("/generated/") ? source : "",
    raised: frame !== null && `/${frame[0]}`.endsWith(`/${file}`) && name.endsWith(`.${frame[1]}`),
  };
}

/** The public name of the function or class that a name is, or is a part of; "" where it has none. */
function publicName(named, name) {
  while (name && !named.has(name)) name = name.slice(0, Math.max(0, name.lastIndexOf(".")));
  return named.get(name) ?? "";
}

function fits(place, wording, found, frame) {
  const exception = printedType(`${place.exception}:`);
  const kind = lstrip(found.type, "_");
  const python = place.file.endsWith(".py");
  const other = kind && kind !== exception && (exception || place.exception === LOG);
  if (other && (python || exception !== "RuntimeError" || kind.endsWith("Warning"))) return false;
  const hidden = !frame || abridged(frame);
  if (exception && python && (hidden ? begins(place.file, REWRITTEN) : !sameFile(frame[0], place.file))) return false;
  if (!python && frame?.[2].startsWith("raise ") && !`/${frame[0]}`.includes("/torch/")) return false;
  if (found.squeezed) return found.letters >= WRAPPED;
  const head = rstrip(found.before, " ");
  const rest = lstrip(found.after, " .,;:!?'\")]}`");
  const last = wording.parts[wording.parts.length - 1];
  return (!head || ":])>|-".includes(head[head.length - 1]) || varies(wording.text)) && (!rest || rest[0] > "\x7f" || (!python && begins(rest, BEHIND)) || (typeof last !== "string" && last[1] === "line"));
}

function sameFile(path, file) {
  const name = file.split("/").slice(file.endsWith("/__init__.py") ? -2 : -1);
  return `/${path}`.includes("/torch/") && `/${path}`.endsWith(`/${name.join("/")}`);
}

function abridged([file, , line]) {
  return line !== "" && !begins(line, ["raise", "assert", "File "]) && !file.includes("-packages/") && !`/${file}`.includes("/torch/");
}

function frameAbove(page, at) {
  for (let number = at - 1; number > Math.max(-1, at - FRAMES); number--) {
    const text = stripPrefix(page.get(number));
    let file, rest;
    if (text.startsWith('File "')) [file, rest] = partition(text.slice(6), '", line ');
    else if (text.startsWith("File ") && text.includes(".py:")) [file, rest] = partition(text.slice(5), ":");
    else if (text.includes(".py in ")) {
      [file, rest] = partition(text, " in ");
      rest = `, in ${rest}`;
    } else if (text.includes("Traceback (most recent call last)") || printedType(text) || LEFT_OUT.includes(strip(text, " "))) return null;
    else continue;
    const name = partition(partition(rest, ", in ")[1], "(")[0];
    return [file.replaceAll("\\", "/"), name.slice(name.lastIndexOf(".") + 1), number + 1 < at ? strip(stripPrefix(page.get(number + 1)), " ") : ""];
  }
  return null;
}

/** The address of a search for the longest line of a template's literals. */
function search(made) {
  let line = "";
  for (const part of made) if (typeof part === "string") for (const one of part.split("\n")) if (one.length > line.length) line = one;
  line = strip([...line].map((c) => (c >= " " && c <= "~" && c !== '"' ? c : " ")).join(""), " ");
  if (line.length > QUERY) line = line.slice(0, QUERY).includes(" ") ? line.slice(0, line.lastIndexOf(" ", QUERY - 1)) : line.slice(0, QUERY);
  return ISSUES + encodeURIComponent(`"${line}"`);
}
