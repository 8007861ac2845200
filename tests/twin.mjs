// Answers lookups with the JavaScript twin: `node twin.mjs INDEX.json`, one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { climb } from "../docs/assets/ladder.js";
import { diagnose } from "../docs/assets/lookup.js";

const index = JSON.parse(readFileSync(process.argv[2], "utf8"));
// In place of the search, which has a twin of its own: the longest words are the pages.
function search(query) {
  const words = query.split(" ").filter((word) => word.length > 4);
  return [words, query.length % 2 === 1];
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const answer = await climb(index, JSON.parse(line), () => null, search);
  for (const hit of answer.hits)
    hit.diagnosis = { en: diagnose(index, hit, "en"), zh: diagnose(index, hit, "zh") };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
