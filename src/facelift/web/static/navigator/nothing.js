// What stands in the place of the map where nothing leads there.
// @ts-check

import { changeText, effortWords, h, hidden } from "./parts.js";
import { say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {import("./parts.js").Child} Child */

/** Of what opens as much, one's own limits come first, then rules of others, then all at once. */
const LAST = ["rules", "all"];

/** @param {Navigator} nav */
export function nothingPanel(nav) {
  const nothing = /** @type {import("../document").Nothing} */ (nav.shown.nothing);
  const rows = nothing.loosen.map((each) => loosenRow(nav, each));
  const table = h(
    "table",
    { class: "loosen" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say("If you …")), h("th", { scope: "col" }, say("ways opened")), h("th", { scope: "col" }, say("least effort")), h("th", { scope: "col" }, hidden(say("try it"))))),
    h("tbody", {}, ...rows.map((row) => row.element)),
  );
  tryAll(nav, rows, /** @type {HTMLElement} */ (table.querySelector("tbody")));
  return [
    h(
      "div",
      { class: "nothing" },
      h("h2", {}, nothing.headline),
      h("p", {}, `${nothing.text} ${say("This is a statement about this model and your limits, not about you.")}`),
      nothing.closest.length
        ? h("p", {}, h("strong", {}, `${say("Closest you can get:")} `), nothing.closest.map(changeText).join(" · "), ` (${nothing.outlook})`)
        : null,
      rows.length ? h("h3", {}, say("What loosening one thing would open")) : null,
      rows.length ? table : null,
      h("h3", {}, say("Other things you can do")),
      h("ul", {}, h("li", {}, say("Save this result (what was checked, with which limits) with Share, to discuss it with whoever decides or advises.")), h("li", {}, say("Ask for a human review: the decision may rest on a fact that is wrong.")), nav.before.length ? h("li", {}, say("Undo the last change.")) : null),
    ),
  ];
}

/** @param {Navigator} nav @param {import("../document").Loosen} loosen */
function loosenRow(nav, loosen) {
  const ways = h("td", { class: "count" }, nav.host.opened ? "…" : "?");
  const least = h("td", {}, "");
  const button = /** @type {HTMLButtonElement} */ (
    h("button", { "data-key": `try-${loosen.words}`, disabled: true, click: () => nav.setLimits(loosen.limits) }, say("Try it"), hidden(`: ${loosen.words}`))
  );
  const element = h("tr", {}, h("td", {}, loosen.words), ways, least, h("td", {}, button));
  return { loosen, element, ways, least, button, opened: 0, effort: Infinity };
}

/** Ask for each row in turn, then put the most helpful first. @param {Navigator} nav @param {any[]} rows @param {HTMLElement} body */
async function tryAll(nav, rows, body) {
  const opened = nav.host.opened;
  if (!opened) return;
  const { walk } = nav.shown;
  for (const row of rows) {
    if (nav.shown.walk !== walk) return;
    try {
      const found = await opened(walk, row.loosen.limits);
      row.opened = found.n_ways;
      row.ways.replaceChildren(meter(found.n_ways), String(found.n_ways));
      row.effort = found.effort ?? Infinity;
      row.least.replaceChildren(found.effort == null ? "–" : effortWords(found.size, found.effort));
      row.button.disabled = !found.n_ways;
      row.element.classList.toggle("useless", !found.n_ways);
    } catch {
      row.ways.textContent = "?";
    }
  }
  const focused = nav.active();
  rows.sort((a, b) => b.opened - a.opened || LAST.indexOf(a.loosen.kind) - LAST.indexOf(b.loosen.kind) || a.effort - b.effort).forEach((row) => body.append(row.element));
  if (focused instanceof HTMLElement && body.contains(focused)) focused.focus();
  body.setAttribute("data-done", "");
}


/** @param {number} count */
function meter(count) {
  const bar = h("span", { class: "meter", "aria-hidden": "true" });
  bar.style.width = `${Math.min(count, 7) * 8}px`;
  return bar;
}
