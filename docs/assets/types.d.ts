// Shapes that the scripts share: those of torchclinic/find/answer.py, origins_table.py and search.py.
// For the checker alone (`nox -s javascript`): the site has no copy.

/** Of a wording: a literal, or a hole as [name ("" when nobody needs the value), kind]. */
export type Part = string | [string, string];
/** Kind -> [the characters it takes, the most of them]. */
export type Holes = Record<string, [string, number]>;
/** Code of a language -> a text in it. */
export type Texts = Record<string, string>;
export type Tree = [string, ...unknown[]];

export interface WordingEntry {
  symptom: string;
  parts: Part[];
  exception?: string;
  also?: string[];
  role?: string;
  near?: string[];
  unless?: string[];
  when?: string[];
  anchors?: number[]; // of the words of its literals; in the file of an index
}

/** What the scripts go by as modules of the same names in find/ do: content/index.py, TABLES. */
export interface Tables {
  clean: CleanTables;
  pasted: PastedTables;
  match: {
    context: number;
    frequent: number;
    tries: number;
    long: number;
    squeezable: number;
    devices: string[];
  };
  rank: { chains: string[]; roles: string[]; ranks: number[][] };
  lookup: { tail: number; named: number };
  ladder: LadderTables;
  ranks: RanksTables;
  hang: HangTables;
  likely: LikelyTables;
  about: AboutTables;
  condition: { sizes: number; units: Record<string, number> };
}

export interface CleanTables {
  replaced: Record<string, string>;
  entities: Record<string, string>;
  spoken: Record<string, string>;
  edge: string;
  levels: string[];
  code: string[];
  types: string[];
  prefix: { traced: string[]; tries: number; long: number; most: number; ranks: string[] };
  redact: { secret: number; breaks: string; around: string; pins: string[] };
}

export interface LadderTables {
  read: number;
  long: number;
  signals: string[];
  stopped: string[];
  complaints: string[];
  told: number;
  ours: string[];
  folders: string[];
  framed: string[];
  output: string[];
}

export interface RanksTables {
  read: number;
  marks: string[];
  lost: string[];
  waiting: string[];
  root: string;
  signal: string;
  abort: string;
  stops: string[];
  head: string;
  tall: number;
}

export interface HangTables {
  mark: string;
  signs: string[];
  not: string[];
  read: number;
  long: number;
  deep: number;
  works: number;
  kinds: [string, string, string[]][];
  helpers: string[];
  launchers: string[];
  gone: string[];
  still: string[];
  outside: string[];
  together: string[];
  marked: string;
  libraries: string[];
}

export interface StackFrame {
  function: string;
  file: string;
  line: string;
  own: boolean;
}

/** Processes whose main threads stand at one place. */
export interface Group {
  who: string[];
  kind: string;
  detail: string;
  place: string;
  works: boolean;
  worker: boolean;
}

export interface Verdict {
  name: string;
  symptom: string;
  row: string;
  who: string[];
  others: string[];
  place: string;
}

/** Who stands where in a program that hangs, and what follows from it. */
export interface RollCall {
  by: string;
  groups: Group[];
  verdict: Verdict;
}

/** The process that failed first, by its own error. */
export interface First {
  rank: string;
  line: number;
  text: string;
  frame: FailingFrame | null;
  others: string[];
}

export interface LikelyTables {
  begin: number;
  end: number;
  long: number;
  words: number;
  letters: number;
  head_words: number;
  head_letters: number;
  plenty: number;
  raised: string[];
  between: number;
  alike: [string, string][];
}

/** Of a query: pages by their ids, best first, each with its score; whether nothing fits it well. */
export type Pages = [[string, number][], boolean];

export interface AboutTables {
  begin: number;
  end: number;
  long: number;
  named: number;
  counted: number;
  together: number;
  marks: string[];
  outside: string;
  quoted: number;
  words: number;
  errors: string[];
  trouble: string[];
  stops: string[];
  frames: string[];
  signs: string[];
}

export interface FailingFrame {
  file: string;
  line: string;
  function: string;
  library: string;
}

export interface Failure {
  kind: "exception" | "signal" | "cut" | "stopped";
  line: number;
  text: string;
  type: string;
  frame: FailingFrame | null;
}

export interface Likely {
  symptom: string;
  wording: number;
  line: number;
  text: string;
  whole: boolean;
}

export interface PastedTables {
  places: string[];
  frames: string[];
}

export interface Patterns {
  tables: Tables;
  holes: Holes;
  traces: Record<string, string[]>;
  wordings: (Partial<WordingEntry> & { parts: Part[] })[];
  anchors: Record<string, number[]>;
}

export interface CauseEntry {
  row: string;
  title: Texts;
  case?: string;
  say?: Texts;
  if?: Tree;
  likely?: Tree;
}

/** What is said of a symptom once a text was found to print it. */
export interface Advice {
  diagnosis?: Record<string, string[]>;
  pictures?: string[][];
  causes?: CauseEntry[];
  /** The cause met most often, as [its number, threads of it, threads], for all wordings or each. */
  often?: number[][];
}

export interface SymptomEntry extends Advice {
  topic: string;
  title: Texts;
  outranks: string[];
  recover?: string;
}

export interface Index extends Patterns {
  version: number;
  wordings: WordingEntry[];
  symptoms: Record<string, SymptomEntry>;
  devices: Family[];
  /** Whether the advice is in it. */
  told?: boolean;
}

/** An index as a site's file holds it: of the wordings, columns. */
export interface Packed extends Omit<Index, "wordings" | "anchors"> {
  // Titles come with the advice.
  wordings: {
    symptom: number[];
    parts: Part[][];
    places: number[][];
    [sparse: string]: unknown[];
  };
}

/** A family of devices. */
export interface Family {
  id: string;
  name: Texts;
  noun: string;
  signs: string[];
  prints: [string, string][];
  instead: [string, string][];
  tools: string[];
  packages: string[];
}

export interface Occurrence {
  wording: number;
  line: number;
  values: Record<string, string>;
  start: number;
  stop: number;
  segment: number;
  squeezed: boolean;
  before: string;
  after: string;
  type: string;
  letters: number;
}

export interface Cause {
  row: string;
  case: string;
  title: Texts;
  leaning: boolean;
}

/** The row of a table of causes that most readers are served by. */
export interface Often {
  row: string;
  case: string;
  title: Texts;
  threads: number[];
}

export interface Hit {
  symptom: string;
  topic: string;
  title: Texts;
  recover: string;
  line: number;
  raw: string;
  wording: string;
  exception: string;
  values: Record<string, string>;
  why: string[];
  cause: Cause | null;
  often: Often | null;
  row: string;
  seen_in: string[];
  device?: string;
}

export interface Answer {
  status: "match" | "ambiguous" | "likely" | "none" | "empty" | "binary" | "origin";
  hits: Hit[];
  looked_for: string;
  report?: string;
  harmless?: { symptom: string; line: number }[];
  rung?: "sure" | "likely" | "origin" | "cut" | "other" | "about" | "none";
  first?: First;
  hang?: RollCall;
  failure?: Failure;
  about?: string[];
  origin?: object;
}

/** Of the table of PyTorch's messages: text, file, line, function, exception, condition, first, last. */
export type Template = [string, number, number, string, number, string, number, number];

/** What find/origins.py goes by, LISTS. */
export interface Lists {
  left_out: string[];
  behind: string[];
  rewritten: string[];
  kept: string[];
  source: string;
  documented: string;
  issues: string;
}

export interface Table {
  releases: string[];
  files: string[];
  classes: string[];
  public: Record<string, string>;
  lists: Lists;
  /** A column for each field of a template. */
  templates: unknown[][];
}

export interface Message {
  text: string;
  places: Template[];
  readonly parts: Part[];
}

export interface Origins extends Patterns {
  wordings: Message[];
  releases: string[];
  files: string[];
  classes: string[];
  lists: Lists;
  public: Map<string, string>;
}

export interface Frame {
  file: string;
  function: string;
  code: string;
}

export interface Place {
  name: string;
  function: string;
  file: string;
  number: number;
  exception: string;
  condition: string;
  first: string;
  last: string;
  unread: boolean;
  public: string;
  documentation: string;
  source: string;
  raised: boolean;
}

export interface Origin {
  line: number;
  raw: string;
  message: string;
  search: string;
  places: Place[];
}

/** A word of a text, or a row of Chinese characters: its terms, the whole, bare, as it is written. */
export interface Run {
  parts: string[];
  whole: string;
  bare: string;
  written: string;
}

export interface SearchIndex {
  version: number;
  language: string;
  /** Id, address, title, prior. */
  docs: [string, string, string, number][];
  /** Summary, [anchor, heading]; left out where they come later. */
  texts?: [string, [string, string][]][];
  terms: string;
  postings: string;
  phrases: string[];
  groups: string[][];
  traditional: [string, string];
  stop: [string, string];
  /** Words of the interface, in the language of these pages. */
  words: Record<string, string>;
}

export interface FoundPage {
  doc: number;
  score: number;
  coverage?: number;
  /** Their numbers, and whether they are shown at once. */
  sections?: [number, boolean][];
}

export interface Found {
  hits: FoundPage[];
  weak: boolean;
}
