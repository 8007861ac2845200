// Answers lookups with the JavaScript twin: `node twin.mjs INDEX.json`, one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { diagnose, lookup } from "../docs/assets/lookup.js";

const index = JSON.parse(readFileSync(process.argv[2], "utf8"));
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const answer = lookup(index, JSON.parse(line));
  for (const hit of answer.hits) hit.diagnosis = { en: diagnose(index, hit, "en"), zh: diagnose(index, hit, "zh") };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
