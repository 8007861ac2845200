// What a program knew when it died, read below a traceback. Twin of torchclinic/find/live.py, which
// says what the block looks like and what conditions ask of it.

export const HEAD = "What the program knew:";
const ROWS = 20;
const LONG = 2000;

/**
 * @typedef {object} Live
 * @property {Record<string, string>} values `live.ROLE.KEY` -> as printed
 * @property {Set<string>[]} rows the words of each row: roles, kind, phrases
 */

/**
 * The text with an empty line for each line of the block, and what the first block says.
 * @param {string} text
 * @returns {[string, Live | null]}
 */
export function liveApart(text) {
  if (!text.includes(HEAD)) return [text, null];
  const lines = text.split("\n");
  /** @type {Live | null} */
  let live = null;
  for (let number = 0; number < lines.length; number++) {
    if (!lines[number].endsWith(HEAD)) continue;
    const begins = `${lines[number].slice(0, -HEAD.length)}  `;
    let at = number + 1;
    while (at < lines.length && at <= number + ROWS && lines[at].startsWith(begins)) at++;
    live ??= read(lines.slice(number + 1, at).map((row) => row.slice(begins.length, LONG)));
    lines.fill("", number, at);
  }
  return [lines.join("\n"), live];
}

/** @param {string} text @param {string} mark @returns {[string, string, string]} */
function partition(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, "", ""] : [text.slice(0, at), mark, text.slice(at + mark.length)];
}

/** @param {string} text @param {boolean} both */
function bare(text, both) {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === " ") start++;
  while (both && end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}

/** @param {string[]} rows @returns {Live} */
function read(rows) {
  /** @type {Live} */
  const live = { values: {}, rows: [] };
  for (const row of rows) {
    const [name, , rest] = partition(row, "  ");
    const [roles, , told] = partition(bare(rest, false), "  ");
    const phrases = told.split(";").map((phrase) => bare(phrase, true));
    const said = valuesOf(phrases);
    const words = new Set([...phrases, ...roles.split(",")]);
    if (said.has("kind")) words.add(said.get("kind") ?? "");
    words.delete("");
    live.rows.push(words);
    for (const role of roles.split(",")) {
      if (!role) continue;
      for (const [key, value] of new Map([["name", name], ...said])) {
        const full = `live.${role}.${key}`;
        if (!Object.hasOwn(live.values, full)) live.values[full] = value;
      }
    }
  }
  return live;
}

/**
 * Key -> value; the first phrase says what kind of thing it is.
 * @param {string[]} phrases
 * @returns {Map<string, string>}
 */
function valuesOf(phrases) {
  const values = new Map();
  for (const [at, phrase] of phrases.entries()) {
    let [key, mark, value] = partition(phrase, "=");
    if (!at) [key, value] = ["", phrase];
    else if (!mark) continue;
    const [word, , rest] = partition(value, " ");
    const dot = key ? `${key}.` : "";
    if (rest.startsWith("[") && rest.endsWith("]") && isName(word)) {
      values.set(`${dot}dtype`, word);
      values.set(`${dot}shape`, rest.slice(1, -1));
    } else if (key) {
      values.set(key, value);
    } else {
      values.set("kind", word);
      if (rest) values.set("value", rest);
    }
  }
  return values;
}

/** @param {string} word letters and digits of ASCII alone */
function isName(word) {
  for (const c of word)
    if (!((c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || (c >= "0" && c <= "9"))) return false;
  return word !== "";
}
