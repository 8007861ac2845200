// Pictures of the reader's own numbers. Twin of torchclinic/find/picture.py, which says what is drawn.

const MOST_SIZES = 8;
const MOST_BOXES = 6;
const MOST_DIGITS = 13;
const MOST_LETTERS = 200;
const UNITS = { bytes: 0, B: 0, KiB: 1, KB: 1, MiB: 2, MB: 2, GiB: 3, GB: 3, TiB: 4, TB: 4 };
const CHAR = 8;
const PADDING = 14;

/** The first of some pictures whose values are there, as boxes, texts and lines; null if there is none. */
export function draw(pictures, values, words) {
  const value = (name) => (Object.hasOwn(values, name) && [...values[name]].length <= MOST_LETTERS ? strip(values[name]) : "");
  for (const [kind, ...names] of pictures) {
    const made = DRAW[kind](names, value, words);
    if (!made) continue;
    const [shapes, lines] = made;
    const right = Math.max(...shapes.map(rightOf));
    const bottom = Math.max(...shapes.map((shape) => shape[2] + (shape[0] === "rect" ? shape[4] : 4)));
    return { width: right + 4, height: bottom + 4, shapes, lines };
  }
  return null;
}

/** A drawn picture as an element. */
export function svg({ width, height, shapes, lines }) {
  const made = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const picture = made("svg", { class: "tc-picture", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": lines.join("; ") });
  for (const [kind, x, y, ...rest] of shapes) {
    if (kind === "rect") picture.append(made("rect", { x, y, width: rest[0], height: rest[1], class: rest[2] }));
    else picture.append(Object.assign(made("text", { x, y, "text-anchor": rest[0], class: rest[1] }), { textContent: rest[2] }));
  }
  return picture;
}

function rightOf(shape) {
  if (shape[0] === "rect") return shape[1] + shape[3];
  return shape[1] + { start: wide(shape[5]), middle: Math.ceil(wide(shape[5]) / 2), end: 0 }[shape[3]];
}

function strip(made) {
  let [start, end] = [0, made.length];
  while (start < end && made[start] === " ") start++;
  while (end > start && made[end - 1] === " ") end--;
  return made.slice(start, end);
}

const columnsOf = (text) => [...text].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e7f ? 2 : 1), 0);
const wide = (text) => CHAR * columnsOf(text);
const rect = (x, y, width, height, kind) => ["rect", x, y, width, height, kind];
const text = (x, y, made, kind = "", anchor = "middle") => ["text", x, y, anchor, kind, made];
const half = (number) => Math.floor(number / 2);
const isDigits = (made) => made !== "" && [...made].every((c) => c >= "0" && c <= "9");
const int = (made) => (made.length <= MOST_DIGITS && isDigits(made) ? Number(made) : null);
const scaled = (number, largest, least, most) => least + Math.floor((number * (most - least)) / Math.max(largest, 1));

function ints(names, value) {
  const found = names.map((name) => int(value(name)));
  return found.includes(null) ? null : found;
}

function shapeOf(made) {
  const sizes = (made.endsWith(",") ? made.slice(0, -1) : made).split(",").map(strip);
  const good = sizes.every((size) => size === "-1" || int(size) !== null);
  return good && sizes.length <= MOST_SIZES ? sizes : null;
}

function product(names, value) {
  const numbers = ints(names, value);
  if (!numbers || numbers[1] === numbers[2]) return null;
  const [m, k, k2, n] = numbers;
  const top = 22;
  const left = wide(`${m}`) + 10;
  const [width, height] = [scaled(k, Math.max(k, k2), 30, 100), scaled(m, Math.max(m, n), 30, 80)];
  const left2 = left + width + 26 + wide(`${k2}`);
  const [width2, height2] = [scaled(n, Math.max(m, n), 30, 80), scaled(k2, Math.max(k, k2), 30, 100)];
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

function sizes([side, ...holes], value) {
  const rows = holes.map((hole) => shapeOf(value(hole)));
  if (rows.includes(null)) return null;
  const columns = Math.max(...rows.map((row) => row.length));
  const placed = rows.map((row) => {
    const open = Array(columns - row.length).fill("");
    return side === "right" ? [...open, ...row] : [...row, ...open];
  });
  const every = [...Array(columns).keys()];
  const apart = every.map((at) => {
    const met = new Set(placed.map((row) => row[at]).filter((size) => size && !(side === "right" && size === "1")));
    return met.size > 1 || (side === "left" && !placed.every((row) => row[at]));
  });
  if (!apart.includes(true)) return null;
  const label = Math.max(...holes.map(wide)) + 10;
  const widths = every.map((at) => Math.max(...placed.map((row) => wide(row[at]))) + PADDING);
  const starts = every.map((at) => label + widths.slice(0, at).reduce((sum, width) => sum + width, 0) + 4 * at);
  const shapes = [];
  placed.forEach((row, line) => {
    const y = 4 + 44 * line;
    shapes.push(text(label - 8, y + 18, holes[line], "name", "end"));
    row.forEach((size, at) => {
      const middle = starts[at] + half(widths[at]);
      if (size) shapes.push(rect(starts[at], y, widths[at], 26, apart[at] ? "no" : "box"), text(middle, y + 18, size, apart[at] ? "no" : ""));
      if (line && apart[at] && size && placed[line - 1][at]) shapes.push(text(middle, y - 4, "≠", "no"));
    });
  });
  const letters = every.map((at) => Math.max(...placed.map((row) => row[at].length)) + 2 * apart[at]);
  const name = Math.max(...holes.map((hole) => hole.length));
  const line = (row) => row.map((size, at) => (apart[at] && size ? `[${size}]` : size).padStart(letters[at])).join(" ").trimEnd();
  return [shapes, placed.map((row, at) => `${holes[at].padStart(name)}  ${line(row)}`)];
}

function axis(names, value) {
  const numbers = ints(names, value);
  if (!numbers || numbers[1] === numbers[2] || numbers[0] >= MOST_SIZES) return null;
  const [dim, ...found] = numbers;
  const holes = names.slice(1);
  const label = Math.max(...holes.map(wide)) + 10;
  const width = Math.max(...found.map((size) => wide(`${size}`))) + PADDING;
  const start = label + dim * 30;
  const middle = start + half(width);
  const shapes = [text(middle, 14, `dim ${dim}`)];
  found.forEach((size, line) => {
    const y = 22 + 44 * line;
    shapes.push(text(label - 8, y + 18, holes[line], "name", "end"));
    for (let at = 0; at < dim; at++) shapes.push(rect(label + at * 30, y, 26, 26, "faint"), text(label + at * 30 + 13, y + 18, "·", "faint"));
    shapes.push(rect(start, y, width, 26, "no"), text(middle, y + 18, `${size}`, "no"), text(start + width + 8, y + 18, "…", "faint", "start"));
  });
  shapes.push(text(middle, 62, "≠", "no"));
  const name = Math.max(...holes.map((hole) => hole.length));
  const digits = Math.max(...found.map((size) => `${size}`.length)) + 2;
  const lines = found.map((size, at) => `${holes[at].padStart(name)}  ${"· ".repeat(dim)}${`[${size}]`.padStart(digits)} …`);
  return [shapes, [...lines, `dim ${dim}: ${found[0]} ≠ ${found[1]}`]];
}

function channels(names, value, words) {
  const numbers = ints(names, value);
  if (!numbers || numbers[0] === numbers[1]) return null;
  const shapes = [];
  [["no", "got"], ["box", "want"]].forEach(([kind, name], column) => {
    const left = 4 + 160 * column;
    const sheets = Math.min(numbers[column], MOST_BOXES);
    for (let at = 0; at < sheets; at++) shapes.push(rect(left + 8 * at, 4 + 6 * (MOST_BOXES - sheets + at), 56, 44, kind));
    shapes.push(text(left, 100, `${words[name]} ${numbers[column]}`, kind === "no" ? "no" : "", "start"));
  });
  return [shapes, [`${words.got} [${numbers[0]}]  ≠  ${words.want} ${numbers[1]}`]];
}

function tiles(names, value) {
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
    shapes.push(rect(x, 20, 50, tall(last ? got : want), last ? "no" : "box"), text(x + 25, 14, `${number}`, "name"));
  });
  shapes.push(text(left + 52 * shown.length + 6, 20 + half(tall(got)) + 5, `${got}`, "no", "start"));
  const dim = names.length > 3 ? int(value(names[3])) : null;
  if (dim !== null) shapes.push(text(left, 20 + Math.max(tall(want), tall(got)) + 20, `dim ${dim} →`, "name", "start"));
  const line = shown.map((number) => `${number}: ${number === place ? `[${got}]` : want}`).join("  ");
  return [shapes, [line + (dim === null ? "" : `   (dim ${dim})`)]];
}

function parts(names, value) {
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
    [[elements, `${elements}`, "no"], [box, found.length > 1 ? `${factors} = ${box}` : factors, "box"]].forEach(([number, said, kind], line) => {
      shapes.push(rect(4, 4 + 46 * line, scaled(number, Math.max(elements, box), 6, 300), 18, kind), text(4, 38 + 46 * line, said, line === 0 ? "no" : "", "start"));
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

function strides(names, value, words) {
  const read = names.map((name) => shapeOf(value(name)));
  if (read.includes(null) || read[0].length !== read[1].length || read.flat().includes("-1")) return null;
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
    shapes.push(rect(4 + (width + 2) * number, 4, width, 26, kind || "box"), text(4 + (width + 2) * number + half(width), 22, `${place}`, kind));
  });
  shapes.push(text(4, 48, words.places, "name", "start"));
  return [shapes, [`${words.places}: ${places.map((place, number) => (apart[number] ? `[${place}]` : place)).join(" ")} …`]];
}

function gib(made) {
  const [number, ...rest] = made.split(" ");
  const unit = rest.join(" ");
  const [whole, ...points] = number.split(".");
  const part = points.join(".");
  if (!isDigits(whole) || (part && !isDigits(part)) || number.length > MOST_DIGITS || !Object.hasOwn(UNITS, unit)) return null;
  return Number(number) * 1024 ** (UNITS[unit] - 3);
}

function sizeOf(number) {
  if (number < 1) return `${Math.floor(number * 1024 + 0.5)} MiB`;
  const hundredths = Math.floor(number * 100 + 0.5);
  return `${Math.floor(hundredths / 100)}.${`${hundredths % 100}`.padStart(2, "0")} GiB`;
}

function memory(names, value, words) {
  const [asked, total, free] = ["size", "total", "free"].map((name) => gib(value(name)));
  if (asked === null || !total || free === null || free > total) return null;
  let [used, unused, reserved, mine] = ["used", "cached", "reserved", "mine"].map((name) => gib(value(name)));
  if (unused === null && reserved !== null && used !== null) unused = reserved - used;
  const held = (used ?? 0) + Math.max(unused ?? 0, 0);
  const taken = total - free;
  if (held > taken * 1.02) return null;
  const process = mine === null ? held : Math.min(Math.max(mine, held), taken);
  let found = [["others", taken - process], ["context", process - held], ["used", used ?? 0], ["unused", Math.max(unused ?? 0, 0)], ["free", free]];
  if (mine === null) found = [["rest", taken - held], ...found.slice(2)];
  if (used === null && mine === null) found = [["taken", taken], ["free", free]];
  found = found.filter(([name, size]) => size >= total / 500 || name === "free");
  const shapes = [];
  let x = 4;
  for (const [name, size] of found) {
    const width = Math.max(2, Math.floor((size / total) * 300));
    shapes.push(rect(x, 4, width, 22, name));
    if (name === "free") shapes.push(rect(x, 30, Math.max(2, Math.floor(Math.min(asked / total, 0.5) * 300)), 8, "no"));
    x += width;
  }
  const rows = [...found, ["asked", asked]];
  const lines = [];
  const named = Math.max(...rows.map(([name]) => columnsOf(words[name])));
  rows.forEach(([name, size], line) => {
    const y = 62 + 22 * line;
    const label = words[name];
    const kind = name === "asked" ? "no" : "";
    shapes.push(rect(4, y - 10, 12, 12, kind || name), text(24, y, `${label}  ${sizeOf(size)}`, kind, "start"));
    const bar = "#".repeat(Math.min(30, Math.floor((size / total) * 30 + 0.5)));
    lines.push(`${label}${" ".repeat(named - columnsOf(label))}  ${sizeOf(size).padStart(11)}  ${bar}${size > total ? ">" : ""}`);
  });
  return [shapes, lines];
}

const DRAW = { product, sizes, axis, channels, tiles, parts, strides, memory };
