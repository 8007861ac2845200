// Origins: where in PyTorch a message is written, and in which releases. Loaded only where no
// symptom matches. Twin of torchclinic/find/origins.py, which explains each step; the two agree on
// every input (tests/test_origins_match.py).

/** @import { Frame, Message, Occurrence, Origin, Origins, Part, Place, Template } from "./types" */

import { isSource, lstrip, normalise, printedType, strip, stripPrefix } from "./clean.js";
import { chainLines } from "./lookup.js";
import { occurrences } from "./match.js";
import { rstrip } from "./origins-table.js";
import { bisect, Pasted } from "./pasted.js";

const READ = 200000;
const PLACES = 3;
const WRAPPED = 40;
const FRAMES = 60;
const HEAD = "Traceback (most recent call last)";
const FRAME = 'File "';
const QUERY = 120;
const LOG = "log";

/**
 * @param {string} text
 * @param {string[]} starts
 */
const startsWithAny = (text, starts) => starts.some((start) => text.startsWith(start));

/**
 * [before, after] the first `mark`; all of it before, where there is none.
 * @param {string} text
 * @param {string} mark
 */
function partition(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

/**
 * Where PyTorch writes what this text prints, or null.
 * @param {Origins} origins
 * @param {string} text
 * @returns {Origin | null}
 */
export function origin(origins, text) {
  const raw = text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;
  const clean = normalise(raw);
  let cut = Math.max(0, clean.length - READ);
  if (cut) cut = clean.indexOf("\n", cut) + 1 || cut;
  const [best] = candidates(origins, clean.slice(cut)).sort((a, b) => compare(a.key, b.key));
  if (!best) return null;
  const line = best.line + clean.slice(0, cut).split("\n").length - 1;
  return {
    line: line + 1,
    raw: raw.split("\n")[line],
    message: shown(best.message),
    search: search(best.message.parts, origins.lists.issues),
    places: best.places,
  };
}

/**
 * Places that fit what the text prints, each with a key: the least is the best.
 * @param {Origins} origins
 * @param {string} clean
 */
function candidates(origins, clean) {
  const page = new Pasted(clean);
  const chains = chainLines(page, origins.tables.rank.chains);
  const kept = [];
  for (const [number, occurrence] of occurrences(origins, new Pasted(said(page.text))).entries()) {
    const message = origins.wordings[occurrence.wording];
    const frame = frameAbove(page, occurrence.line, origins.lists.left_out);
    const places = message.places
      .map((template) => placeOf(origins, template, frame))
      .filter((place) => fits(origins, place, message, occurrence, frame))
      .sort((a, b) => Number(b.raised) - Number(a.raised));
    if (!places.length) continue;
    const { line, type } = occurrence;
    const key = [
      Number(!type || type.endsWith("Warning")),
      bisect(chains, line),
      Number(!places[0].raised),
      -line,
      -occurrence.letters,
      number,
    ];
    kept.push({ key, line, message, places: places.slice(0, PLACES) });
  }
  return kept;
}

/**
 * @param {number[]} one
 * @param {number[]} other
 */
function compare(one, other) {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

/**
 * The text with empty lines for frames and the code that they quote.
 * @param {string} text
 */
function said(text) {
  const lines = text.split("\n");
  const kept = [...lines];
  for (const [number, line] of lines.entries()) {
    if (!line.includes(FRAME) && !line.includes(HEAD)) continue;
    const begin = stripPrefix(line);
    if (begin.startsWith(HEAD)) {
      kept[number] = "";
    } else if (begin.startsWith(FRAME)) {
      kept[number] = "";
      const below = lines[number + 1] ?? FRAME;
      if (!below.includes(FRAME) && isSource(stripPrefix(below), begin)) kept[number + 1] = "";
    }
  }
  return kept.join("\n");
}

/** @param {Message} message */
function shown({ text, parts }) {
  const texts = parts.map((part) => (typeof part === "string" ? part : "\u2026"));
  return (varies(text) ? "\u2026" : "") + texts.join("");
}

/** @param {string} text */
const varies = (text) => text.startsWith("{") && !text.startsWith("{{");

/**
 * @param {string} text
 * @param {string} end
 */
const without = (text, end) => (text.endsWith(end) ? text.slice(0, -end.length) : text);

/**
 * @param {Origins} origins
 * @param {Template} template
 * @param {Frame | null} frame
 * @returns {Place}
 */
function placeOf(origins, template, frame) {
  const [, fileAt, number, own, exceptionAt, condition, first, last] = template;
  const { source, documented, kept } = origins.lists;
  const file = origins.files[fileAt] ?? "";
  const release = origins.releases[last];
  const python = file.endsWith(".py");
  const module = without(without(file, ".py"), "/__init__").replaceAll("/", ".");
  const name = python ? without(`${module}.${own}`, ".") : own;
  const known = python ? publicName(origins.public, name) : "";
  const address = source.replace("{release}", release).replace("{file}", file);
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
    documentation: known && documented + known,
    source:
      startsWithAny(file, kept) && !file.includes("/generated/")
        ? address + (number > 0 ? `#L${number}` : "")
        : "",
    raised:
      frame !== null &&
      `/${frame.file}`.endsWith(`/${file}`) &&
      name.endsWith(`.${frame.function}`),
  };
}

/**
 * The public name of the function or class that a name is, or is a part of, or "".
 * @param {Map<string, string>} named
 * @param {string} name
 */
function publicName(named, name) {
  while (name && !named.has(name)) name = name.slice(0, Math.max(0, name.lastIndexOf(".")));
  return named.get(name) ?? "";
}

/**
 * @param {Origins} origins
 * @param {Place} place
 * @param {Message} message
 * @param {Occurrence} occurrence
 * @param {Frame | null} frame
 */
function fits({ lists }, place, message, occurrence, frame) {
  return (
    fitsClass(place, occurrence.type) &&
    fitsFrame(place, frame, lists.rewritten) &&
    isWhole(place, message, occurrence, lists.behind)
  );
}

/** @param {Place} place */
const isPython = (place) => place.file.endsWith(".py");

/**
 * @param {Place} place
 * @param {string} type as printed
 */
function fitsClass(place, type) {
  const exception = lstrip(printedType(`${place.exception}:`), "_");
  const printed = lstrip(type, "_");
  if (!printed || printed === exception || (!exception && place.exception !== LOG)) return true;
  return !isPython(place) && exception === "RuntimeError" && !printed.endsWith("Warning");
}

/**
 * @param {Place} place
 * @param {Frame | null} frame
 * @param {string[]} rewritten
 */
function fitsFrame(place, frame, rewritten) {
  if (!isPython(place)) return !(frame?.code.startsWith("raise ") && !isTorch(frame.file));
  if (!printedType(`${place.exception}:`)) return true;
  if (!frame || isAbridged(frame)) return !startsWithAny(place.file, rewritten);
  return isSameFile(frame.file, place.file);
}

/**
 * @param {Place} place
 * @param {Message} message
 * @param {Occurrence} occurrence
 * @param {string[]} behind
 */
function isWhole(place, message, occurrence, behind) {
  if (occurrence.squeezed) return occurrence.letters >= WRAPPED;
  const before = rstrip(occurrence.before, " ");
  if (before && !":])>|-".includes(before[before.length - 1]) && !varies(message.text))
    return false;
  const after = lstrip(occurrence.after, " .,;:!?'\")]}`");
  const last = message.parts[message.parts.length - 1];
  if (!after || after[0] > "\x7f" || (typeof last !== "string" && last[1] === "line")) return true;
  return !isPython(place) && startsWithAny(after, behind);
}

/** @param {string} path */
const isTorch = (path) => `/${path}`.includes("/torch/");

/**
 * @param {string} path
 * @param {string} file
 */
function isSameFile(path, file) {
  const steps = file.split("/");
  const name = steps.slice(file.endsWith("/__init__.py") ? -2 : -1);
  return `/${path}`.includes(`/${steps[0]}/`) && `/${path}`.endsWith(`/${name.join("/")}`);
}

/** @param {Frame} frame */
function isAbridged({ file, code }) {
  return (
    code !== "" &&
    !startsWithAny(code, ["raise", "assert", "File "]) &&
    !file.includes("-packages/") &&
    !isTorch(file)
  );
}

/**
 * The frame above a message; null where the text does not show it.
 * @param {Pasted} page
 * @param {number} at
 * @param {string[]} leftOut
 * @returns {Frame | null}
 */
function frameAbove(page, at, leftOut) {
  for (let number = at - 1; number > Math.max(-1, at - FRAMES); number--) {
    const text = stripPrefix(page.get(number));
    let [file, rest] = ["", ""];
    if (text.startsWith(FRAME)) [file, rest] = partition(text.slice(6), '", line ');
    else if (text.startsWith("File ") && text.includes(".py:"))
      [file, rest] = partition(text.slice(5), ":");
    else if (text.includes(".py in ")) {
      [file, rest] = partition(text, " in ");
      rest = `, in ${rest}`;
    } else if (endsFrames(text, leftOut)) return null;
    else continue;
    const name = partition(partition(rest, ", in ")[1], "(")[0];
    return {
      file: file.replaceAll("\\", "/"),
      function: name.slice(name.lastIndexOf(".") + 1),
      code: number + 1 < at ? strip(stripPrefix(page.get(number + 1)), " ") : "",
    };
  }
  return null;
}

/**
 * @param {string} text
 * @param {string[]} leftOut
 */
function endsFrames(text, leftOut) {
  return text.includes(HEAD) || printedType(text) !== "" || leftOut.includes(strip(text, " "));
}

/**
 * The address of a search for the longest line of a template's literals.
 * @param {Part[]} parts
 * @param {string} issues
 */
function search(parts, issues) {
  const literals = parts.filter((part) => typeof part === "string");
  const longest = literals
    .flatMap((literal) => literal.split("\n"))
    .reduce((one, other) => (other.length > one.length ? other : one));
  const plain = [...longest].map((c) => (c >= " " && c <= "~" && c !== '"' ? c : " ")).join("");
  let line = strip(plain, " ");
  if (line.length > QUERY) {
    const end = line.lastIndexOf(" ", QUERY - 1);
    line = line.slice(0, end < 0 ? QUERY : end);
  }
  return issues + encodeURIComponent(`"${line}"`);
}
