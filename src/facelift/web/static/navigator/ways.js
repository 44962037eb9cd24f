// Below the map: the ways step by step, how one got here, and what serves what.
// @ts-check

import { comparisonPanel } from "./criteria.js";
import { changeText, effortWords, h, hidden, inkLegend, measureWords, pip } from "./parts.js";
import { starButton } from "./plan.js";
import { previewing } from "./preview.js";
import { count, number, percent, say } from "./words.js";

/** @typedef {import("../document").WayWords} Way */
/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav */
export function detailPanels(nav) {
  if (!nav.shown.ways.length) return nav.shown.history.length ? [historyPanel(nav)] : [];
  const parts = [waysPanel(nav)];
  if (nav.shown.history.length) parts.push(historyPanel(nav));
  if (nav.shown.ways.length > 1) parts.push(comparisonPanel(nav), openPanel(nav), matrixPanel(nav));
  return parts;
}

/** @param {Navigator} nav */
function waysPanel(nav) {
  const list = h("div", { class: nav.shown.ways.some((way) => way.time) ? "way-list timed" : "way-list" });
  for (const way of nav.shown.ways) list.append(wayRow(nav, way));
  return h("section", { class: "panel ways", "aria-label": say("Destinations") }, h("div", { class: "next-head" }, h("h2", {}, say("Destinations")), nav.host.planned ? h("span", { class: "small" }, say("☆ makes a way a plan. Letters stay with their way.")) : null), list);
}

/** @param {Navigator} nav @param {Way} way */
function wayRow(nav, way) {
  const details = /** @type {HTMLDetailsElement} */ (
    h("details", { "data-way": way.letter, "data-letters": way.letter, open: nav.chosen === way.letter, ...previewing(nav, { nearer: way.letter }) })
  );
  const changes = way.changes.map((change) => `${change.name} ${change.after}`).join(", ");
  details.append(
    h(
      "summary",
      { "data-key": `way-${way.letter}`, click: (/** @type {Event} */ event) => { event.preventDefault(); nav.choose(nav.chosen === way.letter ? null : way.letter); } },
      pip(way.letter, way.colour, "nearer"),
      hidden(`${say("Way {way}", { way: way.letter })}: `),
      h("span", { class: "what" }, changes || reaching(nav, way)),
      h("span", { class: "small" }, h("span", { class: "chance" }, way.outlook === "–" ? "" : way.outlook), h("span", {}, [way.time, way.lasts, way.dips].filter(Boolean).join(" · ")), effortWords(way.size, way.effort)),
    ),
  );
  for (const [i, steps] of [way.steps, ...way.variants].entries()) {
    const name = i ? say("Way {way}, route {n}", { way: way.letter, n: i + 1 }) : say("Way {way}", { way: way.letter });
    if (i) details.append(h("h3", { class: "route" }, name));
    details.append(steps.some((step) => step.picture) ? strip(nav, name, steps) : stepTable(nav, way, name, steps));
  }
  for (const doubt of way.doubts) details.append(h("p", { class: "small" }, doubt));
  if (way.similar > 1 && !nav.host.fixed)
    details.append(h("button", { "data-key": `unfold-${way.letter}`, click: () => nav.move({ kind: "unfold", letter: way.letter }) }, count("Unfold {n} similar way", "Unfold {n} similar ways", way.similar)));
  return nav.host.planned ? h("div", { class: "way-row" }, details, starButton(nav, way.letter)) : details;
}

/** Where a way leads to, where there is no telling what it changes. @param {Navigator} nav @param {Way} way */
function reaching(nav, way) {
  const n = way.steps.length;
  if (nav.shown.header.picture) return count("seen as {outcome}, in {n} step", "seen as {outcome}, in {n} steps", n, { outcome: way.outcome });
  return count("{outcome}, in {n} step", "{outcome}, in {n} steps", n, { outcome: way.outcome });
}

/** @param {string} kind @param {string} changes */
function happened(kind, changes) {
  if (kind === "other") return say("Something else happened: {changes}", { changes });
  return kind === "correction" ? say("Put right: {changes}", { changes }) : changes;
}

/** @param {Navigator} nav @param {Way} way @param {string} name @param {Way["steps"]} steps */
function stepTable(nav, way, name, steps) {
  const rows = steps.map((step, i) =>
    h("tr", {}, h("td", {}, String(i + 1)), h("td", {}, step.words, step.shifts ? h("div", { class: "small" }, step.shifts) : null), h("td", {}, effortWords(step.size, step.effort)), h("td", {}, step.outlook), h("td", {}, step.closes ? h("strong", { class: "closes" }, say("closes {ways}", { ways: step.closes })) : count("{n} open", "{n} open", step.n_open)), h("td", { title: say("If {way} falls away by then: the nearest way to go on to", { way: way.letter }) }, step.fallback)),
  );
  const heads = ["", say("step"), say("effort"), measureWords(nav), say("ways"), say("if it falls through")].map((each) => h("th", { scope: "col" }, each || hidden(say("number"))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Steps: {way}", { way: name }) }, h("table", { class: "steps" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
}

/** @param {Navigator} nav @param {string} name @param {Way["steps"]} steps */
function strip(nav, name, steps) {
  const frames = [h("figure", {}, h("img", { class: "ink", src: nav.shown.header.picture, alt: say("start: {outcome}", { outcome: nav.shown.header.outcome }) }), h("figcaption", {}, say("you")))];
  for (const [i, step] of steps.entries())
    frames.push(
      h("figure", {}, h("img", { class: "ink", src: step.picture, alt: say("step {n}", { n: i + 1 }) }), h("img", { class: "ink change-picture", src: step.difference, alt: say("what was added and removed") }), h("figcaption", {}, `${step.outlook} · ${say("effort {effort}", { effort: number(step.effort) })}`, step.shifts ? h("span", { class: "small shifts" }, step.shifts) : null)),
    );
  return h("div", {}, inkLegend(), h("div", { class: "strip", tabindex: "0", role: "region", "aria-label": say("Pictures: {way}", { way: name }) }, ...frames));
}

/** @param {Navigator} nav */
function historyPanel(nav) {
  const items = nav.shown.history.map((event) =>
    h("li", {}, happened(event.kind, event.changes.map(changeText).join(", ") || say("another picture")), event.outlook ? h("span", { class: "small" }, `  ${event.outlook}`) : null),
  );
  return h("section", { class: "panel history", "aria-label": say("How you got here") }, h("h2", {}, say("How you got here")), h("ol", {}, ...items));
}

/** How many ways are open after every step of every way, and where some close. @param {Navigator} nav */
function openPanel(nav) {
  const { ways } = nav.shown;
  const title = h("h2", {}, say("What stays open as you go"));
  const panel = (/** @type {HTMLElement} */ told) => h("section", { class: "panel stays-open", "aria-label": say("What stays open as you go") }, title, told);
  if (!ways.some((way) => way.steps.some((step) => step.closes)))
    return panel(h("p", {}, say("Nothing closes: whichever way you go, all {n} ways stay open until you arrive.", { n: ways.length })));
  const most = Math.max(...ways.map((way) => way.steps.length));
  const head = h("tr", {}, h("td", {}), ...Array.from({ length: most }, (_, i) => h("th", { scope: "col" }, say("step {n}", { n: i + 1 }))));
  const cell = (/** @type {Way["steps"][number] | undefined} */ step) => h("td", {}, step ? h("span", { class: "count" }, count("{n} open", "{n} open", step.n_open)) : null, " ", step?.closes ? h("strong", { class: "closes" }, say("closes {ways}", { ways: step.closes })) : null);
  const rows = ways.map((way) => h("tr", {}, h("th", { scope: "row" }, pip(way.letter, way.colour, "nearer"), hidden(say("Way {way}", { way: way.letter }))), ...Array.from({ length: most }, (_, i) => cell(way.steps[i]))));
  return panel(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Table of what stays open") }, h("table", { class: "steps" }, h("thead", {}, head), h("tbody", {}, ...rows))));
}

/** @param {Navigator} nav */
function matrixPanel(nav) {
  const { matrix } = nav.shown;
  const bare = (/** @type {number | null} */ share) => percent(share).replace(/\s*%/, "");
  const head = h("tr", {}, h("td", {}, "%"), ...matrix.letters.map((letter, i) => h("th", { scope: "col" }, pip(letter, matrix.colours[i], "nearer"), hidden(letter))), h("th", { scope: "col" }, say("mean")));
  const rows = matrix.letters.map((letter, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, pip(letter, matrix.colours[i], "nearer"), hidden(letter)),
      ...matrix.cells[i].map((share, j) => {
        const cell = h("td", { class: i === j ? "own" : "", title: i === j ? "" : say("Heading for {way}, {share} of the effort also brings you towards {other}", { way: letter, share: percent(share), other: matrix.letters[j] }) }, i === j ? "" : bare(share));
        cell.style.setProperty("--share", i === j ? "0" : String(share));
        return cell;
      }),
      h("td", { class: "mean" }, bare(matrix.means[i])),
    ),
  );
  return h("section", { class: "panel", "aria-label": say("What serves what") }, h("h2", { title: say("opportunity potential l[a, b]; the mean is the score of a way") }, say("Heading for ↓ also brings you towards →")), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Table of what serves what") }, h("table", { class: "matrix" }, h("thead", {}, head), h("tbody", {}, ...rows))));
}
