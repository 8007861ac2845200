// Where the processes of a program that hangs stand, and what follows from it: the roll-call. Twin
// of torchclinic/find/hang.py and stacks.py, which explain each step. Its tables come with the index.

/** @import { Group, HangTables, LadderTables, RanksTables, RollCall, StackFrame, Verdict } from "./types" */

import { strip, stripPrefix } from "./clean.js";
import { parted } from "./failure.js";
import { rankOf } from "./ranks.js";

/** @typedef {{ hang: HangTables, ranks: RanksTables, ladder: LadderTables }} Tables */
/** @typedef {{ group: Group, members: Process[] }} Place */
/** @typedef {Map<string, string>} Told */

const DIGITS = "0123456789";

/** @param {string} text */
const isNumber = (text) => text.length > 0 && !strip(text, DIGITS);
/** @param {string} text */
const isShort = (text) => text.length < 6 && isNumber(text);
/** Shorter ones first, as Python sorts them. @param {string} a @param {string} b */
const order = (a, b) => a.length - b.length || compare(a, b);

/** By code points. @param {string} a @param {string} b */
function compare(a, b) {
  const [one, other] = [[...a], [...b]];
  for (let at = 0; at < one.length && at < other.length; at++) {
    const difference =
      /** @type {number} */ (one[at].codePointAt(0)) -
      /** @type {number} */ (other[at].codePointAt(0));
    if (difference) return difference;
  }
  return one.length - other.length;
}

/** As many characters as Python's len counts. @param {string} text @param {string} what */
function lastParted(text, what) {
  const at = text.lastIndexOf(what);
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + what.length)];
}

/** One process, of one dump or of several. */
class Process {
  /** @param {Told} told @param {string} rank */
  constructor(told, rank) {
    this.pid = told.get("pid") ?? "";
    this.command = "";
    this.rank = told.get("rank") ?? rank;
    this.told = told;
    /** @type {{ name: string, status: string, frames: StackFrame[] }[]} */
    this.threads = [];
    /** @type {StackFrame[][]} */
    this.stacks = [];
    this.active = false;
  }

  close() {
    const main =
      this.threads.find(({ name }) => name === "MainThread") ??
      this.threads.find(({ frames }) => isMain(frames)) ??
      this.threads[0];
    if (main) {
      this.stacks.push(main.frames);
      this.active ||= main.status.startsWith("active");
    }
    this.threads = [];
  }

  get frames() {
    return this.stacks.at(-1) ?? [];
  }

  /** @param {HangTables} hang */
  works({ works }) {
    const [first] = this.stacks;
    if (this.stacks.some((stack) => JSON.stringify(stack) !== JSON.stringify(first))) return true;
    if (this.told.get("state") === "R") return true;
    const cpu = this.told.get("cpu");
    return cpu === undefined ? this.active : numberOf(cpu) >= works;
  }

  /** @param {HangTables} hang */
  spins(hang) {
    const [first, ...rest] = this.stacks.map((stack) => JSON.stringify(stack));
    const still = rest.length > 0 && rest.every((stack) => stack === first);
    return still && this.works(hang) && this.told.has("gpu");
  }

  get stopped() {
    return ["T", "t"].includes(this.told.get("state") ?? "");
  }
}

/**
 * Who stands where, and the verdict; null where the text holds no dump of a program that hangs.
 * @param {string} clean
 * @param {Tables} tables
 * @returns {RollCall | null}
 */
export function rollCall(clean, tables) {
  const { hang } = tables;
  if (!hang.signs.some((sign) => clean.includes(sign))) return null;
  if (hang.not.some((sign) => clean.includes(sign))) return null;
  const processes = processesOf(clean, tables).filter(
    (one) => one.frames.length || one.told.get("state"),
  );
  if (!processes.length) return null;
  const blind = !processes.some((one) => one.frames.length);
  const parents = new Set(processes.map((one) => one.told.get("parent") ?? ""));
  const by = processes.some((one) => one.rank) ? "rank" : "process";
  /** @type {Place[]} */
  const places = [];
  processes.forEach((one, number) => {
    const group = groupOf(one, hang, blind);
    const helpers = [...hang.helpers, ...(one.frames.length ? [] : hang.launchers)];
    if (group.kind === "launcher" || helpers.some((name) => one.command.includes(name))) return;
    if (group.kind === "unseen" && !blind && !one.rank) return;
    if (one.pid && parents.has(one.pid) && !one.rank && by === "rank") return;
    const name = one.rank || one.pid || String(number + 1);
    let place = places.find(({ group: other }) => isSame(other, group));
    if (!place) {
      place = { group, members: [] };
      places.push(place);
    }
    place.members.push(one);
    if (!place.group.who.includes(name)) place.group.who.push(name);
  });
  for (const { group } of places) group.who.sort(order);
  if (!places.length) return null;
  return { by, groups: places.map(({ group }) => group), verdict: verdictOf(places, hang) };
}

/** @param {Group} one @param {Group} other */
const isSame = (one, other) =>
  one.kind === other.kind &&
  one.detail === other.detail &&
  one.place === other.place &&
  one.works === other.works &&
  one.worker === other.worker;

/** @param {string} clean @param {Tables} tables */
function processesOf(clean, tables) {
  const { read, long, deep, mark } = tables.hang;
  /** @type {Map<string, Process>} */
  const found = new Map();
  /** @type {Map<string, Process>} */
  const current = new Map();
  /** @param {string} prefix */
  const close = (prefix) => {
    current.get(prefix)?.close();
    current.delete(prefix);
  };
  /** @param {Told} told @param {string} prefix */
  const open = (told, prefix) => {
    close(prefix);
    const one = known(found, told, prefix);
    current.set(prefix, one);
    return one;
  };
  for (const line of clean.split("\n", read)) {
    const prefix = rankOf(line, tables.ranks);
    const text = stripPrefix(cut(line, long));
    const thread = threadOf(text);
    if (text.startsWith(mark)) {
      /** @type {Told} */
      const told = new Map();
      for (const word of text.slice(mark.length).split(" ")) {
        const [name, value] = parted(word, "=");
        if (value) told.set(name, value);
      }
      close(prefix);
      if (told.has("pid")) open(told, prefix);
    } else if (text.startsWith("Process ") && text.slice(8, 30).includes(":")) {
      const [pid, command] = parted(text.slice(8), ":");
      if (strip(pid, DIGITS)) continue;
      let one = current.get(prefix);
      if (!one || one.pid !== pid || one.threads.length)
        one = open(new Map([["pid", pid]]), prefix);
      one.command = command;
    } else if (thread) {
      const { name, status, number } = thread;
      let one = current.get(prefix);
      if (!one || ends(one, name)) {
        const again = one && !name && one.told.has(tables.hang.marked);
        const key = { pid: "", thread: prefix ? "" : number };
        one = open(one && again ? one.told : new Map(Object.entries(key)), prefix);
      }
      one.threads.push({ name, status, frames: [] });
    } else {
      const last = current.get(prefix)?.threads.at(-1);
      const frame = last && frameOf(text, tables);
      if (frame && last.frames.length < deep) last.frames.push(frame);
    }
  }
  for (const prefix of [...current.keys()]) close(prefix);
  return [...found.values()];
}

/** The first characters, counted as Python does. @param {string} line @param {number} long */
const cut = (line, long) => (line.length > long ? [...line].slice(0, long).join("") : line);

/** @param {Map<string, Process>} found @param {Told} told @param {string} prefix */
function known(found, told, prefix) {
  const [pid, host] = [told.get("pid") ?? "", told.get("host") ?? ""];
  const key = pid ? `${host} ${pid}` : prefix ? `rank ${prefix}` : `at ${told.get("thread")}`;
  const one = found.get(key) ?? new Process(told, prefix);
  found.set(key, one);
  one.told = new Map([...one.told, ...told]);
  return one;
}

/** Does a thread of this name begin another process? @param {Process} one @param {string} name */
function ends({ threads }, name) {
  const last = threads.at(-1);
  if (!last) return false;
  return name ? name === "MainThread" : !last.name && isMain(last.frames);
}

/** @param {StackFrame[]} frames */
function isMain(frames) {
  const last = frames.at(-1);
  return (
    last !== undefined && !(last.file.endsWith("threading.py") && last.function === "_bootstrap")
  );
}

/** @param {string} text */
function threadOf(text) {
  const start = ["Thread ", "Current thread "].find((word) => text.startsWith(word));
  if (!start || !text.includes("(")) return null;
  const [number, rest] = parted(text.slice(start.length), " ");
  if (rest.includes("(most recent call first)")) return { name: "", status: "", number };
  const [status, name] = parted(rest.startsWith("(") ? rest.slice(1) : rest, ")");
  return { name: strip(name.startsWith(": ") ? name.slice(2) : name, '"'), status, number };
}

/** @param {string} text @param {Tables} tables @returns {StackFrame | null} */
function frameOf(text, tables) {
  let [called, file, line] = ["", "", ""];
  if (text.startsWith('File "')) {
    const [path, rest] = parted(text.slice(6), '"');
    const begin = ", line ";
    [line, called] = parted(rest.startsWith(begin) ? rest.slice(begin.length) : rest, " in ");
    file = path;
    if (!called || strip(line, DIGITS)) return null;
  } else {
    const [head, inside] = lastParted(text, " (");
    if (!head || !inside.endsWith(")")) return null;
    called = head;
    [file, line] = lastParted(inside.slice(0, -1), ":");
    if (!file || strip(line, DIGITS)) [file, line] = [inside.slice(0, -1), ""];
  }
  const [short, library] = shortened(file.replaceAll("\\", "/"), tables);
  const name = lastParted(called, ".")[1];
  return { function: name, file: short, line, own: Boolean(line) && !library };
}

/** @param {string} file @param {Tables} tables @returns {[string, boolean]} */
function shortened(file, { ladder: { folders }, hang: { libraries } }) {
  const parts = file.split("/");
  const above = parts.slice(0, -1);
  for (const folder of folders)
    if (above.includes(folder)) return [parts.slice(parts.indexOf(folder) + 1).join("/"), true];
  const at = above.findIndex((part, number) => number && part.startsWith("python3."));
  if (at > 0) return [parts.slice(at + 1).join("/"), true];
  const head = parts[0].endsWith(".py") ? parts[0].slice(0, -3) : parts[0];
  return [file, file.startsWith("<") || libraries.includes(head)];
}

/**
 * What a stack does, and in which function.
 * @param {StackFrame[]} frames
 * @param {HangTables} hang
 * @param {string[]} without
 * @returns {[string, string]}
 */
function kindOf(frames, { kinds }, without = []) {
  for (const [kind, file, functions] of kinds) {
    if (without.includes(kind)) continue;
    for (const frame of frames) {
      const inside = file.endsWith("/") ? frame.file.includes(file) : frame.file.endsWith(file);
      if (inside && (!functions.length || functions.includes(frame.function)))
        return [kind, frame.function];
    }
  }
  return ["own", frames[0]?.function ?? ""];
}

/** @param {Process} one @param {HangTables} hang @param {boolean} blind @returns {Group} */
function groupOf(one, hang, blind) {
  let frames = one.frames;
  let [kind, detail] = kindOf(frames, hang);
  const worker = kind === "worker";
  if (worker) {
    frames = frames.slice(
      0,
      frames.findIndex((frame) => frame.function === "_worker_loop"),
    );
    const fetches = frames.some(({ file }) => file.endsWith("_utils/fetch.py"));
    [kind, detail] = fetches ? kindOf(frames, hang, ["worker", "loader"]) : ["idle", ""];
  }
  if (kind === "own" && (frames.length || blind)) kind = one.told.get("call") ?? kind;
  if (kind === "own" && !frames.length) kind = "unseen";
  const own = frames.find((frame) => frame.own);
  const place = own ? `${own.function} (${own.file}:${own.line})` : "";
  const spins = ["own", "gpu", "backward"].includes(kind) && one.spins(hang);
  if (one.stopped) kind = "debugger";
  else if (spins) kind = "spins";
  else if (["Z", "X"].includes(one.told.get("state") ?? "")) kind = "dead";
  return {
    who: [],
    kind,
    detail,
    place,
    works: one.works(hang) && !hang.still.includes(kind),
    worker,
  };
}

/** @param {string} text */
function numberOf(text) {
  const [whole, part] = parted(text.slice(0, 12), ".");
  return isNumber(whole + part) ? Number(`${whole || 0}.${part || 0}`) : 0;
}

/**
 * What follows from where they stand; the first that holds.
 * @param {Place[]} places
 * @param {HangTables} hang
 * @returns {Verdict}
 */
function verdictOf(places, hang) {
  const every = places.map(({ group }) => group);
  const mains = every.filter(({ worker, kind }) => !worker && !hang.gone.includes(kind));
  const together = [...hang.together, "spins"];
  const waits = mains.filter(
    ({ kind, works }) => together.includes(kind) && !(works && kind === "backward"),
  );
  const others = mains.filter((group) => !waits.includes(group));
  const count = mains.reduce((sum, { who }) => sum + who.length, 0);
  /** @param {string} name @param {Group[]} groups @param {string} symptom @param {string} row @returns {Verdict} */
  const say = (name, groups, symptom = "", row = "") => {
    const who = [...new Set(groups.flatMap((group) => group.who))].sort(order);
    const rest = new Set(waits.flatMap((group) => group.who));
    for (const one of who) rest.delete(one);
    const place = groups.find((group) => group.place)?.place ?? "";
    return { name, symptom, row, who, others: [...rest].sort(order), place };
  };
  /** @param {Group[]} groups @param {string} kind */
  const of = (groups, kind) => groups.filter((group) => group.kind === kind);
  if (!places.some(({ members }) => members.some((one) => one.frames.length)))
    return say("blind", every);
  let found = of(every, "debugger");
  if (found.length) return say("stopped", found);
  found = of(mains, "builds");
  if (found.length) return say("builds", found, "extension-compile");
  found = of(mains, "lock-file");
  if (found.length) return say("lock-file", found, "extension-lock-hang", "killed-build");
  found = of(mains, "input");
  if (found.length) return say("input", found);
  found = of(mains, "store");
  if (found.length) return say("store", found, "rendezvous-network");
  found = of(mains, "loader").filter(({ works }) => !works);
  if (found.length) return ofLoader(places, found, say, hang);
  found = of(others, "compile");
  if (found.length) return say("compile", found, "compile-never-ends");
  if (waits.length && others.length) {
    found = others.filter(({ works }) => works);
    if (found.length) return say("late", found, "collective-deadlock", "slow-rank");
    return say("absent", others, "collective-deadlock");
  }
  found = of(waits, "spins");
  if (found.length) return say("spins", found, count > 1 ? "hang-flight-recorder" : "");
  const missing = waits.length ? missingOf(places) : [];
  if (missing.length) {
    const name = isKilled(places) ? "missing-killed" : "missing";
    return { ...say(name, waits, "collective-deadlock", "other-rank-died"), who: missing };
  }
  if (waits.length && (count < 2 || of(every, "unseen").length))
    return say("alone", waits, "collective-deadlock");
  if (waits.some((one) => !isSame({ ...waits[0], works: one.works }, one)))
    return say("different", waits, "collective-deadlock", "different-calls");
  if (waits.length) return say("same", waits, "collective-deadlock", "same-call");
  found = mains.filter(({ works }) => works);
  if (found.length) return say("works", found);
  const [most, ...rest] = [...mains].sort((a, b) => b.who.length - a.who.length);
  const ranked = places.every(
    ({ group, members }) => !mains.includes(group) || members.every((one) => one.rank),
  );
  if (rest.length && ranked) {
    const apart = mains.filter((group) => group !== most);
    return { ...say("apart", apart, "hang-flight-recorder"), others: most.who };
  }
  for (const kind of "server gpu drive read write open network lock queue child".split(" ")) {
    found = of(mains, kind);
    if (kind === "queue" && found.length && of(every, "dead").length)
      return isKilled(places)
        ? say("queue-killed", found, "process-dies-silently", "killed-for-memory")
        : say("queue-dead", found, "process-dies-silently");
    if (found.length) return say(kind, found);
  }
  if (!mains.length && every.some(({ kind }) => kind !== "idle"))
    return ofLoader(places, [], say, hang);
  return say("unclear", mains);
}

/** Has the kernel ended a process beside these for want of memory? @param {Place[]} places */
const isKilled = (places) =>
  places.some(({ members }) => members.some(({ told }) => told.get("oom") !== undefined));

/** Ranks below the number of ranks of which no process is there. @param {Place[]} places */
function missingOf(places) {
  const members = places.flatMap(({ group, members }) => (group.worker ? [] : members));
  const worlds = members.map(({ told }) => told.get("world") ?? "").filter(isShort);
  const seen = new Set(members.map(({ rank }) => rank).filter(isShort));
  const most = Math.max(-1, ...(worlds.length ? worlds : [...seen]).map(Number));
  const end = Math.min(worlds.length ? most : most + 1, 4096);
  const missing = [];
  for (let rank = 0; rank < end; rank++) if (!seen.has(String(rank))) missing.push(String(rank));
  return missing;
}

/**
 * Main processes wait for a batch: what do the workers do?
 * @param {Place[]} places
 * @param {Group[]} waiting
 * @param {(name: string, groups: Group[], symptom?: string, row?: string) => Verdict} say
 * @param {HangTables} hang
 */
function ofLoader(places, waiting, say, hang) {
  const every = places.map(({ group }) => group);
  const workers = every.filter(({ worker }) => worker);
  const busy = workers.filter(({ kind }) => kind !== "idle");
  const page = "loader-hangs";
  const working = busy.filter(({ works }) => works);
  const locked = busy.filter(({ kind }) => kind === "lock");
  const reads = busy.filter(({ kind }) => hang.outside.includes(kind));
  if (every.some(({ kind }) => kind === "dead"))
    return say(isKilled(places) ? "dead-killed" : "dead-worker", waiting, "worker-killed");
  if (!workers.length) return say("workers-unseen", waiting, page, "any-worker");
  if (working.length) return say("worker-slow", working, page, "only-slow");
  if (locked.length) return say("worker-lock", locked, page, "lock-at-fork");
  if (reads.length) return say("worker-reads", reads, page, "stuck-sample");
  if (busy.length) return say("worker-stands", busy, page, "any-worker");
  return say("workers-idle", waiting, page, "any-worker");
}
