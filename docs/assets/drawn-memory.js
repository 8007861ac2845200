// Pictures of elements, strides and memory. Twin of torchclinic/find/drawn_memory.py.

import {
  columnsOf,
  half,
  int,
  isDigits,
  MOST_DIGITS,
  MOST_SIZES,
  PADDING,
  rect,
  scaled,
  shapeOf,
  text,
  UNITS,
  wide,
} from "./drawing.js";

export function parts(names, value) {
  const [elements, found] = [int(value(names[0])), shapeOf(value(names[1]))];
  if (!elements || !found) return null;
  const open = found.filter((size) => size === "-1").length;
  let box = 1;
  for (const size of found) {
    box *= size === "-1" ? 1 : Number(size);
    if (box > 10 ** MOST_DIGITS) return null;
  }
  if (!box || open > 1 || (open ? elements % box === 0 : elements === box)) return null;
  const factors = found.filter((size) => size !== "-1").join(" × ");
  if (!open) {
    const shapes = [];
    [
      [elements, `${elements}`, "no"],
      [box, found.length > 1 ? `${factors} = ${box}` : factors, "box"],
    ].forEach(([number, said, kind], line) => {
      shapes.push(
        rect(4, 4 + 46 * line, scaled(number, Math.max(elements, box), 6, 300), 18, kind),
        text(4, 38 + 46 * line, said, line === 0 ? "no" : "", "start"),
      );
    });
    return [shapes, [`[${elements}] ≠ ${factors}${found.length > 1 ? ` = ${box}` : ""}`]];
  }
  const [full, rest] = [Math.floor(elements / box), elements % box];
  const drawn = [...Array(Math.min(full, 4)).keys()];
  const inside = (at) => (full > 4 && at === 2 ? "…" : wide(`${box}`) <= 52 ? `${box}` : "");
  const shapes = [
    ...drawn.map((at) => rect(4 + 56 * at, 4, 54, 26, "box")),
    ...drawn.map((at) => text(4 + 56 * at + 27, 22, inside(at))),
    rect(4 + 56 * drawn.length, 4, scaled(rest, box, 6, 54), 26, "no"),
    text(4, 52, `${elements} = ${full} × ${box} + ${rest}`, "no", "start"),
  ];
  return [shapes, [`${elements} = ${full} x ${box} + [${rest}]`]];
}

export function strides(names, value, words) {
  const read = names.map((name) => shapeOf(value(name)));
  if (read.includes(null) || read[0].length !== read[1].length || read.flat().includes("-1"))
    return null;
  const [shape, steps] = read.map((row) => row.map(Number));
  if (shape.includes(0)) return null;
  const places = [0];
  const at = shape.map(() => 0);
  for (let left = MOST_SIZES - 1; left > 0; left--) {
    let axis = shape.length - 1;
    for (; axis >= 0; axis--) {
      at[axis] += 1;
      if (at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
    if (axis < 0) break; // all of them
    places.push(at.reduce((sum, one, number) => sum + one * steps[number], 0));
  }
  const apart = places.map((place, number) => number > 0 && place !== places[number - 1] + 1);
  if (!apart.includes(true)) return null;
  const width = Math.max(...places.map((place) => wide(`${place}`))) + PADDING;
  const shapes = [];
  places.forEach((place, number) => {
    const kind = apart[number] ? "no" : "";
    shapes.push(
      rect(4 + (width + 2) * number, 4, width, 26, kind || "box"),
      text(4 + (width + 2) * number + half(width), 22, `${place}`, kind),
    );
  });
  shapes.push(text(4, 48, words.places, "name", "start"));
  return [
    shapes,
    [
      `${words.places}: ${places.map((place, number) => (apart[number] ? `[${place}]` : place)).join(" ")} …`,
    ],
  ];
}

function gib(made) {
  const [number, ...rest] = made.split(" ");
  const unit = rest.join(" ");
  const [whole, ...points] = number.split(".");
  const part = points.join(".");
  if (
    !isDigits(whole) ||
    (part && !isDigits(part)) ||
    number.length > MOST_DIGITS ||
    !Object.hasOwn(UNITS, unit)
  )
    return null;
  return Number(number) * 1024 ** (UNITS[unit] - 3);
}

function sizeOf(number) {
  if (number < 1) return `${Math.floor(number * 1024 + 0.5)} MiB`;
  const hundredths = Math.floor(number * 100 + 0.5);
  return `${Math.floor(hundredths / 100)}.${`${hundredths % 100}`.padStart(2, "0")} GiB`;
}

export function memory(_names, value, words) {
  const [asked, total, free] = ["size", "total", "free"].map((name) => gib(value(name)));
  if (asked === null || !total || free === null || free > total) return null;
  let [used, unused, reserved, mine] = ["used", "cached", "reserved", "mine"].map((name) =>
    gib(value(name)),
  );
  if (unused === null && reserved !== null && used !== null) unused = reserved - used;
  const held = (used ?? 0) + Math.max(unused ?? 0, 0);
  const taken = total - free;
  if (held > taken * 1.02) return null;
  const process = mine === null ? held : Math.min(Math.max(mine, held), taken);
  let found = [
    ["others", taken - process],
    ["context", process - held],
    ["used", used ?? 0],
    ["unused", Math.max(unused ?? 0, 0)],
    ["free", free],
  ];
  if (mine === null) found = [["rest", taken - held], ...found.slice(2)];
  if (used === null && mine === null)
    found = [
      ["taken", taken],
      ["free", free],
    ];
  found = found.filter(([name, size]) => size >= total / 500 || name === "free");
  const shapes = [];
  let x = 4;
  for (const [name, size] of found) {
    const width = Math.max(2, Math.floor((size / total) * 300));
    shapes.push(rect(x, 4, width, 22, name));
    if (name === "free")
      shapes.push(
        rect(x, 30, Math.max(2, Math.floor(Math.min(asked / total, 0.5) * 300)), 8, "no"),
      );
    x += width;
  }
  const rows = [...found, ["asked", asked]];
  const lines = [];
  const named = Math.max(...rows.map(([name]) => columnsOf(words[name])));
  rows.forEach(([name, size], line) => {
    const y = 62 + 22 * line;
    const label = words[name];
    const kind = name === "asked" ? "no" : "";
    shapes.push(
      rect(4, y - 10, 12, 12, kind || name),
      text(24, y, `${label}  ${sizeOf(size)}`, kind, "start"),
    );
    const bar = "#".repeat(Math.min(30, Math.floor((size / total) * 30 + 0.5)));
    lines.push(
      `${label}${" ".repeat(named - columnsOf(label))}  ${sizeOf(size).padStart(11)}  ${bar}${size > total ? ">" : ""}`,
    );
  });
  return [shapes, lines];
}
