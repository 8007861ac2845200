// Answers with the JavaScript twin of find/origins.py: `node origins-twin.mjs TABLE.json HOLES.json`, one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { load, origin } from "../docs/assets/origins.js";

const [table, holes] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const origins = load(table, holes);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const text = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(text === "templates" ? origins.wordings.map((wording) => wording.parts) : origin(origins, text))}\n`);
}
