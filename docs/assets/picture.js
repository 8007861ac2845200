// Pictures of the reader's own numbers. Twin of torchclinic/find/picture.py, which says what is drawn.

import { rightOf, strip } from "./drawing.js";
import { memory, parts, strides } from "./drawn-memory.js";
import { axis, channels, product, sizes, tiles } from "./drawn-sizes.js";

const MOST_LETTERS = 200;
const DRAW = { product, sizes, axis, channels, tiles, parts, strides, memory };

/** The first of some pictures whose values are there, as boxes, texts and lines; null if there is none. */
export function draw(pictures, values, words) {
  const value = (name) =>
    Object.hasOwn(values, name) && [...values[name]].length <= MOST_LETTERS
      ? strip(values[name])
      : "";
  for (const [kind, ...names] of pictures) {
    const made = DRAW[kind](names, value, words);
    if (!made) continue;
    const [shapes, lines] = made;
    const right = Math.max(...shapes.map(rightOf));
    const bottom = Math.max(
      ...shapes.map((shape) => shape[2] + (shape[0] === "rect" ? shape[4] : 4)),
    );
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
  const picture = made("svg", {
    class: "tc-picture",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": lines.join("; "),
  });
  for (const [kind, x, y, ...rest] of shapes) {
    if (kind === "rect")
      picture.append(made("rect", { x, y, width: rest[0], height: rest[1], class: rest[2] }));
    else
      picture.append(
        Object.assign(made("text", { x, y, "text-anchor": rest[0], class: rest[1] }), {
          textContent: rest[2],
        }),
      );
  }
  return picture;
}
