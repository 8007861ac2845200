// Answers with the JavaScript twin of find/origins.py: `node origins-twin.mjs TABLE.json INDEX.json`, one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { origin } from "../docs/assets/origins.js";
import { load } from "../docs/assets/origins-table.js";

const [table, index] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const origins = load(table, index);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const text = JSON.parse(line);
  process.stdout.write(
    `${JSON.stringify(text === "templates" ? origins.wordings.map((wording) => wording.parts) : origin(origins, text))}\n`,
  );
}
