// Reads big pastes and log files off the page's own thread. Messages in: {index}, then {id, text} or {id, file}; out: {id, done} of 0..1 while
// it reads, then {id, answer, lines, kept, numbers}: the answer of lookup.js, its line numbers those of the whole text, the lines around each hit, and the lines
// that decided, as one text, with their numbers.

import { lookup } from "./lookup.js";

const SLICE = 1 << 20; // bytes or characters looked at together
const OVERLAP = 20_000; // characters looked at again with the next slice: a message on the border is found whole
const BEFORE = 40; // lines kept around a hit for the last decision: chains and wrappers stand close by
const AFTER = 15;
const TAIL = 200; // lines kept of the end, where an unknown error stands

let index = null;

self.onmessage = async ({ data }) => {
  if (data.index) {
    index = data.index;
    return;
  }
  const { id } = data;
  try {
    const digest = new Digest();
    const size = data.file ? data.file.size : data.text.length;
    let read = 0;
    for await (const piece of data.file ? slicesOfFile(data.file) : slicesOfText(data.text)) {
      digest.add(piece.text);
      read += piece.size;
      self.postMessage({ id, done: size ? read / size : 1 });
    }
    self.postMessage({ id, ...digest.answer() });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};

function* slicesOfText(text) {
  for (let at = 0; at < text.length; at += SLICE)
    yield { text: text.slice(at, at + SLICE), size: Math.min(SLICE, text.length - at) };
}

/** A file a slice at a time, so that 100 MB never lie in memory at once. UTF-16, as PowerShell writes it, is told by its first bytes. */
async function* slicesOfFile(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const encoding =
    head[0] === 0xff && head[1] === 0xfe
      ? "utf-16le"
      : head[0] === 0xfe && head[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < file.size; at += SLICE) {
    const bytes = await file.slice(at, at + SLICE).arrayBuffer();
    yield {
      text: decoder.decode(bytes, { stream: at + SLICE < file.size }),
      size: bytes.byteLength,
    };
  }
}

/** The few lines of a long text that decide: those around every hit, and the end. */
class Digest {
  constructor() {
    this.rest = ""; // what is looked at again
    this.first = 1; // the number of its first line
    this.kept = new Map(); // line number -> line
    this.empty = true;
    this.binary = null;
  }

  add(piece) {
    const text = this.rest + piece;
    const found = lookup(index, text);
    this.binary ??= found.status === "binary";
    this.empty &&= found.status === "empty";
    const lines = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
    for (const hit of found.hits) {
      const to = Math.min(lines.length, hit.line + AFTER);
      for (let number = Math.max(1, hit.line - BEFORE); number <= to; number++)
        this.kept.set(this.first + number - 1, lines[number - 1]);
    }
    // Whole lines, except where a single line is longer than all that is kept.
    const cut = Math.max(0, text.length - OVERLAP);
    const border = text.lastIndexOf("\n", cut) + 1;
    const from = border || cut;
    this.first +=
      text.slice(0, from).replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n").length - 1;
    this.rest = text.slice(from);
  }

  answer() {
    const end = this.rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
    for (let at = Math.max(0, end.length - TAIL); at < end.length; at++)
      this.kept.set(this.first + at, end[at]);
    const numbers = [...this.kept.keys()].sort((a, b) => a - b);
    const lines = numbers.map((number) => this.kept.get(number));
    if (this.binary || this.empty)
      return {
        answer: { status: this.binary ? "binary" : "empty", hits: [], looked_for: "" },
        lines: [],
      };
    const answer = lookup(index, lines.join("\n"));
    const around = answer.hits.map((hit) => [lines[hit.line - 2] ?? "", lines[hit.line] ?? ""]);
    for (const hit of answer.hits) hit.line = numbers[hit.line - 1];
    return { answer, lines: around, kept: lines.join("\n"), numbers };
  }
}
