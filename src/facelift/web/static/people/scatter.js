// Everybody as dots, coloured by how many ways they have; shapes say the same once more.
// @ts-check
import { h, s } from "../navigator/parts.js";
import { say, whole } from "../navigator/words.js";

/** @typedef {import("../people").Everybody} Everybody */
/** @typedef {import("../people").Scatter} Scatter */

const [LEFT, RIGHT, TOP, BOTTOM] = [74, 14, 14, 30];

/** What the colours mean, and how many there are of each. @param {Everybody} everybody */
export function bandLegend(everybody) {
  const shown = everybody.bands.filter((band) => band.n);
  return h(
    "ul",
    { class: "bands", "aria-label": say("Ways open") },
    h("li", { "aria-hidden": "true" }, h("strong", {}, say("Ways open"))),
    ...shown.map((band) => h("li", {}, mark(band.band), ` ${band.words} `, h("span", { class: "small" }, `(${whole(band.n)})`))),
  );
}

/** The dot of a band. @param {string} band */
export function mark(band) {
  return s("svg", { viewBox: "-7 -7 14 14", width: 14, height: 14, class: "mark", "aria-hidden": "true" }, shape(band, 0, 0, 5));
}

/** @param {string} band @param {number} x @param {number} y @param {number} size */
function shape(band, x, y, size) {
  if (band === "none") return s("path", { d: `M${x - size} ${y - size}L${x + size} ${y + size}M${x - size} ${y + size}L${x + size} ${y - size}`, class: "dot none" });
  return s("circle", { cx: x, cy: y, r: band === "reached" || band === "unknown" ? size * 0.55 : size, class: `dot ${band}` });
}

/**
 * The drawing; whoever is chosen is ringed and named.
 * @param {Scatter} scatter @param {number[]} chosen @param {(person: number) => void} choose
 * @param {boolean} narrow
 */
export function drawing(scatter, chosen, choose, narrow) {
  const [WIDTH, HEIGHT] = narrow ? [360, 340] : [700, 420];
  const across = (/** @type {number} */ x) => LEFT + x * (WIDTH - LEFT - RIGHT);
  const up = (/** @type {number} */ y) => HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM);
  const label = say("Everybody by {across} and {up}; the list of people has the same to choose from.", { across: scatter.across.label, up: scatter.up.label });
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "scatter", role: "img", "aria-label": label });
  for (const [i, tick] of scatter.across.ticks.entries()) {
    svg.append(s("line", { x1: across(tick.at), x2: across(tick.at), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }));
    if (narrow && i % 2) continue;
    svg.append(s("text", { x: across(tick.at), y: HEIGHT - BOTTOM + 18, class: "axis", "text-anchor": tick.at > 0.98 ? "end" : "middle" }, short(tick.label, scatter.across.ticks.length)));
  }
  for (const tick of scatter.up.ticks) {
    svg.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(tick.at), y2: up(tick.at), class: "grid" }));
    svg.append(s("text", { x: LEFT - 8, y: up(tick.at) + 4, class: "axis", "text-anchor": "end" }, short(tick.label, 7)));
  }
  const quiet = ["reached", "unknown"];
  const order = [...scatter.dots].sort((a, b) => Number(quiet.includes(b.band)) - Number(quiet.includes(a.band)));
  for (const dot of order) {
    const drawn = shape(dot.band, across(dot.x), up(dot.y), 4);
    drawn.append(s("title", {}, dot.title));
    drawn.addEventListener("click", () => choose(dot.person));
    svg.append(drawn);
  }
  for (const [i, person] of chosen.entries()) {
    const dot = scatter.dots.find((each) => each.person === person);
    if (dot) svg.append(named(`${i + 1} · ${dot.title}`, across(dot.x), up(dot.y), WIDTH));
  }
  return svg;
}

/** @param {string} words @param {number} x @param {number} y @param {number} most */
function named(words, x, y, most) {
  const width = words.length * 6.6 + 18;
  const left = x + 14 + width > most ? x - 14 - width : x + 14;
  return s(
    "g",
    { class: "named" },
    s("circle", { cx: x, cy: y, r: 9 }),
    s("rect", { x: left, y: y - 11, width, height: 22, rx: 11 }),
    s("text", { x: left + width / 2, y: y + 4, "text-anchor": "middle" }, words),
  );
}

/** A label that fits beside so many others. @param {string} words @param {number} others */
function short(words, others) {
  const most = others > 5 ? 11 : 16;
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}
