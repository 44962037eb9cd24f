// The list of people: search, filter, sort, choose.
// @ts-check
import { ask } from "../navigator/asking.js";
import { h, refill } from "../navigator/parts.js";
import { say, whole } from "../navigator/words.js";
import { mark } from "./scatter.js";

/** @typedef {import("../people").Person} Person */

const sorts = () => ({ "fewest ways": say("fewest ways"), "lowest first": say("lowest first"), "highest first": say("highest first"), number: say("number") });
const MORE = 50;
const PAUSE = 200;

export class List {
  /** @param {(person: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.table = "";
    /** @type {number[]} */ this.chosen = [];
    /** @type {import("../people").Everybody | null} */ this.everybody = null;
    this.only = "rejected";
    this.sort = "fewest ways";
    this.n = MORE;
    this.busy = false;
    this.stale = false;
    this.pause = 0;
    this.search = /** @type {HTMLInputElement} */ (h("input", { type: "search", id: "search", autocomplete: "off", input: () => this.typed() }));
    this.filters = h("div", { class: "choice", role: "group", "aria-label": say("Who") });
    this.rows = h("ul", { class: "person-list" });
    this.foot = h("p", { class: "small", role: "status" });
    this.more = h("button", { click: () => { this.n += MORE; this.refresh(); } }, say("Show more"));
    const sort = h("select", { id: "sort", change: (/** @type {Event} */ event) => { this.sort = /** @type {HTMLSelectElement} */ (event.target).value; this.refresh(); } }, ...Object.entries(sorts()).map(([each, words]) => h("option", { value: each }, words)));
    this.element = h(
      "section",
      { class: "panel list", "aria-labelledby": "list-title" },
      h("div", { class: "head" }, h("h2", { id: "list-title" }, say("People")), h("label", { class: "small" }, `${say("sort by")} `, sort)),
      h("label", { class: "unseen", for: "search" }, say("Search people by name, number or what is true of them")),
      this.search,
      this.filters,
      this.rows,
      h("div", { class: "foot" }, this.foot, this.more),
    );
  }

  typed() {
    clearTimeout(this.pause);
    this.n = MORE;
    this.pause = window.setTimeout(() => this.refresh(), PAUSE);
  }

  /** Show who is wanted now: one question at a time, so that a slow answer is shown, too, before the next is asked. */
  async refresh() {
    this.stale = true;
    if (this.busy) return;
    this.busy = true;
    while (this.stale && this.table) {
      this.stale = false;
      const { table } = this;
      try {
        const found = await ask("api/people", { table, said: this.search.value, only: this.only, sort: this.sort, n: Math.min(this.n, 200) });
        if (table === this.table) this.draw(found);
      } catch (fault) {
        if (table === this.table) this.foot.textContent = /** @type {Error} */ (fault).message;
      }
    }
    this.busy = false;
  }

  /** Forget the people of a table. */
  clear() {
    this.table = "";
    for (const part of [this.filters, this.rows, this.foot]) part.replaceChildren();
  }

  /** @param {import("../people").People} found */
  draw(found) {
    const focus = document.activeElement?.getAttribute("data-key");
    refill(this.filters, this.filterButtons(found.counts));
    refill(this.rows, found.people.map((person) => h("li", {}, this.row(person))));
    this.foot.textContent = found.n_found ? say("{n} of {total} shown", { n: whole(found.people.length), total: whole(found.n_found) }) : say("Nobody fits what you are looking for.");
    this.more.hidden = found.people.length >= Math.min(found.n_found, 200);
    if (focus) /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-key="${focus}"]`))?.focus({ preventScroll: true });
    this.element.dataset.said = this.search.value;
  }

  /** @param {Record<string, number>} counts */
  filterButtons(counts) {
    const words = { rejected: this.everybody?.rejected ?? "", none: say("no way found"), reached: this.everybody?.goal ?? "", all: say("all") };
    return Object.entries(words).map(([name, told]) =>
      h("button", { "data-key": `only-${name}`, "aria-pressed": String(name === this.only), click: () => { this.only = name; this.n = MORE; this.refresh(); } }, `${told} ${whole(counts[name])}`),
    );
  }

  /** @param {Person} person */
  row(person) {
    const place = this.chosen.indexOf(person.person);
    return h(
      "button",
      { class: "person", "data-key": `person-${person.person}`, "aria-pressed": String(place >= 0), click: () => this.choose(person.person) },
      place >= 0 ? h("span", { class: "place" }, place + 1) : null,
      person.picture ? h("img", { class: "ink", src: person.picture, alt: "" }) : null,
      h("span", { class: "who" }, h("strong", {}, person.title), h("span", { class: "small" }, person.facts)),
      h("span", { class: "ways" }, h("span", { class: person.band === "none" ? "poor" : person.band === "unknown" ? "small" : null }, mark(person.band), ` ${person.ways}`), h("span", { class: "small" }, person.outlook)),
    );
  }
}
