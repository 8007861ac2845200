// Answers queries with the JavaScript search: `node search-twin.mjs SEARCH-INDEX LOOKUP-INDEX`,
// one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { lookup } from "../docs/assets/lookup.js";
import { lead, mayBeMessage, recognised, search } from "../docs/assets/search.js";
import { SearchTable } from "../docs/assets/search-table.js";

const [searched, index] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, "utf8")));
const table = new SearchTable(searched);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const query = JSON.parse(line);
  let answer = search(table, query);
  if (mayBeMessage(query)) {
    const { hits } = lookup(index, query);
    answer = lead(table, answer, recognised(hits, index, query), hits.length > 0);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
