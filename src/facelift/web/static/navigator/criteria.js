// The ways against each other: a row for everything one may look for, ways in the order of one's taste.
// @ts-check

import { h, hidden, pip } from "./parts.js";
import { say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

/** What ways can be ordered by. @returns {Record<string, string>} */
const tasteWords = () => ({ effort: say("least effort first"), open: say("keeps most open first"), chance: say("best chance first"), steps: say("fewest steps first"), changes: say("fewest changes first"), late: say("latest choice first"), early: say("earliest choice first") });

/** @param {Navigator} nav */
export function comparisonPanel(nav) {
  const { aspects, ways, orders } = nav.shown.comparison;
  const tastes = Object.keys(orders);
  const taste = tastes.includes(nav.taste) ? nav.taste : tastes[0];
  const choose = h("select", { "aria-label": say("Order of the ways"), "data-key": "taste", change: (/** @type {Event} */ event) => { nav.taste = /** @type {HTMLSelectElement} */ (event.target).value; nav.draw(); } }, ...tastes.map((each) => h("option", { value: each, selected: each === taste }, tasteWords()[each])));
  const differ = aspects.map((_, i) => ways.some((way) => way.shares[i] !== 1));
  const shown = orders[taste].map((letter) => ways.find((each) => each.letter === letter) ?? ways[0]);
  const head = h("tr", {}, h("td", {}), ...shown.map((way) => h("th", { scope: "col" }, pip(way.letter, way.colour, "nearer"), hidden(say("Way {way}", { way: way.letter })), way.beaten ? hidden(say("another is as good by everything, and better by something")) : null)));
  const rows = aspects.map((aspect, i) => {
    const cells = shown.map((way) => {
      const share = way.shares[i];
      const best = differ[i] && share === 1;
      const bar = h("span", { class: "share", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(share ?? 0));
      return h("td", { class: [best ? "best" : "", way.beaten ? "beaten" : ""].filter(Boolean).join(" ") || null }, way.cells[i], best ? hidden(` ${say("best")}`) : null, differ[i] ? bar : null);
    });
    return h("tr", {}, h("th", { scope: "row", title: aspect.about }, aspect.name), ...cells);
  });
  const beaten = ways.some((way) => way.beaten) ? h("p", { class: "small" }, say("Pale ways are beaten: another is as good by everything here, and better by something.")) : null;
  return h("section", { class: "panel comparison", "aria-label": say("The ways compared") }, h("div", { class: "next-head" }, h("h2", {}, say("The ways compared")), choose), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Table of the ways compared") }, h("table", { class: "steps" }, h("thead", {}, head), h("tbody", {}, ...rows))), beaten);
}
