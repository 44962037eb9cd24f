// The drafted rules of a table that was dropped here: to be checked, changed, kept and used.
// @ts-check
import { ask, keep } from "../navigator/asking.js";
import { breakable, h, refill, s } from "../navigator/parts.js";
import { say } from "../navigator/words.js";

/** @typedef {import("../people").Rules} Rules */
/** @typedef {import("../people").DraftColumn} DraftColumn */

const changeWords = () => ({ any: say("either way"), increase: say("only up"), decrease: say("only down"), never: say("never") });
const priceWords = () => ({ easy: say("easy"), normal: say("normal"), hard: say("hard"), "very hard": say("very hard") });
const kindWords = () => ({ number: say("numbers"), "yes or no": say("yes or no"), money: say("money"), percent: say("percent"), date: say("dates"), category: say("categories"), ordered: say("ordered"), "left out": say("left out") });

/** What is said of a column, in the order of the fields. */
const heads = () => ({ label: say("name people read"), values: say("values"), kind: say("kind"), unit: say("unit"), change: say("may change"), price: say("how hard") });

export class RulesPage {
  /** @param {HTMLElement} place @param {(table: string) => void} explore */
  constructor(place, explore) {
    this.place = place;
    this.explore = explore;
    /** @type {Rules | null} */ this.rules = null;
    /** @type {Record<string, Record<string, string>>} */ this.edits = {};
    this.unchecked = false;
    this.fault = "";
  }

  /** Send a file to the server on this computer, and show its draft. @param {File} file */
  async bring(file) {
    this.show(await ask("api/draft", { name: file.name, text: await file.text() }), {});
  }

  /** @param {Rules} rules @param {Record<string, Record<string, string>>} edits */
  show(rules, edits) {
    this.rules = rules;
    this.edits = edits;
    this.fault = "";
    this.draw();
  }

  /** What is asked about the table as it is now. @param {Record<string, unknown>} [other] */
  said(other = {}) {
    const rules = /** @type {Rules} */ (this.rules);
    return { table: rules.table, target_column: rules.target_column, target: rules.target || null, edits: this.edits, ...other };
  }

  /** @param {Record<string, unknown>} [other] */
  async again(other = {}) {
    try {
      this.show(await ask("api/rules", this.said(other)), this.edits);
    } catch (fault) {
      this.fault = /** @type {Error} */ (fault).message;
      this.draw();
    }
  }

  /** @param {string} column @param {string} name @param {string} value */
  edit(column, name, value) {
    this.edits[column] = { ...this.edits[column], [name]: value };
    this.again();
  }

  draw() {
    const rules = /** @type {Rules} */ (this.rules);
    const focus = document.activeElement?.getAttribute("data-key");
    const shown = rules.columns.filter((column) => !this.unchecked || column.checks.length);
    refill(this.place, [
      h("div", { class: "head" }, h("h2", { id: "rules-title" }, say("Rules for {table}", { table: rules.title })), h("span", { class: "small" }, rules.facts)),
      h("p", {}, say("Drafted from names and values. What may change is yours to say; everything can be changed later.")),
      this.fault ? h("p", { role: "alert" }, h("strong", {}, this.fault)) : null,
      this.outcome(rules),
      h(
        "div",
        { class: "choice", role: "group", "aria-label": say("Columns") },
        h("button", { "data-key": "all", "aria-pressed": String(!this.unchecked), click: () => { this.unchecked = false; this.draw(); } }, say("all {n}", { n: rules.columns.length })),
        h("button", { "data-key": "unchecked", "aria-pressed": String(this.unchecked), click: () => { this.unchecked = true; this.draw(); } }, say("to check {n}", { n: rules.n_checks })),
      ),
      h("div", { class: "columns-head small", "aria-hidden": "true" }, ...Object.entries(heads()).map(([name, words]) => h("span", { class: name }, words))),
      h("ul", { class: "columns" }, ...shown.map((column) => this.column(column))),
      h("details", {}, h("summary", {}, "rules.toml"), h("pre", { tabindex: "0" }, rules.text)),
      h("div", { class: "buttons" }, h("button", { class: "primary", "data-key": "explore", click: () => this.use() }, say("Explore with these rules")), h("button", { "data-key": "keep", click: () => keep(new Blob([rules.text], { type: "application/toml" }), "rules.toml") }, say("Save as rules.toml"))),
    ]);
    this.place.hidden = false;
    this.place.dataset.drawn = String(Number(this.place.dataset.drawn ?? 0) + 1);
    if (focus) /** @type {HTMLElement | null} */ (this.place.querySelector(`[data-key="${CSS.escape(focus)}"]`))?.focus({ preventScroll: true });
  }

  /** @param {Rules} rules */
  outcome(rules) {
    const column = this.select("target-column", say("the decision is in"), rules.targets, rules.target_column, (value) => { this.edits = {}; this.again({ target_column: value, target: null }); });
    const answer = rules.answers.length
      ? this.select("target", say("the good answer is"), rules.answers, rules.target, (value) => this.again({ target: value }))
      : h("label", { class: "small" }, `${say("the range wanted")} `, h("input", { type: "text", "data-key": "target", value: rules.target, placeholder: say("120.. or 100..200"), change: (/** @type {Event} */ event) => this.again({ target: /** @type {HTMLInputElement} */ (event.target).value }) }));
    return h("div", { class: "picks" }, column, answer);
  }

  /** @param {string} key @param {string} label @param {string[]} values @param {string} now @param {(value: string) => void} set @param {Record<string, string>} [words] @param {string} [field] */
  select(key, label, values, now, set, words = {}, field = "") {
    return h("label", { class: `small ${field}` }, h("span", {}, label), h("select", { "data-key": key, change: (/** @type {Event} */ event) => set(/** @type {HTMLSelectElement} */ (event.target).value) }, ...values.map((each) => h("option", { value: each, selected: each === now }, words[each] ?? each))));
  }

  /** @param {DraftColumn} column */
  column(column) {
    const out = column.kind === "left out";
    const set = (/** @type {string} */ name) => (/** @type {string} */ value) => this.edit(column.name, name, value);
    const text = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value) =>
      h("label", { class: `small ${name}` }, h("span", {}, label), h("input", { type: "text", "data-key": `${name}-${column.name}`, value, maxlength: "80", change: (/** @type {Event} */ event) => set(name)(/** @type {HTMLInputElement} */ (event.target).value) }));
    const select = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string[]} */ values, /** @type {string} */ now, /** @type {Record<string, string>} */ words) =>
      this.select(`${name}-${column.name}`, label, values, now, set(name), words, name);
    const changes = column.has_order ? Object.keys(changeWords()) : ["any", "never"];
    const { label, kind, unit, change, price } = heads();
    return h(
      "li",
      { class: column.checks.length ? "check" : null, "data-column": column.name },
      h("div", { class: "column-name" }, out ? h("strong", {}, column.label) : text("label", label, column.label), h("code", { class: "small" }, ...breakable(column.name))),
      h("div", { class: "column-values" }, bars(column.bars), h("span", { class: "small", title: column.values }, column.values)),
      select("kind", kind, column.kinds, column.kind, kindWords()),
      out || !column.has_unit ? null : text("unit", unit, column.unit),
      out ? null : select("change", change, changes, column.change, changeWords()),
      out || column.change === "never" ? null : select("price", price, Object.keys(priceWords()), column.price, priceWords()),
      column.checks.length ? h("p", { class: "checks" }, h("span", {}, h("strong", {}, `${say("Check this:")} `), column.checks.join("; ")), h("button", { "data-key": `checked-${column.name}`, click: () => this.edit(column.name, "change", column.change) }, say("It is right"))) : null,
    );
  }

  async use() {
    try {
      const added = await ask("api/bring", this.said());
      this.place.hidden = true;
      this.explore(added.table);
    } catch (fault) {
      this.fault = /** @type {Error} */ (fault).message;
      this.draw();
    }
  }
}

/** @param {number[]} heights */
function bars(heights) {
  const svg = s("svg", { viewBox: `0 0 ${heights.length * 8} 24`, class: "bars", preserveAspectRatio: "xMinYMid", "aria-hidden": "true" });
  for (const [i, height] of heights.entries()) svg.append(s("rect", { x: i * 8, y: 24 - Math.max(1, height * 24), width: 6.5, height: Math.max(1, height * 24) }));
  return svg;
}

/** Where a file is dropped or chosen. @param {(file: File) => Promise<void>} bring @param {(words: string) => void} tell @param {boolean} alone whether there is nothing else to look at */
export function dropZone(bring, tell, alone) {
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "file", accept: ".csv,text/csv", id: "file", class: "unseen", tabindex: "-1", "aria-label": say("A CSV file"), change: () => take(input.files?.[0]) }));
  const zone = h("div", { class: "drop" }, h("strong", {}, say("Drop a CSV here")), h("div", {}, h("button", { click: () => input.click() }, say("Choose a file"))), input);
  /** @param {File | undefined} file */
  async function take(file) {
    if (!file) return;
    tell(say("Reading {file} …", { file: file.name }));
    try {
      await bring(file);
      tell("");
    } catch (fault) {
      tell(/** @type {Error} */ (fault).message);
    }
    input.value = "";
  }
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); take(event.dataTransfer?.files[0]); });
  return h("section", { class: "panel", "aria-labelledby": "bring-title" }, h("h2", { id: "bring-title" }, alone ? say("Bring your own table") : say("Or bring your own table")), zone, h("p", { class: "small" }, say("It goes to facelift on this computer and nowhere else. You check its rules before anything is explained.")));
}
