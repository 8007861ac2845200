// Reads conditions with the JavaScript twin: `node condition-twin.mjs TABLES.json`, one JSON list
// [tree, clean, values, every, stems] a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { adopt } from "../docs/assets/clean.js";
import { holds } from "../docs/assets/condition.js";
import { Pasted } from "../docs/assets/pasted.js";

const tables = JSON.parse(readFileSync(process.argv[2], "utf8"));
adopt(tables.clean);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const [tree, clean, values, every, stems] = JSON.parse(line);
  const facts = { pasted: new Pasted(clean), values, every, stems: new Set(stems), tables };
  process.stdout.write(`${JSON.stringify(holds(tree, facts))}\n`);
}
