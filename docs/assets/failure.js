// What failed, as far as a text tells it without a wording: an exception, a signal, or a cut. Twin
// of torchclinic/find/failure.py, which explains each step. Its tables come with the index.

/** @import { FailingFrame, Failure, LadderTables } from "./types" */

import { isSource, printedType, strip, stripPrefix, WORD } from "./clean.js";

const MARKS = "^~ .";

/**
 * The last thing in a text that failed, or the place where the text ends before it says so.
 * @param {string[]} lines
 * @param {LadderTables} tables
 * @returns {Failure | null}
 */
export function lastFailure(lines, tables) {
  /** @type {FailingFrame | null} */
  let frame = null;
  let [quoted, openFrames] = [false, false];
  let [building, last] = [0, 0];
  /** @type {Failure | null} */
  let failure = null;
  let previous = "";
  for (let number = Math.max(0, lines.length - tables.read); number < lines.length; number++) {
    const text = stripPrefix(lines[number].slice(0, tables.long));
    if (!text) continue;
    const type = text.startsWith('File "') ? "" : exceptionOf(text, previous);
    if (text.startsWith('File "')) {
      [frame, quoted, openFrames] = [frameOf(text, tables), true, true];
    } else if (type) {
      if (!type.endsWith("Warning")) failure = made("exception", number, text, type, frame);
      [quoted, openFrames] = [false, false];
    } else if (quoted && (strip(text, MARKS) === "" || previous.startsWith('File "'))) {
      // the line of code that the frame quotes, and the marks below it
    } else if (tables.signals.some((word) => text.includes(word))) {
      failure = made("signal", number, text, "", frame);
      [quoted, openFrames] = [false, false];
    } else if (openFrames && !tables.framed.some((start) => text.startsWith(start))) {
      // Prose behind frames: whoever pasted them left the message out.
      failure = made("cut", last, previous, "", frame);
      [quoted, openFrames] = [false, false];
    }
    const [begins, ends] = tables.output;
    if (text.includes(begins)) building = number;
    else if (text.includes(ends)) building = 0;
    previous = text;
    last = number;
  }
  if (openFrames) return made("cut", last, previous, "", frame);
  if (building && (!failure || failure.line <= building))
    return made("cut", last, previous, "", null);
  return failure;
}

/**
 * Did something fail, by what the text prints, or by what its first and last lines say?
 * @param {string[]} lines
 * @param {LadderTables} tables
 */
export function fails(lines, tables) {
  const failure = lastFailure(lines, tables);
  if (failure && !tables.stopped.includes(failure.type)) return true;
  const spoken = lines.filter((line) => strip(line, " "));
  return [...spoken.slice(0, tables.told), ...spoken.slice(-tables.told)].some(
    (line) =>
      !line.includes("arning") &&
      tables.complaints.some((word) => line.slice(0, tables.long).includes(word)),
  );
}

/**
 * @param {string} text
 * @param {string} previous
 */
export function exceptionOf(text, previous) {
  if (isSource(text, previous)) return "";
  const type = printedType(text);
  if (type) return type;
  const alone = [...text].every((c) => c === "." || WORD[c.charCodeAt(0)] === 1);
  return alone ? printedType(`${text.slice(text.lastIndexOf(".") + 1)}:`) : "";
}

/**
 * @param {Failure["kind"]} kind
 * @param {number} number
 * @param {string} text
 * @param {string} type
 * @param {FailingFrame | null} frame
 * @returns {Failure}
 */
const made = (kind, number, text, type, frame) => ({ kind, line: number + 1, text, type, frame });

/**
 * @param {string} text
 * @param {LadderTables} tables
 * @returns {FailingFrame}
 */
export function frameOf(text, { folders }) {
  const [file, rest] = parted(text.slice('File "'.length), '"');
  const [line, called] = parted(rest.startsWith(", line ") ? rest.slice(7) : rest, ", in ");
  const parts = file.replaceAll("\\", "/").split("/");
  let library = "";
  for (const folder of folders) {
    const at = parts.indexOf(folder);
    if (at >= 0 && at < parts.length - 1) library = parts[at + 1].replace(/\.py$/, "");
  }
  return { file, line, function: called, library };
}

/**
 * What stands before and behind `mark`, or all and nothing.
 * @param {string} text
 * @param {string} mark
 */
export function parted(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
