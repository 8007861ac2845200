// What pictures are drawn of. Twin of torchclinic/find/drawing.py.

export const MOST_SIZES = 8;
export const MOST_BOXES = 6;
export const MOST_DIGITS = 13;
export const UNITS = { bytes: 0, B: 0, KiB: 1, KB: 1, MiB: 2, MB: 2, GiB: 3, GB: 3, TiB: 4, TB: 4 };
const CHAR = 8;
export const PADDING = 14;

export const columnsOf = (text) =>
  [...text].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e7f ? 2 : 1), 0);
export const wide = (text) => CHAR * columnsOf(text);
export const rect = (x, y, width, height, kind) => ["rect", x, y, width, height, kind];
export const text = (x, y, made, kind = "", anchor = "middle") => [
  "text",
  x,
  y,
  anchor,
  kind,
  made,
];
export const half = (number) => Math.floor(number / 2);
export const isDigits = (made) => made !== "" && [...made].every((c) => c >= "0" && c <= "9");
export const int = (made) => (made.length <= MOST_DIGITS && isDigits(made) ? Number(made) : null);
export const scaled = (number, largest, least, most) =>
  least + Math.floor((number * (most - least)) / Math.max(largest, 1));

export function strip(made) {
  let [start, end] = [0, made.length];
  while (start < end && made[start] === " ") start++;
  while (end > start && made[end - 1] === " ") end--;
  return made.slice(start, end);
}

export function ints(names, value) {
  const found = names.map((name) => int(value(name)));
  return found.includes(null) ? null : found;
}

export function shapeOf(made) {
  const sizes = (made.endsWith(",") ? made.slice(0, -1) : made).split(",").map(strip);
  const good = sizes.every((size) => size === "-1" || int(size) !== null);
  return good && sizes.length <= MOST_SIZES ? sizes : null;
}

export function rightOf(shape) {
  if (shape[0] === "rect") return shape[1] + shape[3];
  return (
    shape[1] + { start: wide(shape[5]), middle: Math.ceil(wide(shape[5]) / 2), end: 0 }[shape[3]]
  );
}
