// Groups compared: a number of each, with its interval.
// @ts-check
import { h, s } from "../navigator/parts.js";
import { say, whole } from "../navigator/words.js";

/** @typedef {import("../people").GroupTable} GroupTable */

/** @param {GroupTable} groups @param {string} measure what is compared, in words */
export function groupTable(groups, measure) {
  return [
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Groups compared") },
      h(
        "table",
        { class: "groups" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say("group")), h("th", { scope: "col", class: "figure" }, say("people")), h("th", { scope: "col", colspan: "2" }, say("{measure}, with its 95% interval", { measure })), h("th", { scope: "col", class: "figure" }, say("ways, median")))),
        h("tbody", {}, ...groups.rows.map((row, i) => groupRow(row, i, groups.ticks))),
        h("tfoot", {}, h("tr", { "aria-hidden": "true" }, h("td"), h("td"), h("td", { class: "interval" }, scale(groups.ticks)), h("td"), h("td"))),
      ),
    ),
    h("p", {}, groups.verdict),
  ];
}

/** @param {import("../people").GroupRow} row @param {number} i @param {import("../people").Tick[]} ticks */
function groupRow(row, i, ticks) {
  return h(
    "tr",
    { class: i ? null : "all" },
    h("th", { scope: "row" }, row.name, row.is_small ? h("span", { class: "small" }, ` ${say("(few)")}`) : null),
    h("td", { class: "figure" }, whole(row.n)),
    h("td", { class: "interval" }, interval(row, ticks)),
    h("td", { class: "figure" }, row.words),
    h("td", { class: "figure" }, row.ways),
  );
}

/** @param {import("../people").GroupRow} row @param {import("../people").Tick[]} ticks */
function interval(row, ticks) {
  const svg = s("svg", { "aria-hidden": "true" });
  for (const tick of ticks) svg.append(s("line", { x1: at(tick.at), x2: at(tick.at), y1: 0, y2: 22, class: "grid" }));
  if (row.low != null && row.high != null) svg.append(s("line", { x1: at(row.low), x2: at(row.high), y1: 11, y2: 11, class: "range" }));
  if (row.at != null) svg.append(s("circle", { cx: at(row.at), cy: 11, r: 5, class: row.is_small ? "point few" : "point" }));
  return svg;
}

/** @param {import("../people").Tick[]} ticks */
function scale(ticks) {
  const svg = s("svg", { class: "scale" });
  for (const tick of ticks) svg.append(s("text", { x: at(tick.at), y: 12, class: "axis", "text-anchor": tick.at < 0.05 ? "start" : tick.at > 0.95 ? "end" : "middle" }, tick.label));
  return svg;
}

/** @param {number} share */
const at = (share) => `${2 + share * 96}%`;
