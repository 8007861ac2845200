// Answers queries with the JavaScript search: `node search-twin.mjs SEARCH-INDEX LOOKUP-INDEX`, one JSON string a line in, one answer a line out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { lookup } from "../docs/assets/lookup.js";
import { Searcher, mayBeMessage, recognised } from "../docs/assets/search.js";

const [index, table] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const searcher = new Searcher(index);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const query = JSON.parse(line);
  let answer = searcher.search(query);
  if (mayBeMessage(query)) {
    const { hits } = lookup(table, query);
    answer = searcher.lead(answer, recognised(hits, table, query), hits.length > 0);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
