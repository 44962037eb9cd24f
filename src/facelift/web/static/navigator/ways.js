// Below the map: the ways step by step, how one got here, and what serves what.
// @ts-check

import { changeText, dimmed, h, hidden, inkLegend, number, percent, pip, plural, s } from "./parts.js";

/** @typedef {import("../document").WayWords} Way */
/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav */
export function detailPanels(nav) {
  if (!nav.shown.ways.length) return nav.shown.history.length ? [historyPanel(nav)] : [];
  const parts = [waysPanel(nav)];
  if (nav.shown.history.length) parts.push(historyPanel(nav));
  if (nav.shown.ways.length > 1) parts.push(curvePanel(nav), matrixPanel(nav));
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
    h("details", { "data-way": way.letter, open: nav.chosen === way.letter })
  );
  const changes = way.changes.map((change) => `${change.name} ${change.after}`).join(", ");
  details.append(
    h(
      "summary",
      { "data-key": `way-${way.letter}`, click: (/** @type {Event} */ event) => { event.preventDefault(); nav.choose(nav.chosen === way.letter ? null : way.letter); } },
      pip(way.letter, way.colour, "nearer"),
      hidden(`Way ${way.letter}: `),
      h("span", { class: "what" }, changes || `${nav.shown.header.picture ? "seen as " : ""}${way.outcome}, in ${plural(way.steps.length, "step")}`),
      h("span", { class: "small" }, `${way.outlook === "–" ? "" : `${way.outlook} · `}effort ${number(way.effort)} · serves others ${percent(way.serves)}${way.time ? ` · ${way.time}` : ""}${way.lasts ? ` · ${way.lasts}` : ""}${way.dips ? ` · ${way.dips}` : ""}`),
    ),
  );
  details.append(way.steps.some((step) => step.picture) ? strip(nav, way) : stepTable(nav, way));
  if (way.similar > 1 && !nav.host.fixed)
    details.append(h("button", { "data-key": `unfold-${way.letter}`, click: () => nav.move({ kind: "unfold", letter: way.letter }) }, `Unfold ${plural(way.similar, "similar way")}`));
  return details;
}

/** @param {Navigator} nav @param {Way} way */
function stepTable(nav, way) {
  const rows = way.steps.map((step, i) =>
    h("tr", {}, h("td", {}, String(i + 1)), h("td", {}, step.words), h("td", {}, number(step.effort)), h("td", {}, step.outlook), h("td", {}, step.closes ? h("strong", { class: "closes" }, `closes ${step.closes}`) : `${step.n_open} open`), h("td", { title: `If ${way.letter} falls away by then: the nearest way to go on to, and its effort` }, step.fallback)),
  );
  const heads = ["", "step", "effort", nav.shown.measure, "ways", "if lost"].map((each) => h("th", { scope: "col" }, each || hidden("number")));
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

/** @param {Navigator} nav */
function curvePanel(nav) {
  const { curves } = nav.shown;
  const [width, height, left, top] = [300, 176, 40, 14];
  const most = Math.max(...curves.map((curve) => curve.points[curve.points.length - 1][0])) || 1;
  const x = (/** @type {number} */ effort) => left + ((width - left - 22) * effort) / most;
  const y = (/** @type {number} */ share, /** @type {number} */ lane) => top + (height - top - 34) * (1 - share) + lane;
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "img", "aria-label": "Share of the other ways that each way still serves, over the effort spent" });
  for (const share of [0, 0.5, 1])
    svg.append(s("line", { x1: left, x2: width - 14, y1: y(share, 0), y2: y(share, 0), class: "grid" }), s("text", { x: left - 6, y: y(share, 3), class: "axis", "text-anchor": "end" }, percent(share)));
  /** @type {{letter: string, colour: number, x: number, y: number}[]} */ const marks = [];
  const lanes = curves.map((_, i) => (i - (curves.length - 1) / 2) * 1.7);
  for (const [i, curve] of curves.entries()) {
    const [first, ...rest] = curve.points;
    let path = `M${x(first[0])} ${y(first[1], lanes[i])}`;
    for (const [effort, share] of rest) path += `V${y(share, lanes[i])}H${x(effort)}`;
    const [lastEffort, lastShare] = curve.points[curve.points.length - 1];
    svg.append(s("path", { d: path, class: `curve colour-${curve.colour}${dimmed(nav, curve.letter)}` }));
    marks.push({ letter: curve.letter, colour: curve.colour, x: x(lastEffort), y: y(lastShare, -5) });
  }
  for (const mark of apart(marks)) svg.append(s("text", { x: mark.x, y: mark.y, class: "axis letter", "text-anchor": "middle" }, mark.letter));
  svg.append(s("text", { x: width - 14, y: height - 6, class: "axis", "text-anchor": "end" }, "effort spent →"));
  return h("section", { class: "panel", "aria-label": "What stays open as you go" }, h("h2", { title: "agency: the share of alternatives that every step so far brought nearer" }, "What stays open as you go"), h("p", { class: "small" }, "Other ways that every step so far has also served. It falls as you commit; what is not served may still be reached, with more effort."), svg);
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

/**
 * Letters moved up until none covers another.
 * @template {{x: number, y: number}} M
 * @param {M[]} marks
 */
function apart(marks) {
  /** @type {M[]} */ const placed = [];
  for (const mark of [...marks].sort((a, b) => a.x - b.x)) {
    while (placed.some((other) => Math.abs(other.x - mark.x) < 11 && Math.abs(other.y - mark.y) < 11)) mark.y -= 11;
    placed.push(mark);
  }
  return placed;
}
