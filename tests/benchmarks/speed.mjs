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

/** How many times the first's processor time the second takes: in turns, so a busy machine slows both. */
function compare(first, second, times = 15) {
  const ratios = [];
  for (let n = 0; n < times + 3; n++) {
    const base = once(first);
    const ratio = once(second) / base;
    if (n > 2) ratios.push(ratio);
  }
  return ratios.sort((a, b) => a - b)[times >> 1];
}

function loop(text) {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
  return sum;
}

let sink = 0;
const onLog = () => lookup(index, log);
const times = {
  log: compare(() => (sink += loop(log)), onLog),
  ten: compare(onLog, () => lookup(ten, log)),
};
let most = 0;
let name = "";
for (const [key, text] of Object.entries(hostile)) {
  once(() => lookup(index, text));
  const spent = once(() => lookup(index, text));
  if (spent > most) [most, name] = [spent, key];
}
times.worst = compare(onLog, () => lookup(index, hostile[name]));
console.log(JSON.stringify({ ...times, name, sink }));
