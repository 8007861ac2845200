// Times the JavaScript matcher: `node speed.mjs FOLDER` with index.json, ten.json, log.json and hostile.json; prints ratios.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lookup } from "../../docs/assets/lookup.js";

const read = (name) => JSON.parse(readFileSync(join(process.argv[2], `${name}.json`), "utf8"));
const [index, ten, log, hostile] = ["index", "ten", "log", "hostile"].map(read);

function once(work) {
  const { user, system } = process.cpuUsage();
  work();
  const after = process.cpuUsage();
  return after.user + after.system - user - system;
}

/** How many times the first's processor time the others take: in turns, so a busy machine slows all. */
function compare(first, ...others) {
  const ratios = others.map(() => []);
  for (let n = 0; n < 18; n++) {
    const base = once(first);
    for (const [at, other] of others.entries()) {
      const ratio = once(other) / base;
      if (n > 2) ratios[at].push(ratio);
    }
  }
  return ratios.map((list) => list.sort((a, b) => a - b)[list.length >> 1]);
}

function loop(text) {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
  return sum;
}

let most = 0;
let name = "";
for (const [key, text] of Object.entries(hostile)) {
  const spent = once(() => lookup(index, text));
  if (spent > most) [most, name] = [spent, key];
}
let sum = 0;
const [onLog, onTen, worst] = compare(
  () => {
    sum += loop(log);
  },
  () => lookup(index, log),
  () => lookup(ten, log),
  () => lookup(index, hostile[name]),
);
console.log(JSON.stringify({ log: onLog, ten: onTen, worst, name, sum }));
