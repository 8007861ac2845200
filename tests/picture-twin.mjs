// Draws pictures with the JavaScript twin: one JSON list [pictures, values, words] a line in, one answer a line out.
import { createInterface } from "node:readline";
import { draw } from "../docs/assets/picture.js";

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity }))
  process.stdout.write(`${JSON.stringify(draw(...JSON.parse(line)))}\n`);
