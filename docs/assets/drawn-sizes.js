// Pictures of sizes. Twin of torchclinic/find/drawn_sizes.py.

import {
  columnsOf,
  half,
  int,
  ints,
  MOST_BOXES,
  MOST_SIZES,
  PADDING,
  rect,
  scaled,
  shapeOf,
  text,
  wide,
} from "./drawing.js";

/** Holes that have a name in the reader's language: hole -> which of the words. */
const NAMED = {
  ...{ target: "target", input: "input", mask: "mask", tensor: "tensor", value: "value" },
  ...{ places: "selected", ckpt: "checkpoint", model: "model", want: "want", got: "got" },
};
/** What holes are called. */
const called = (holes, words) => holes.map((hole) => words[NAMED[hole]] ?? hole);
/** A name flush on the right. */
const flush = (name, columns) => " ".repeat(columns - columnsOf(name)) + name;

export function product(names, value) {
  const numbers = ints(names, value);
  if (!numbers || numbers[1] === numbers[2]) return null;
  const [m, k, k2, n] = numbers;
  const top = 22;
  const left = wide(`${m}`) + 10;
  const [width, height] = [scaled(k, Math.max(k, k2), 30, 100), scaled(m, Math.max(m, n), 30, 80)];
  const left2 = left + width + 26 + wide(`${k2}`);
  const [width2, height2] = [
    scaled(n, Math.max(m, n), 30, 80),
    scaled(k2, Math.max(k, k2), 30, 100),
  ];
  const bottom = top + Math.max(height, height2) + 22;
  const shapes = [
    rect(left, top, width, height, "box"),
    rect(left, top - 2, width, 4, "no"),
    text(left + half(width), top - 8, `${k}`, "no"),
    text(left - 6, top + half(height) + 5, `${m}`, "", "end"),
    text(left + width + 12, top + 24, "@"),
    rect(left2, top, width2, height2, "box"),
    rect(left2 - 2, top, 4, height2, "no"),
    text(left2 - 6, top + half(height2) + 5, `${k2}`, "no", "end"),
    text(left2 + half(width2), top - 8, `${n}`),
    text(left, bottom, `${k} ≠ ${k2}`, "no", "start"),
  ];
  return [shapes, [`${m} x [${k}]  @  [${k2}] x ${n}`, `${k} ≠ ${k2}`]];
}

export function sizes([side, ...names], value, words) {
  const holes = called(names, words);
  const rows = names.map((hole) => shapeOf(value(hole)));
  if (rows.includes(null)) return null;
  const columns = Math.max(...rows.map((row) => row.length));
  const placed = rows.map((row) => {
    const open = Array(columns - row.length).fill("");
    return side === "right" ? [...open, ...row] : [...row, ...open];
  });
  const every = [...Array(columns).keys()];
  const apart = every.map((at) => {
    const met = new Set(
      placed.map((row) => row[at]).filter((size) => size && !(side === "right" && size === "1")),
    );
    return met.size > 1 || (side === "left" && !placed.every((row) => row[at]));
  });
  if (!apart.includes(true)) return null;
  const label = Math.max(...holes.map(wide)) + 10;
  const widths = every.map((at) => Math.max(...placed.map((row) => wide(row[at]))) + PADDING);
  const starts = every.map(
    (at) => label + widths.slice(0, at).reduce((sum, width) => sum + width, 0) + 4 * at,
  );
  const shapes = [];
  placed.forEach((row, line) => {
    const y = 4 + 44 * line;
    shapes.push(text(label - 8, y + 18, holes[line], "name", "end"));
    row.forEach((size, at) => {
      const middle = starts[at] + half(widths[at]);
      if (size)
        shapes.push(
          rect(starts[at], y, widths[at], 26, apart[at] ? "no" : "box"),
          text(middle, y + 18, size, apart[at] ? "no" : ""),
        );
      if (line && apart[at] && size && placed[line - 1][at])
        shapes.push(text(middle, y - 4, "≠", "no"));
    });
  });
  const letters = every.map(
    (at) => Math.max(...placed.map((row) => row[at].length)) + 2 * apart[at],
  );
  const name = Math.max(...holes.map(columnsOf));
  const line = (row) =>
    row
      .map((size, at) => (apart[at] && size ? `[${size}]` : size).padStart(letters[at]))
      .join(" ")
      .trimEnd();
  return [shapes, placed.map((row, at) => `${flush(holes[at], name)}  ${line(row)}`)];
}

export function axis(names, value, words) {
  const numbers = ints(names, value);
  if (!numbers || numbers[1] === numbers[2] || numbers[0] >= MOST_SIZES) return null;
  const [dim, ...found] = numbers;
  const holes = called(names.slice(1), words);
  const label = Math.max(...holes.map(wide)) + 10;
  const width = Math.max(...found.map((size) => wide(`${size}`))) + PADDING;
  const start = label + dim * 30;
  const middle = start + half(width);
  const shapes = [text(middle, 14, `dim ${dim}`)];
  found.forEach((size, line) => {
    const y = 22 + 44 * line;
    shapes.push(text(label - 8, y + 18, holes[line], "name", "end"));
    for (let at = 0; at < dim; at++)
      shapes.push(
        rect(label + at * 30, y, 26, 26, "faint"),
        text(label + at * 30 + 13, y + 18, "·", "faint"),
      );
    shapes.push(
      rect(start, y, width, 26, "no"),
      text(middle, y + 18, `${size}`, "no"),
      text(start + width + 8, y + 18, "…", "faint", "start"),
    );
  });
  shapes.push(text(middle, 62, "≠", "no"));
  const name = Math.max(...holes.map(columnsOf));
  const digits = Math.max(...found.map((size) => `${size}`.length)) + 2;
  const lines = found.map(
    (size, at) => `${flush(holes[at], name)}  ${"· ".repeat(dim)}${`[${size}]`.padStart(digits)} …`,
  );
  return [shapes, [...lines, `dim ${dim}: ${found[0]} ≠ ${found[1]}`]];
}

export function channels(names, value, words) {
  const numbers = ints(names, value);
  if (!numbers || numbers[0] === numbers[1]) return null;
  const shapes = [];
  [
    ["no", "got"],
    ["box", "want"],
  ].forEach(([kind, name], column) => {
    const left = 4 + 160 * column;
    const sheets = Math.min(numbers[column], MOST_BOXES);
    for (let at = 0; at < sheets; at++)
      shapes.push(rect(left + 8 * at, 4 + 6 * (MOST_BOXES - sheets + at), 56, 44, kind));
    shapes.push(
      text(left, 100, `${words[name]} ${numbers[column]}`, kind === "no" ? "no" : "", "start"),
    );
  });
  return [shapes, [`${words.got} [${numbers[0]}]  ≠  ${words.want} ${numbers[1]}`]];
}

export function tiles(names, value) {
  const numbers = ints(names.slice(0, 3), value);
  if (!numbers || numbers[0] === numbers[1] || !numbers[2]) return null;
  const [want, got, place] = numbers;
  const tall = (number) => scaled(number, Math.max(want, got), 24, 90);
  const first = Math.max(0, place - 2);
  const left = wide(`${want}`) + 10;
  const shown = Array.from({ length: place + 1 - first }, (_, at) => first + at);
  const shapes = [text(left - 6, 20 + half(tall(want)) + 5, `${want}`, "", "end")];
  shown.forEach((number, column) => {
    const x = left + 52 * column;
    const last = number === place;
    shapes.push(
      rect(x, 20, 50, tall(last ? got : want), last ? "no" : "box"),
      text(x + 25, 14, `${number}`, "name"),
    );
  });
  shapes.push(
    text(left + 52 * shown.length + 6, 20 + half(tall(got)) + 5, `${got}`, "no", "start"),
  );
  const dim = names.length > 3 ? int(value(names[3])) : null;
  if (dim !== null)
    shapes.push(
      text(left, 20 + Math.max(tall(want), tall(got)) + 20, `dim ${dim} →`, "name", "start"),
    );
  const line = shown
    .map((number) => `${number}: ${number === place ? `[${got}]` : want}`)
    .join("  ");
  return [shapes, [line + (dim === null ? "" : `   (dim ${dim})`)]];
}
