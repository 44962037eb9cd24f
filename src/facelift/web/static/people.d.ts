// Types of the documents of a page; made by tools/make_document_types.py.

export interface Added {
  table: string;
}

export interface Axis {
  name: string;
  label: string;
  ticks: (Tick)[];
}

export interface Band {
  band: "none" | "few" | "some" | "many" | "reached" | "unknown";
  words: string;
  n: number;
}

export interface Choice {
  name: string;
  label: string;
}

export interface Compared {
  label: string;
  values: (string)[];
  differ: boolean;
}

export interface Door {
  examples: (Offer)[];
  first: string | null;
  can_bring: boolean;
}

export interface Dot {
  person: number;
  x: number;
  y: number;
  band: "none" | "few" | "some" | "many" | "reached" | "unknown";
  title: string;
}

export interface DraftColumn {
  name: string;
  label: string;
  kind: "number" | "yes or no" | "money" | "percent" | "date" | "category" | "ordered" | "left out";
  kinds: ("number" | "yes or no" | "money" | "percent" | "date" | "category" | "ordered" | "left out")[];
  unit: string;
  has_unit: boolean;
  has_order: boolean;
  change: "any" | "never" | "increase" | "decrease";
  price: "easy" | "normal" | "hard" | "very hard";
  values: string;
  bars: (number)[];
  checks: (string)[];
}

export interface Everybody {
  schema: string;
  title: string;
  facts: string;
  rejected: string;
  goal: string;
  done: number;
  of: number;
  progress: string;
  notes: (string)[];
  bands: (Band)[];
  columns: (Choice)[];
  groupings: (Choice)[];
  measures: (Choice)[];
  scatter: Scatter | null;
  groups: GroupTable | null;
  start: number | null;
  can_last: boolean;
  example: string;
}

export interface GroupRow {
  name: string;
  n: number;
  words: string;
  at: number | null;
  low: number | null;
  high: number | null;
  is_small: boolean;
  ways: string;
}

export interface GroupTable {
  by: string;
  measure: "coverage" | "cost" | "destinations";
  rows: (GroupRow)[];
  ticks: (Tick)[];
  verdict: string;
}

export interface Lasting {
  words: string;
  ways: (LastingWay)[];
}

export interface LastingWay {
  letter: string;
  colour: number;
  words: string;
  outlook: string;
  lasts: string;
}

export interface Offer {
  key: string;
  title: string;
  words: string;
}

export interface Opened {
  state: "opening" | "open" | "failed";
  error: string;
  everybody: Everybody | null;
}

export interface Past {
  words: string;
  ways: (PastWay)[];
}

export interface PastStep {
  words: string;
  outlook: string;
  lost: boolean;
}

export interface PastWay {
  start: string;
  steps: (PastStep)[];
  fork: string;
}

export interface People {
  people: (Person)[];
  n_found: number;
  counts: Record<string, number>;
}

export interface Person {
  person: number;
  title: string;
  facts: string;
  band: "none" | "few" | "some" | "many" | "reached" | "unknown";
  ways: string;
  outlook: string;
  picture: string;
}

export interface Rules {
  table: string;
  title: string;
  facts: string;
  targets: (string)[];
  target_column: string;
  answers: (string)[];
  target: string;
  columns: (DraftColumn)[];
  n_checks: number;
  text: string;
}

export interface Scatter {
  across: Axis;
  up: Axis;
  dots: (Dot)[];
  note: string;
}

export interface SideBySide {
  people: (Person)[];
  outlook: (Compared)[];
  columns: (Compared)[];
}

export interface Tick {
  at: number;
  label: string;
}
