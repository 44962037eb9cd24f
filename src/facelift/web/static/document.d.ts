// Types of the documents of a page; made by tools/make_document_types.py.

export interface Arrival {
  map: Map;
  upright: Map;
  chances: (string)[];
  figures: (number)[];
  decides: (number)[];
  terms: string;
  took: ([string, string])[];
  agree: number | null;
  n_models: number;
  lasts: string;
}

export interface Aspect {
  name: string;
  about: string;
}

export interface Badge {
  letter: string;
  colour: number | null;
  status: "open" | "reached" | "same" | "aside" | "closed" | "gone";
  words: string;
}

export interface Card {
  vertex: number;
  title: string;
  changes: (ChangeWords)[];
  pips: (Pip)[];
  nearer: string;
  closes: string;
  no_return: boolean;
  arrives: string;
  effort: number;
  expected: number;
  before: number | null;
  after: number | null;
  outlook: string;
  tag: string;
  words: string;
  picture: string;
  difference: string;
  size: string;
  trunk: string;
  shifts: string;
}

export interface Cards {
  cards: (Card)[];
  rankings: Record<string, (number)[]>;
  recommended: number | null;
}

export interface ChangeWords {
  name: string;
  before: string;
  after: string;
  by: string;
}

export interface Compared {
  letter: string;
  colour: number;
  cells: (string)[];
  shares: (number | null)[];
  beaten: boolean;
}

export interface Comparison {
  aspects: (Aspect)[];
  ways: (Compared)[];
  orders: Record<string, (string)[]>;
}

export interface Curve {
  letter: string;
  colour: number;
  points: ([number, number])[];
  served: (number)[];
}

export interface Document {
  schema: string;
  case: string;
  walk: Walk;
  state: "walking" | "one way" | "arrived" | "already" | "none";
  kind: "actions" | "rows" | "graph";
  measure: string;
  header: Header;
  badges: (Badge)[];
  banner: string;
  notes: (string)[];
  maps: Record<string, Map>;
  cards: Cards;
  ways: (WayWords)[];
  curves: (Curve)[];
  matrix: Matrix;
  comparison: Comparison;
  settings: Settings;
  history: (Happened)[];
  nothing: Nothing | null;
  can_replan: boolean;
  more_ways: number | null;
  upright: Map | null;
  arrival: Arrival | null;
  undone: string;
}

export interface End {
  letter: string;
  colour: number;
  x: number;
  y: number;
  caption: string;
  note: string;
  words: string;
  texts: (Text)[];
}

export interface Event {
  kind: "step" | "other" | "correction";
  changes: ([string, string | boolean | number, string | boolean | number])[];
  effort: number;
  before: number | null;
  after: number | null;
  time: number;
}

export interface Happened {
  kind: "step" | "other" | "correction";
  changes: (ChangeWords)[];
  effort: number;
  before: number | null;
  after: number | null;
  outlook: string;
}

export interface Header {
  title: string;
  facts: string;
  picture: string;
  outcome: string;
  goal: string;
  reached: boolean;
  chance: number | null;
  needed: number | null;
  outlook: string;
  n_steps: number;
  effort: number;
  to_come: number | null;
  to_come_size: string;
  decided: boolean;
  size: string;
  time: string;
}

export interface Label {
  x: number;
  above: number;
  below: number;
  name: string;
  value: string;
  words: string;
  letters: string;
  number: number | null;
  texts: (Text)[];
}

export interface Limits {
  ease: Record<string, "very easy" | "easy" | "ok" | "hard" | "very hard" | "never">;
  bounds: Record<string, [number, number]>;
  ruled_out: (RuledOut)[];
  edges: ([number, number])[];
  chance: number | null;
  deadline: number | null;
  max_steps: number | null;
  rare: boolean;
  patience: "thorough" | null;
  lifted: (Rule)[];
  undo: boolean | number;
}

export interface Loosen {
  kind: "longer" | "let change" | "beyond" | "allow" | "allow step" | "rules" | "chance" | "time" | "steps" | "rare" | "all";
  words: string;
  limits: Limits;
}

export interface Map {
  width: number;
  height: number;
  scale: "effort" | "steps" | "time";
  axis: string;
  you: Station;
  ticks: (Tick)[];
  strokes: (Stroke)[];
  labels: (Label)[];
  stations: (Station)[];
  ends: (End)[];
  top: number;
  right: number;
  meetings: (Meeting)[];
}

export interface Matrix {
  letters: (string)[];
  colours: (number)[];
  cells: ((number)[])[];
  means: (number | null)[];
  shared: ((number)[])[];
}

export interface Meeting {
  letters: string;
  path: string;
  words: string;
}

export interface Name {
  letter: string;
  key: string;
  colour: number | null;
}

export interface Nothing {
  headline: string;
  text: string;
  best: number | null;
  outlook: string;
  closest: (ChangeWords)[];
  loosen: (Loosen)[];
}

export interface Pip {
  letter: string;
  colour: number | null;
  effect: "nearer" | "open" | "closed";
}

export interface Rule {
  kind: "change" | "rise" | "fall" | "find" | "forbid" | "worse" | "lower" | "upper" | "require" | "steps";
  feature: string;
  start: string | boolean | number | null;
  end: string | boolean | number | null;
  limit: number | null;
  text: string;
}

export interface Ruled {
  kind: string;
  index: number;
  words: string;
}

export interface RuledOut {
  feature: string;
  start: string | boolean | number | null;
  end: string | boolean | number | null;
}

export interface Setting {
  name: string;
  label: string;
  kind: string;
  value: string | boolean | number;
  words: string;
  ease: "very easy" | "easy" | "ok" | "hard" | "very hard" | "never";
  used: boolean;
  direction: string;
  low: number | null;
  high: number | null;
  least: number | null;
  most: number | null;
  whole: boolean;
  levels: (string | boolean | number)[];
  level_words: (string)[];
  unit: string;
  about: string;
  people: (number)[];
  drawn: [number, number] | null;
}

export interface Settings {
  settings: (Setting)[];
  ruled_out: (Ruled)[];
  fixed: (string)[];
  facts: (Setting)[];
  chance: number | null;
  base_chance: number | null;
  decides: number | null;
  timed: boolean;
  deadline: number | null;
  left: string;
  max_steps: number | null;
  rare: boolean;
  undo: boolean | number;
}

export interface Station {
  x: number;
  y: number;
  height: number;
  fork: boolean;
  letters: string;
  words: string;
  closes: string;
  picture: string;
  caption: string;
  colour: number | null;
  width: number;
}

export interface StepWords {
  words: string;
  changes: (ChangeWords)[];
  effort: number;
  chance: number | null;
  outlook: string;
  closes: string;
  n_open: number;
  fallback: string;
  picture: string;
  difference: string;
  size: string;
  shifts: string;
}

export interface Stroke {
  letter: string;
  colour: number;
  path: string;
}

export interface Text {
  x: number;
  y: number;
  words: string;
  role: "name" | "value";
}

export interface Tick {
  x: number;
  label: string;
  amount: number;
}

export interface Walk {
  limits: Limits;
  origin: (string | boolean | number)[] | null;
  walked: (number)[];
  past: (Event)[];
  names: (Name)[];
  order: (string)[];
  n_ways: number | null;
  unfolded: string | null;
  overview: number;
  kept: (string)[];
  passed: (number)[];
}

export interface WayWords {
  letter: string;
  colour: number;
  outcome: string;
  chance: number | null;
  outlook: string;
  effort: number;
  changes: (ChangeWords)[];
  steps: (StepWords)[];
  serves: number | null;
  similar: number;
  time: string;
  lasts: string;
  dips: string;
  doubts: (string)[];
  size: string;
  variants: ((StepWords)[])[];
}
