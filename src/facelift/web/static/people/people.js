// The first page: examples, everybody of a table, and one or two of them.
// @ts-check
import { ask, keep, post } from "../navigator/asking.js";
import { h, languageChoice, refill } from "../navigator/parts.js";
import { choose, language, learn, say } from "../navigator/words.js";
import { groupTable } from "./groups.js";
import { List } from "./list.js";
import { side } from "./person.js";
import { RulesPage, dropZone } from "./rules.js";
import { bandLegend, drawing } from "./scatter.js";

/** @typedef {import("../people").Door} Door */
/** @typedef {import("../people").Everybody} Everybody */

const AGAIN = 1500;
const MOST = 2;
const NARROW = 600;

class Page {
  /** @param {HTMLElement} place @param {Door} door */
  constructor(place, door) {
    this.place = place;
    this.door = door;
    const query = new URLSearchParams(location.search);
    this.table = query.get("table") ?? door.first ?? "";
    /** @type {number[]} */ this.chosen = (query.get("people") ?? "").split(",").filter(Boolean).map(Number).filter(Number.isInteger).slice(0, MOST);
    /** @type {Record<string, string>} */ this.view = {};
    /** @type {Everybody | null} */ this.everybody = null;
    this.timer = 0;
    this.asked = 0;
    this.narrow = false;
    this.counting = false;
    this.list = new List((person) => this.choose(person));
    this.title = h("div", { class: "fact who" });
    this.examples = h("section", { class: "panel examples", "aria-labelledby": "examples-title" });
    this.status = h("p", { class: "banner", role: "status", hidden: true });
    this.picks = h("div", { class: "picks" });
    this.legend = h("div");
    this.plot = h("div", { class: "plot" });
    this.scatter = h("section", { class: "panel everybody", "aria-labelledby": "everybody-title", hidden: true }, h("div", { class: "head" }, h("h2", { id: "everybody-title" }, say("Everybody")), this.picks), this.legend, this.plot);
    this.groupPicks = h("div", { class: "picks" });
    this.groupBody = h("div");
    this.groups = h("section", { class: "panel shares", "aria-labelledby": "groups-title", hidden: true }, h("div", { class: "head" }, h("h2", { id: "groups-title" }, say("Is opportunity shared evenly?")), this.groupPicks), this.groupBody);
    this.side = h("section", { class: "panel side", "aria-labelledby": "side-title", hidden: true });
    this.list.element.hidden = true;
    const header = h("header", { class: "header panel" }, h("div", { class: "brand" }, "facelift", languageChoice((code) => { choose(code); location.reload(); })), this.title, h("div", { class: "small local" }, say("Everything stays on this computer")));
    this.rulesPlace = h("section", { class: "panel rules", "aria-labelledby": "rules-title", hidden: true });
    this.rules = new RulesPage(this.rulesPlace, (table) => this.added(table));
    const bring = this.door.can_bring ? dropZone((file) => this.bring(file), (words) => this.say(words), door.examples.length < 2) : null;
    const left = h("div", { class: "left" }, this.examples);
    if (bring) left.append(bring);
    const main = h("main", { class: "main" }, this.status, this.rulesPlace, this.scatter, this.groups);
    const right = h("aside", { class: "right", "aria-label": say("People") }, this.list.element, this.side);
    refill(this.place, [header, left, main, right]);
    this.place.classList.toggle("alone", this.door.examples.length < 2 && !this.door.can_bring);
    this.drawExamples();
    if (this.table) this.open(this.table, this.chosen);
    new ResizeObserver(() => { if (this.everybody && this.narrow !== this.place.clientWidth < NARROW) this.drawScatter(); }).observe(this.place);
  }

  drawExamples() {
    const { examples } = this.door;
    this.examples.hidden = examples.length < 2;
    refill(this.examples, [
      h("h2", { id: "examples-title" }, say("Look at an example")),
      ...examples.map((each) => h("button", { class: "example", "data-key": `example-${each.key}`, "aria-pressed": String(each.key === this.table), click: () => this.open(each.key, []) }, h("strong", {}, each.title), h("span", { class: "small" }, each.words))),
    ]);
  }

  /** Draft the rules of a file, in the place of what is shown. @param {File} file */
  async bring(file) {
    await this.rules.bring(file);
    clearTimeout(this.timer);
    this.asked += 1; // what is on its way is of another table
    this.table = "";
    this.everybody = null;
    this.place.classList.remove("list-only");
    refill(this.title, []);
    for (const part of [this.scatter, this.groups, this.side, this.list.element]) part.hidden = true;
    this.drawExamples();
    this.rulesPlace.scrollIntoView({ block: "nearest" });
  }

  /** Look at a table that can be opened now. @param {string} table */
  async added(table) {
    this.door = await ask("api/door", {});
    this.open(table, []);
  }

  /** Look at a table. @param {string} table @param {number[]} chosen */
  open(table, chosen) {
    this.table = table;
    this.chosen = chosen;
    this.view = {};
    this.everybody = null;
    this.list.clear();
    for (const part of [this.rulesPlace, this.scatter, this.groups, this.side, this.list.element]) part.hidden = true;
    this.drawExamples();
    this.remember();
    this.look();
  }

  /** Ask how far the table is, and again until everybody was looked at. */
  async look() {
    clearTimeout(this.timer);
    const number = ++this.asked;
    try {
      const told = await ask("api/everybody", { table: this.table, ...this.view });
      if (number !== this.asked) return; // a later choice asked again
      if (told.everybody) this.draw(told.everybody);
      else this.say(told.error || say("Opening the table and asking the model about everybody …"));
      const going = told.state === "opening" || (told.everybody && told.everybody.done < told.everybody.of && !told.error);
      if (told.everybody && told.error) this.say(told.error);
      if (going) this.timer = window.setTimeout(() => this.look(), AGAIN);
    } catch (fault) {
      if (number !== this.asked) return;
      this.say(/** @type {Error} */ (fault).message);
      this.timer = window.setTimeout(() => this.look(), 5 * AGAIN);
    }
  }

  /** @param {string} words */
  say(words) {
    this.status.hidden = !words;
    if (this.status.textContent !== words) this.status.textContent = words;
  }

  /** @param {Everybody} everybody */
  draw(everybody) {
    const first = !this.everybody;
    this.everybody = everybody;
    this.list.everybody = everybody;
    document.title = `facelift · ${everybody.title}`;
    this.say([everybody.progress, ...everybody.notes].filter(Boolean).join(" "));
    if (first) {
      refill(this.title, [h("div", {}, h("h1", {}, everybody.title), h("div", { class: "small" }, everybody.facts))]);
      this.list.table = this.table;
      this.list.chosen = this.chosen;
      this.list.search.placeholder = everybody.example;
      this.list.element.hidden = false;
      this.drawPicks();
      this.drawSide();
    }
    this.drawScatter();
    this.drawGroups();
    if (first || everybody.progress || this.counting) this.list.refresh();
    this.counting = Boolean(everybody.progress);
    this.place.dataset.done = String(everybody.done === everybody.of);
  }

  drawPicks() {
    const everybody = /** @type {Everybody} */ (this.everybody);
    const { scatter, groups } = everybody;
    if (scatter) refill(this.picks, [this.pick("across", everybody.columns, scatter.across.name), this.pick("up", everybody.columns, scatter.up.name)]);
    const measured = this.pick("measure", everybody.measures, groups?.measure ?? "");
    const report = h("button", { click: () => this.audit() }, say("Full audit"));
    if (everybody.groupings.length) refill(this.groupPicks, [this.pick("by", everybody.groupings, groups?.by ?? ""), measured, report]);
  }

  /** @param {string} name @param {import("../people").Choice[]} choices @param {string} now */
  pick(name, choices, now) {
    const words = { across: say("across"), up: say("up"), by: say("by"), measure: say("what") }[name];
    const set = (/** @type {Event} */ event) => {
      this.view[name] = /** @type {HTMLSelectElement} */ (event.target).value;
      this.look();
    };
    return h("label", { class: "small" }, `${words} `, h("select", { "data-key": name, change: set }, ...choices.map((each) => h("option", { value: each.name, selected: each.name === now }, each.label))));
  }

  drawScatter() {
    const { scatter } = /** @type {Everybody} */ (this.everybody);
    this.scatter.hidden = !scatter;
    this.place.classList.toggle("list-only", !scatter);
    if (!scatter) return;
    refill(this.legend, [bandLegend(/** @type {Everybody} */ (this.everybody))]);
    this.narrow = this.place.clientWidth < NARROW;
    refill(this.plot, [drawing(scatter, this.chosen, (person) => this.choose(person), this.narrow), h("p", { class: "small" }, `${say("Click a dot to see who it is and to walk as this person; click a second one to compare.")} `, scatter.note)]);
  }

  drawGroups() {
    const { groups, measures } = /** @type {Everybody} */ (this.everybody);
    this.groups.hidden = !groups;
    if (!groups) return;
    const select = /** @type {HTMLSelectElement | null} */ (this.groupPicks.querySelector("[data-key=measure]"));
    if (select && !this.view.measure) select.value = groups.measure;
    const measure = measures.find((each) => each.name === groups.measure)?.label ?? "";
    refill(this.groupBody, groupTable(groups, measure));
  }

  /** Choose somebody, or let them go. @param {number} person */
  choose(person) {
    const rest = this.chosen.filter((each) => each !== person);
    this.show(rest.length < this.chosen.length ? rest : [...this.chosen.slice(1 - MOST), person]);
  }

  /** Show some people beside the list. @param {number[]} chosen */
  show(chosen) {
    this.chosen = chosen;
    this.list.chosen = this.chosen;
    this.remember();
    this.drawScatter();
    this.drawSide().then(() => this.side.scrollIntoView({ block: "nearest" }));
    this.list.refresh();
  }

  async drawSide() {
    const chosen = this.chosen;
    const { can_last, start } = /** @type {Everybody} */ (this.everybody);
    const people = chosen.length ? chosen : start == null ? [] : [start];
    if (!people.length) {
      this.side.hidden = true;
      return;
    }
    try {
      const sides = await ask("api/compare", { table: this.table, people });
      if (chosen !== this.chosen) return;
      refill(this.side, side(this.table, sides, can_last, () => this.show([]), !chosen.length));
    } catch (fault) {
      refill(this.side, [h("h2", { id: "side-title" }, say("People")), h("p", {}, /** @type {Error} */ (fault).message)]);
    }
    this.side.hidden = false;
    this.side.dataset.people = people.join(" ");
  }

  async audit() {
    const by = /** @type {HTMLSelectElement} */ (this.groupPicks.querySelector("[data-key=by]")).value;
    try {
      keep(await (await post("api/audit", { table: this.table, by })).blob(), "audit.html");
    } catch (fault) {
      this.say(/** @type {Error} */ (fault).message);
    }
  }

  /** The address says what is looked at, so that a reload shows it again. */
  remember() {
    const query = new URLSearchParams({ table: this.table });
    if (this.chosen.length) query.set("people", this.chosen.join(","));
    history.replaceState(null, "", `?${query}`);
  }
}

const place = /** @type {HTMLElement} */ (document.getElementById("people"));
learn()
  .then(() => {
    document.documentElement.lang = language();
    return ask("api/door", {});
  })
  .then((door) => new Page(place, door))
  .catch((fault) => {
    place.textContent = `facelift: ${fault.message}`;
  });
