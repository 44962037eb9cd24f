// One person, or two side by side: what lies before them, how they may have come here, what lasts.
// @ts-check
import { ask } from "../navigator/asking.js";
import { h, pip, refill } from "../navigator/parts.js";
import { say } from "../navigator/words.js";

/** @typedef {import("../people").SideBySide} SideBySide */

/** The page on which one walks as somebody. @param {string} table @param {number} person */
export const walkOf = (table, person) => `walk.html?table=${encodeURIComponent(table)}&person=${person}`;

/**
 * @param {string} table @param {SideBySide} sides @param {boolean} canLast
 * @param {() => void} clear @param {boolean} suggested whether nobody was chosen yet
 */
export function side(table, sides, canLast, clear, suggested) {
  const { people } = sides;
  const differing = sides.columns.filter((row) => row.differ);
  const alike = sides.columns.filter((row) => !row.differ);
  const shown = people.length > 1 ? differing : [];
  const rest = people.length > 1 ? alike : sides.columns;
  return [
    h("h2", { id: "side-title" }, people.length > 1 ? say("Two people compared") : suggested ? say("Start with {person}", { person: people[0].title }) : people[0].title),
    h("div", { class: "scroll" }, comparison(sides, [...sides.outlook, ...shown])),
    h("div", { class: "buttons" }, ...people.map((each, i) => h("a", { class: i ? "button" : "button primary", href: walkOf(table, each.person) }, say("Walk as {person}", { person: each.title })))),
    people.length > 1 ? null : h("p", { class: "small" }, suggested ? say("Or choose anybody in the list.") : say("Choose somebody else to compare the two.")),
    rest.length ? h("details", {}, h("summary", {}, people.length > 1 ? say("What both share ({n})", { n: rest.length }) : say("What is known")), h("div", { class: "scroll" }, comparison(sides, rest))) : null,
    ...people.flatMap((each) => [
      asking(say("How did {person} get here?", { person: each.title }), () => ask("api/past", { table, people: [each.person] }).then(past)),
      canLast ? asking(say("Will the ways of {person} last?", { person: each.title }), () => ask("api/lasts", { table, people: [each.person] }).then(lasting)) : null,
    ]),
    suggested ? null : h("button", { class: "quiet", click: clear }, say("Choose others")),
  ];
}

/** @param {SideBySide} sides @param {import("../people").Compared[]} rows */
function comparison(sides, rows) {
  const head = sides.people.length > 1 ? h("thead", {}, h("tr", {}, h("td"), ...sides.people.map((each, i) => h("th", { scope: "col" }, `${i + 1} · ${each.title}`)))) : null;
  return h("table", { class: "sides" }, head, h("tbody", {}, ...rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.label), ...row.values.map((value) => h("td", { class: row.differ ? "differs" : null }, value))))));
}

/** Something that is worked out when it is asked for. @param {string} title @param {() => Promise<Node[]>} answer */
function asking(title, answer) {
  const place = h("div", { role: "status" });
  let asked = false;
  const opened = async (/** @type {Event} */ event) => {
    if (asked || !(/** @type {HTMLDetailsElement} */ (event.target).open)) return;
    asked = true;
    place.textContent = say("Looking …");
    try {
      refill(place, await answer());
    } catch (fault) {
      asked = false;
      place.textContent = /** @type {Error} */ (fault).message;
    }
  };
  return h("details", { toggle: opened }, h("summary", {}, title), place);
}

/** @param {import("../people").Past} told */
function past(told) {
  return [
    h("p", { class: "small" }, told.words),
    ...told.ways.map((way) =>
      h("div", { class: "past" }, h("p", {}, way.start), h("ol", {}, ...way.steps.map((step) => h("li", { class: step.lost ? "lost" : null }, step.words, h("span", { class: "small" }, ` ${step.outlook}`), step.lost ? h("strong", {}, ` ${say("Here it was lost.")}`) : null))), h("p", {}, way.fork)),
    ),
  ];
}

/** @param {import("../people").Lasting} told */
function lasting(told) {
  return [
    h("p", { class: "small" }, told.words),
    h("ul", { class: "lasting" }, ...told.ways.map((way) => h("li", {}, pip(way.letter, way.colour, "nearer"), h("span", {}, h("span", { class: "unseen" }, `${way.letter}: `), way.words, " ", h("strong", {}, way.lasts))))),
  ];
}
