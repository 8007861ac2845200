// Reads conditions with the JavaScript twin: one JSON list [tree, clean, values, every, stems] a line in, one answer a line out.
import { createInterface } from "node:readline";
import { holds, Paste } from "../docs/assets/condition.js";
import { printedType, stripPrefix } from "../docs/assets/lookup.js";

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const [tree, clean, values, every, stems] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(holds(tree, new Paste(clean, values, every, new Set(stems), { printedType, stripPrefix })))}\n`);
}
