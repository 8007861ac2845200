// The search: from a few words to the pages about them. Twin of torchclinic/find/search.py, which explains each step and the form of the index;
// the two agree on every input (tests/search-vectors.json, tests/test_search.py). Runs in browsers, workers and Node; touches no page.

const LETTERS = 4000, WORDS = 40, LONGEST = 40, TYPED = 12;
const ALIKE = 0.9, LONGER = 0.7, IN_TWO = 0.7, ONE_SLIP = 0.8, TWO_SLIPS = 0.6;
const FORMS = 40, CLOSER = 20;
const FULL = 16, GIVEN = 0.3, WEAK = 0.6;
const UNKNOWN = 2, UNKNOWN_HAN = 0.5;
const SHORTEST = 12;
const NAMED = 0.3, SHOWN = 0.5;
const STOP = new Set(
  (
    "a about after all an and any are as at be because been before being but by can cannot could did do does doing don done during for from get getting gets" +
    " got had has have having help here hi how i if in into is it its just like make me my need no of on or other our please should so some still such than" +
    " that the their them then there these they this those to too try trying up us use used using very via want was way we were what when where which while" +
    " who why will with without would you your doesn isn didn won aren wasn ve ll re"
  ).split(" "),
);
const STOP_HAN =
  /是什么原因|什么原因|怎么回事|怎么解决|如何解决|解决方法|解决办法|怎么处理|怎么办|为什么|怎么样|是不是|有没有|什么意思|怎么|如何|什么|怎样|哪个|哪些|哪里|多少|请问|为何|为啥|一下|一个|的|了|吗|呢|是|吧|啊|我|请/g;
const RUN = /[A-Za-z0-9_]+|[\u3400-\u9fff]+/g;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const MARKS = /[\u0300-\u036f]/g;
const HAN_CHARACTER = /[\u3400-\u9fff]/g;
const HAN = "{"; // above every Latin term, below every Chinese one

const isLetters = (word) => /^[a-z]+$/.test(word);
const isDigits = (word) => /^[0-9]+$/.test(word);
const isSmall = (word) => word.length === 1 || (word.length === 2 && isDigits(word));

const beginning = (text) => Array.from(text.slice(0, 2 * LETTERS)).slice(0, LETTERS).join("");

function fold(text, traditional) {
  return text.normalize("NFKD").replace(MARKS, "").replace(HAN_CHARACTER, (c) => traditional.get(c) ?? c);
}

export function stem(word) {
  if (word.length < 4 || !isLetters(word)) return word;
  if (word.endsWith("ies") && word.length > 4) word = `${word.slice(0, -3)}y`;
  else if (word.endsWith("sses")) word = word.slice(0, -2);
  else if (word.endsWith("s") && !(word.length === 4 ? "si" : "siu").includes(word.at(-2))) word = word.slice(0, -1);
  for (const ending of ["ing", "ed"]) {
    const rest = word.endsWith(ending) ? word.slice(0, -ending.length) : word;
    if (rest === word || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    word = rest.at(-1) === rest.at(-2) && !"lsz".includes(rest.at(-1)) ? rest.slice(0, -1) : rest;
    break;
  }
  if ((word.endsWith("sion") || word.endsWith("tion")) && word.length > 5) word = word.slice(0, -3);
  if (word.length > 4 && word.endsWith("e")) word = word.slice(0, -1);
  if (word.endsWith("izat") || word.endsWith("isat")) word = word.slice(0, -2);
  return word.length > 4 && word.endsWith("is") ? `${word.slice(0, -2)}iz` : word;
}

/** [terms, whole, in one piece, as written] of each word of a text. */
function runs(text, traditional) {
  const found = [];
  for (const run of fold(text, traditional).match(RUN) ?? []) {
    if (run > HAN) {
      for (const part of run.replace(STOP_HAN, " ").split(" ")) {
        if (part) found.push([part.length > 1 ? Array.from({ length: part.length - 1 }, (_, at) => part.slice(at, at + 2)) : [part], "", "", part]);
      }
      continue;
    }
    const bare = run.replaceAll("_", "").slice(0, LONGEST).toLowerCase();
    if (!bare || STOP.has(bare) || isSmall(bare)) continue;
    let parts = (run.slice(0, 2 * LONGEST).match(PART) ?? []).map((part) => part.toLowerCase());
    parts = parts.length > 1 ? parts.filter((part) => part.length > 2 && !STOP.has(part)).map(stem) : [];
    found.push(parts.length ? [parts, stem(bare), bare, run] : [[stem(bare)], "", bare, run]);
  }
  return found;
}

function words(text, traditional) {
  return runs(text, traditional).flatMap(([parts]) => parts);
}

export class Searcher {
  constructor(index) {
    this.docs = index.docs;
    this.texts = index.texts ?? []; // a browser is given them later
    const [old, simplified] = index.traditional;
    this.traditional = new Map(Array.from(old, (c, at) => [c, simplified[at]]));
    this.terms = index.terms.split(" ");
    const coded = index.postings.split(" ");
    this.coded = new Map(this.terms.map((term, at) => [term, coded[at]]));
    this.decoded = new Map();
    this.phrased = index.phrases;
    this.groups = index.groups.map((group) => group.map((text) => words(text, this.traditional)));
    this.alike = new Map();
    this.groups.forEach((group, number) => {
      for (const member of group) this.alike.set(member[0], [...(this.alike.get(member[0]) ?? []), [member, number]]);
    });
  }

  /** [[document, level]]; decoded when asked for: a query needs few. */
  postings(term) {
    let found = this.decoded.get(term);
    if (!found && this.coded.has(term)) this.decoded.set(term, (found = decode(this.coded.get(term))));
    return found;
  }

  /** Terms of a text, with wholes. */
  termsOf(text) {
    return runs(text, this.traditional).flatMap(([parts, whole]) => [...parts, whole]);
  }

  has(term) {
    return this.coded.has(term);
  }

  rarity(term) {
    const having = this.postings(term)?.length ?? 1;
    return Math.floor(Math.log(1 + (this.docs.length - having + 0.5) / (having + 0.5)) * 64 + 0.5) / 64;
  }

  /** The terms of a document's title, and of each of its synonyms. */
  phrases(doc) {
    const term = (high, low) => this.terms[90 * (high.charCodeAt(0) - 33) + low.charCodeAt(0) - 33];
    const codes = this.phrased[doc].split(" ");
    return [words(this.docs[doc][2], this.traditional), ...codes.map((code) => Array.from({ length: code.length / 2 }, (_, at) => term(code[2 * at], code[2 * at + 1])))];
  }

  search(query) {
    return this.read(query).answer();
  }

  read(query) {
    return new Query(this, query);
  }

  lead(answer, stems, whole) {
    if (!stems.length) return answer;
    const numbers = new Map(this.docs.map((doc, number) => [doc[0].slice(doc[0].lastIndexOf("/") + 1), number]));
    const wanted = new Map(stems.filter((stem) => numbers.has(stem)).map((stem, at) => [numbers.get(stem), at]));
    const hits = new Map(answer.hits.map((hit) => [hit.doc, hit]));
    const order = (doc) => (whole ? 0 : hits.has(doc) ? -hits.get(doc).score : 1);
    const first = [...wanted.keys()].sort((a, b) => order(a) - order(b) || wanted.get(a) - wanted.get(b));
    const best = answer.hits.length ? answer.hits[0].score : 1;
    const leading = first.map((doc) => ({ sections: [], ...hits.get(doc), doc, score: best }));
    return { hits: [...leading, ...answer.hits.filter((hit) => !wanted.has(hit.doc))], weak: !leading.length && answer.weak };
  }
}

class Query {
  constructor(made, text) {
    this.made = made;
    this.atoms = [];
    this.places = [];
    const { places } = this;
    for (const [parts, whole, bare, written] of runs(beginning(text), made.traditional)) {
      if (this.atoms.length + parts.length > WORDS) break;
      places.push([this.atoms.length, this.atoms.length + parts.length, whole, bare, written]);
      this.atoms.push(...parts);
    }
    this.weights = this.atoms.map((atom) => made.rarity(atom));
    this.ways = this.atoms.map(() => []);
    this.gains = this.atoms.map(() => new Map());
    this.atoms.forEach((atom, at) => this.say(at, at + 1, [atom], 1));
    for (const [start, end, whole] of places) this.say(start, end, [whole], 1);
    places.slice(1).forEach(([, end, , two], at) => {
      const [start, , , one] = places[at];
      if (one && two) this.say(start, end, [stem(one + two)], 1);
    });
    this.sayOtherwise();
    this.finishWord();
    this.mend();
  }

  say(start, end, words, factor) {
    if (!words.every((word) => this.made.has(word))) return false;
    let sums = new Map();
    words.forEach((word, number) => {
      const value = (this.made.rarity(word) * factor) / words.length;
      const next = new Map();
      for (const [doc, level] of this.made.postings(word)) {
        if (!number || sums.has(doc)) next.set(doc, (sums.get(doc) ?? 0) + value * level);
      }
      sums = next;
    });
    for (let at = start; at < end; at++) {
      this.ways[at].push([words, factor]);
      const gains = this.gains[at];
      for (const [doc, gain] of sums) if (gain > (gains.get(doc) ?? 0)) gains.set(doc, gain);
    }
    return true;
  }

  sayOtherwise() {
    this.atoms.forEach((atom, at) => {
      for (const [member, number] of this.made.alike.get(atom) ?? []) {
        if (!member.every((term, offset) => this.atoms[at + offset] === term)) continue;
        for (const other of this.made.groups[number]) {
          if (other !== member) this.say(at, at + member.length, other, ALIKE);
        }
      }
    });
  }

  finishWord() {
    const last = this.atoms.at(-1) ?? "";
    const known = this.made.has(last);
    if (!last || (last < HAN ? last.length < 3 : known || last.length > 1)) return;
    const longer = this.made.terms.filter((term) => term.startsWith(last) && term !== last).slice(0, FORMS);
    for (const term of longer) this.say(this.atoms.length - 1, this.atoms.length, [term], known ? LONGER / 2 : LONGER);
  }

  mend() {
    this.atoms.forEach((atom, at) => {
      if (this.made.has(atom) || this.gains[at].size) return;
      if (atom > HAN) {
        const near = [this.atoms[at - 1], this.atoms[at + 1]].filter((other) => other && this.made.has(other)).join("");
        this.weights[at] *= [...atom].filter((c) => !near.includes(c)).length * UNKNOWN_HAN;
      } else if (isDigits(atom)) {
        this.weights[at] /= 4;
      } else if (!this.cut(at, atom) && !(this.atoms.length <= TYPED && this.slip(at, atom))) {
        this.weights[at] *= UNKNOWN;
      }
    });
  }

  cut(at, atom) {
    for (let cut = 3; cut < atom.length - 2; cut++) {
      if (this.say(at, at + 1, [atom.slice(0, cut), stem(atom.slice(cut))], IN_TWO)) return true;
    }
    return false;
  }

  slip(at, atom) {
    for (const [most, worth] of [[1, ONE_SLIP], [2, TWO_SLIPS]]) {
      if (atom.length < most * 4 || !isLetters(atom)) return false;
      const near = this.made.terms.filter((term) => term < HAN && term.length > 2 && slips(atom, term, most) <= most);
      for (const term of near) this.say(at, at + 1, [term], worth);
      if (!near.length) continue;
      if (most === 1) this.weights[at] = Math.max(...near.map((term) => this.made.rarity(term)));
      return true;
    }
    return false;
  }

  /** {word as typed: whether this page has it}: what Material marks on the page, and names as missing. */
  typed(doc) {
    return Object.fromEntries(this.places.map(([start, end, , , written]) => [written, this.gains.slice(start, end).some((gains) => gains.has(doc))]));
  }

  answer() {
    let total = 0;
    for (const weight of this.weights) total += weight;
    total ||= 1; // words that every page has
    const docs = [...new Set(this.gains.flatMap((gains) => [...gains.keys()]))];
    const found = docs.map((doc) => {
      let score = 0, covered = 0;
      this.gains.forEach((gains, at) => {
        const gain = gains.get(doc) ?? 0;
        score += gain;
        covered += Math.min(gain, this.weights[at] * FULL);
      });
      const coverage = covered / (total * FULL);
      return [-score * (GIVEN + (1 - GIVEN) * coverage) * this.made.docs[doc][3], doc, coverage];
    });
    const inOrder = (a, b) => a[0] - b[0] || a[1] - b[1];
    found.sort(inOrder);
    for (const one of found.slice(0, CLOSER)) one[0] *= 1 + this.likeness(one[1], total);
    found.sort(inOrder);
    const hits = found.map(([score, doc, coverage], at) => ({ doc, score: -score, coverage, sections: at < 10 ? this.sections(doc, total) : [] }));
    return { hits, weak: !found.length || found[0][2] < WEAK };
  }

  covered(has) {
    let weight = 0;
    this.weights.forEach((own, at) => {
      weight += own * Math.max(0, ...this.ways[at].filter(([way]) => way.every((word) => has.has(word))).map(([, factor]) => factor));
    });
    return weight;
  }

  likeness(doc, total) {
    let best = 0;
    for (const phrase of this.made.phrases(doc)) {
      let whole = total;
      for (const term of phrase) whole += this.made.rarity(term);
      best = Math.max(best, (2 * this.covered(new Set(phrase))) / whole);
    }
    return Math.min(best, 1);
  }

  sections(doc, total) {
    const found = [];
    this.made.texts[doc]?.[1].forEach(([, heading], number) => {
      const has = new Set(this.made.termsOf(heading));
      const covered = this.covered(has);
      if (covered >= total * NAMED) found.push([-covered, number]);
    });
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return found.slice(0, 3).map(([covered, number]) => [number, -covered >= total * SHOWN]);
  }
}

/** The text cut into pieces [piece, whether it has one of these terms], for whoever marks them. */
export function marked(text, terms, traditional) {
  const pieces = [];
  let last = 0;
  for (const run of text.matchAll(RUN)) {
    for (const [start, end] of run[0] > HAN ? hanMarks(fold(run[0], traditional), terms) : latinMarks(run[0], terms, traditional)) {
      pieces.push([text.slice(last, run.index + start), false], [text.slice(run.index + start, run.index + end), true]);
      last = run.index + end;
    }
  }
  return [...pieces, [text.slice(last), false]].filter(([piece]) => piece);
}

function latinMarks(word, terms, traditional) {
  return runs(word, traditional).some(([parts, whole]) => [...parts, whole].some((term) => terms.has(term))) ? [[0, word.length]] : [];
}

function hanMarks(han, terms) {
  const found = [];
  for (let at = 0; at < han.length; at++) {
    if (!terms.has(han.slice(at, at + 2)) && !(han.length === 1 && terms.has(han))) continue;
    const end = Math.min(at + 2, han.length);
    if (found.at(-1)?.[1] >= at) found.at(-1)[1] = end;
    else found.push([at, end]);
  }
  return found;
}

/** Whether the lookup should be asked. */
export const mayBeMessage = (query) => (beginning(query).match(/[A-Za-z]{2,}/g) ?? []).length > 2;

/** The stems whose message the query is, or a piece of one; `hits` and `table` are the lookup's. */
export function recognised(hits, table, query) {
  if (hits.length) return [...new Set(hits.map((hit) => hit.symptom))];
  const needle = beginning(query).split(/[ \t\r\n]+/).filter(Boolean).join(" ").toLowerCase();
  if (/[^\0-\x7f]/.test(needle) || needle.length < SHORTEST) return [];
  const pieces = table.wordings.filter(({ parts }) => parts.some((part) => typeof part === "string" && part.toLowerCase().includes(needle)));
  return [...new Set(pieces.map((wording) => wording.symptom))];
}

function decode(coded) {
  const found = [];
  let doc = 0;
  for (let at = 0; at < coded.length; at++) {
    if (coded[at] === "~") {
      doc += 90;
      continue;
    }
    doc += coded.charCodeAt(at++) - 33;
    found.push([doc, coded.charCodeAt(at) - 33]);
  }
  return found;
}

function slips(one, two, most) {
  if (Math.abs(one.length - two.length) > most) return most + 1;
  let before = [];
  let last = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const row = [at + 1];
    for (let to = 0; to < two.length; to++) {
      let cost = Math.min(last[to] + (one[at] === two[to] ? 0 : 1), last[to + 1] + 1, row[to] + 1);
      if (at && to && one[at] === two[to - 1] && one[at - 1] === two[to]) cost = Math.min(cost, before[to - 1] + 1);
      row.push(cost);
    }
    if (Math.min(...row) > most) return most + 1;
    [before, last] = [last, row];
  }
  return last.at(-1);
}
