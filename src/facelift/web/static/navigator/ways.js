// Below the map: the ways step by step, how one got here, and what serves what.
// @ts-check

import { changeText, effortWords, h, hidden, inkLegend, number, percent, pip, plural } from "./parts.js";
import { starButton } from "./plan.js";
import { previewing } from "./preview.js";

/** @typedef {import("../document").WayWords} Way */
/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav */
export function detailPanels(nav) {
  if (!nav.shown.ways.length) return nav.shown.history.length ? [historyPanel(nav)] : [];
  const parts = [waysPanel(nav)];
  if (nav.shown.history.length) parts.push(historyPanel(nav));
  if (nav.shown.ways.length > 1) parts.push(openPanel(nav), matrixPanel(nav));
  return parts;
}

/** @param {Navigator} nav */
function waysPanel(nav) {
  const list = h("div", { class: "way-list" });
  for (const way of nav.shown.ways) list.append(wayRow(nav, way));
  return h("section", { class: "panel ways", "aria-label": "Destinations" }, h("h2", {}, "Destinations"), list);
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
      hidden(`Way ${way.letter}: `),
      h("span", { class: "what" }, changes || `${nav.shown.header.picture ? "seen as " : ""}${way.outcome}, in ${plural(way.steps.length, "step")}`),
      h("span", { class: "small" }, `${[way.outlook === "–" ? "" : way.outlook, way.time, way.lasts, way.dips].filter(Boolean).join(" · ")} `, effortWords(way.size, way.effort)),
    ),
  );
  details.append(way.steps.some((step) => step.picture) ? strip(nav, way) : stepTable(nav, way));
  if (way.similar > 1 && !nav.host.fixed)
    details.append(h("button", { "data-key": `unfold-${way.letter}`, click: () => nav.move({ kind: "unfold", letter: way.letter }) }, `Unfold ${plural(way.similar, "similar way")}`));
  return nav.host.planned ? h("div", { class: "way-row" }, details, starButton(nav, way.letter)) : details;
}

/** @param {Navigator} nav @param {Way} way */
function stepTable(nav, way) {
  const rows = way.steps.map((step, i) =>
    h("tr", {}, h("td", {}, String(i + 1)), h("td", {}, step.words), h("td", {}, effortWords(step.size, step.effort)), h("td", {}, step.outlook), h("td", {}, step.closes ? h("strong", { class: "closes" }, `closes ${step.closes}`) : `${step.n_open} open`), h("td", { title: `If ${way.letter} falls away by then: the nearest way to go on to` }, step.fallback)),
  );
  const heads = ["", "step", "effort", nav.shown.measure, "ways", "if it falls through"].map((each) => h("th", { scope: "col" }, each || hidden("number")));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Steps of way ${way.letter}` }, h("table", { class: "steps" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
}

/** @param {Navigator} nav @param {Way} way */
function strip(nav, way) {
  const frames = [h("figure", {}, h("img", { class: "ink", src: nav.shown.header.picture, alt: `start: ${nav.shown.header.outcome}` }), h("figcaption", {}, "you"))];
  for (const [i, step] of way.steps.entries())
    frames.push(
      h("figure", {}, h("img", { class: "ink", src: step.picture, alt: `step ${i + 1}` }), h("img", { class: "ink change-picture", src: step.difference, alt: "what was added and removed" }), h("figcaption", {}, `${step.outlook} · effort ${number(step.effort)}`)),
    );
  return h("div", {}, inkLegend(), h("div", { class: "strip", tabindex: "0", role: "region", "aria-label": `Pictures of way ${way.letter}` }, ...frames));
}

/** @param {Navigator} nav */
function historyPanel(nav) {
  const items = nav.shown.history.map((event) =>
    h("li", {}, event.kind === "other" ? "Something else happened: " : event.kind === "correction" ? "Put right: " : "", event.changes.map(changeText).join(", ") || "another picture", event.outlook ? h("span", { class: "small" }, `  ${event.outlook}`) : null),
  );
  return h("section", { class: "panel history", "aria-label": "How you got here" }, h("h2", {}, "How you got here"), h("ol", {}, ...items));
}

/** How many ways are open after every step of every way, and where some close. @param {Navigator} nav */
function openPanel(nav) {
  const { ways } = nav.shown;
  const title = h("h2", {}, "What stays open as you go");
  const panel = (/** @type {HTMLElement} */ told) => h("section", { class: "panel stays-open", "aria-label": "What stays open as you go" }, title, told);
  if (!ways.some((way) => way.steps.some((step) => step.closes)))
    return panel(h("p", {}, `Nothing closes: whichever way you go, all ${ways.length} ways stay open until you arrive.`));
  const most = Math.max(...ways.map((way) => way.steps.length));
  const head = h("tr", {}, h("td", {}), ...Array.from({ length: most }, (_, i) => h("th", { scope: "col" }, `step ${i + 1}`)));
  const cell = (/** @type {Way["steps"][number] | undefined} */ step) => h("td", {}, step ? `${step.n_open} open` : "", step?.closes ? h("strong", { class: "closes" }, ` closes ${step.closes}`) : null);
  const rows = ways.map((way) => h("tr", {}, h("th", { scope: "row" }, pip(way.letter, way.colour, "nearer"), hidden(`Way ${way.letter}`)), ...Array.from({ length: most }, (_, i) => cell(way.steps[i]))));
  return panel(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of what stays open" }, h("table", { class: "steps" }, h("thead", {}, head), h("tbody", {}, ...rows))));
}

/** @param {Navigator} nav */
function matrixPanel(nav) {
  const { matrix } = nav.shown;
  const head = h("tr", {}, h("td", {}), ...matrix.letters.map((letter, i) => h("th", { scope: "col" }, pip(letter, matrix.colours[i], "nearer"), hidden(letter))), h("th", { scope: "col" }, "mean"));
  const rows = matrix.letters.map((letter, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, pip(letter, matrix.colours[i], "nearer"), hidden(letter)),
      ...matrix.cells[i].map((share, j) => {
        const cell = h("td", { class: i === j ? "own" : "", title: i === j ? "" : `Heading for ${letter}, ${percent(share)} of the effort also brings you towards ${matrix.letters[j]}` }, i === j ? "" : share.toFixed(2).replace(/^0/, ""));
        cell.style.setProperty("--share", i === j ? "0" : String(share));
        return cell;
      }),
      h("td", { class: "mean" }, matrix.means[i] == null ? "–" : /** @type {number} */ (matrix.means[i]).toFixed(2)),
    ),
  );
  return h("section", { class: "panel", "aria-label": "What serves what" }, h("h2", { title: "opportunity potential l[a, b]; the mean is the score of a way" }, "Heading for ↓ also brings you towards →"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of what serves what" }, h("table", { class: "matrix" }, h("thead", {}, head), h("tbody", {}, ...rows))));
}
