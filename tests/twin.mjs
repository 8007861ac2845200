// Answers lookups with the JavaScript twin: `node twin.mjs INDEX.json ADVICE.json`, one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { climb } from "../docs/assets/ladder.js";
import { diagnose, tell, unpack } from "../docs/assets/lookup.js";

const [packed, advice] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, "utf8")));
const index = unpack(packed);
tell(index, advice);
// In place of the search, which has a twin of its own: the longest words are the pages.
function search(query) {
  const words = query.split(" ").filter((word) => word.length > 4);
  return [words.map((word, place) => [word, 1 / (1 + place)]), query.length % 2 === 1];
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const answer = await climb(index, JSON.parse(line), () => null, search);
  for (const hit of answer.hits)
    hit.diagnosis = { en: diagnose(index, hit, "en"), zh: diagnose(index, hit, "zh") };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
