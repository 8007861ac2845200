// The reader's own place in a traceback: the nearest frame above the message that is no library's.

import { adopt, normalise, printedType, stripPrefix } from "./clean.js";

const FAR = 400; // lines above a message
const HEAD = "Traceback (most recent call last)";
const LIBRARIES = [
  "site-packages",
  "dist-packages",
  "/lib/python",
  "<frozen",
  "/torch/",
  "<string>",
];

/** @import { Index } from "./types" */

/**
 * The frame, with the line of code that the traceback quotes; null where there is none.
 * @param {Index} index
 * @param {string[]} lines of the reader's text
 * @param {number} at number of the message's line, from 1
 * @returns {{file: string, line: string, name: string, code: string} | null}
 */
export function frameAbove(index, lines, at) {
  adopt(index.tables.clean); // the answer may have been found in a worker
  for (let number = at - 2; number >= Math.max(0, at - FAR); number--) {
    const text = stripPrefix(normalise(lines[number]));
    if (text.startsWith(HEAD)) return null;
    const found = /^File "([^"\n]{1,300})", line (\d{1,7})(?:, in (\S{1,100}))?$/.exec(text);
    if (!found) continue;
    const [, file, line, name = ""] = found;
    const path = file.replaceAll("\\", "/");
    if (LIBRARIES.some((part) => path.includes(part)) || /\/python3?\d*\/lib\//i.test(path))
      continue;
    const code = number + 1 < at - 1 ? stripPrefix(normalise(lines[number + 1])).trim() : "";
    return { file, line, name, code: printedType(code) || code.startsWith("File ") ? "" : code };
  }
  return null;
}
