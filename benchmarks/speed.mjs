// Times the JavaScript matcher: `node speed.mjs FOLDER` with index.json, ten.json, log.json and hostile.json; prints milliseconds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lookup } from "../docs/assets/lookup.js";

const read = (name) => JSON.parse(readFileSync(join(process.argv[2], `${name}.json`), "utf8"));
const [index, ten, log, hostile] = ["index", "ten", "log", "hostile"].map(read);

function median(work, times = 15) {
  const seconds = [];
  for (let n = 0; n < times + 3; n++) {
    const started = performance.now();
    work();
    if (n > 2) seconds.push(performance.now() - started);
  }
  return seconds.sort((a, b) => a - b)[times >> 1];
}

function loop(text) {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
  return sum;
}

let sink = 0;
const times = {
  loop: median(() => (sink += loop(log))),
  log: median(() => lookup(index, log)),
  ten: median(() => lookup(ten, log)),
};
let worst = 0;
let name = "";
for (const [key, text] of Object.entries(hostile)) {
  const spent = median(() => lookup(index, text), 1);
  if (spent > worst) [worst, name] = [spent, key];
}
times.worst = median(() => lookup(index, hostile[name]), 5);
console.log(JSON.stringify({ ...times, name, sink }));
