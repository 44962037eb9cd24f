// The map of ways: lines, stations and ends, by mouse and by arrow keys.
// @ts-check

import { choice, dimmed, h, number, s } from "./parts.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav */
export function mapPanel(nav) {
  const maps = nav.shown.maps;
  const names = Object.keys(maps);
  if (!names.length) return [arrivedPanel(nav)];
  const name = maps[nav.scale] ? nav.scale : names[0];
  const head = h("div", { class: "map-head" }, h("h2", {}, "Map of ways"));
  if (names.length > 1) head.append(choice("scale", "across", names, (each) => each, nav.scale, (each) => { nav.scale = each; nav.draw(); }));
  if (nav.shown.more_ways && !nav.host.fixed)
    head.append(h("button", { "data-key": "more", click: () => nav.move({ kind: "again", n_ways: nav.shown.more_ways }) }, "Look for more ways"));
  const box = h("div", { class: "map-box", tabindex: "0", role: "group", "aria-label": "Map; use the arrow keys: up and down between ways, left and right along one", keydown: (/** @type {KeyboardEvent} */ event) => onMapKey(nav, event), "data-key": "map" }, drawing(nav, maps[name]));
  return [head, h("p", { class: "small sideways", "aria-hidden": "true" }, "Slide the map sideways to see where the lines end."), box];
}

/** What stands in the place of the map where there is nowhere to go. @param {Navigator} nav */
function arrivedPanel(nav) {
  const { state } = nav.shown;
  const next = [
    nav.host.exported ? "Export makes a report of how things stand, to keep or to show." : "",
    nav.before.length ? "Undo goes back, to look at other ways." : "",
    nav.shown.settings.settings.length && !nav.host.fixed ? "If things change, say so with “Something else happened”." : "",
  ];
  return h("div", { class: "nothing" }, h("h2", {}, state === "already" ? "Nothing needs to change" : "You are there"), h("p", {}, next.filter(Boolean).join(" ")));
}

/** @param {Navigator} nav @param {import("../document").Map} map */
function drawing(nav, map) {
  const svg = s("svg", { viewBox: `0 0 ${map.width} ${map.height}`, class: "drawing" });
  svg.style.minWidth = `${Math.min(map.width, 600)}px`;
  svg.style.maxWidth = `${map.width * 1.25}px`;
  svg.append(s("text", { x: map.you.x - 8, y: 16, class: "axis" }, map.axis));
  for (const tick of map.ticks)
    svg.append(
      s("line", { x1: tick.x, x2: tick.x, y1: 38, y2: map.height - 8, class: "grid" }),
      s("text", { x: tick.x, y: 31, class: "axis", "text-anchor": "middle" }, tick.label),
    );
  for (const stroke of map.strokes) svg.append(s("path", { d: stroke.path, class: `stroke colour-${stroke.colour}${dimmed(nav, stroke.letter)}` }));
  const picture = Boolean(map.you.picture);
  for (const [i, station] of map.stations.entries()) svg.append(stationMark(nav, station, picture, i));
  for (const label of map.labels)
    svg.append(
      s("g", { class: "label" }, s("title", {}, label.words), s("text", { x: label.x, y: label.above, class: "name" }, label.name), s("text", { x: label.x, y: label.below, class: "value" }, label.value)),
    );
  svg.append(youMark(nav, map.you, picture));
  for (const end of map.ends) svg.append(endMark(nav, end));
  return svg;
}

/** @param {Navigator} nav @param {import("../document").Station} station @param {boolean} picture @param {number} i */
function stationMark(nav, station, picture, i) {
  const said = `${station.words}${station.closes ? `; closes ${station.closes} for good` : ""}; serves ${station.letters}`;
  const group = s("g", { class: `station${dimmed(nav, station.letters)}`, "data-station": i }, s("title", {}, said));
  if (picture) {
    const size = 56;
    const frame = station.colour == null ? "" : ` colour-${station.colour}`;
    group.append(
      s("rect", { x: station.x - size / 2, y: station.y - size / 2, width: size, height: size, rx: 4, class: `frame${frame}` }),
      s("image", { href: station.picture, x: station.x - size / 2 + 3, y: station.y - size / 2 + 3, width: size - 6, height: size - 6, class: "ink" }),
      s("text", { x: station.x, y: station.y + size / 2 + 14, class: "value", "text-anchor": "middle" }, station.caption),
    );
  } else if (station.fork) {
    group.append(s("rect", { x: station.x - 5, y: station.y - station.height / 2, width: 10, height: station.height, rx: 5, class: "fork" }));
  } else {
    group.append(s("rect", { x: station.x - 1.5, y: station.y - station.height / 2 + 3, width: 3, height: station.height - 6, class: "stop" }));
  }
  if (station.closes) group.append(s("text", { x: station.x, y: station.y - station.height / 2 - 4, class: "warning", "text-anchor": "middle" }, "⚠"));
  return group;
}

/** @param {Navigator} nav @param {import("../document").Station} you @param {boolean} picture */
function youMark(nav, you, picture) {
  const group = s("g", { class: "you" });
  if (picture) group.append(stationMark(nav, { ...you, letters: "" , words: "you"}, true, -1));
  else group.append(s("rect", { x: you.x - 6, y: you.y - you.height / 2, width: 12, height: you.height, rx: 6 }));
  group.append(picture ? s("text", { x: you.x, y: you.y - 34, "text-anchor": "middle", class: "name" }, "you") : s("text", { x: you.x + 7, y: you.y - you.height / 2 - 7, "text-anchor": "end", class: "name" }, "you"));
  return group;
}

/** @param {Navigator} nav @param {import("../document").End} end */
function endMark(nav, end) {
  const chosen = nav.chosen === end.letter;
  return s(
    "g",
    {
      class: `end${dimmed(nav, end.letter)}`,
      role: "button",
      tabindex: "0",
      "aria-pressed": String(chosen),
      "data-key": `end-${end.letter}`,
      click: () => nav.choose(chosen ? null : end.letter),
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        nav.choose(chosen ? null : end.letter);
      },
    },
    s("rect", { x: end.x - 14, y: end.y - 18, width: 200, height: 36, rx: 8, class: "target" }),
    s("circle", { cx: end.x, cy: end.y, r: 11, class: `badge colour-${end.colour}` }),
    s("text", { x: end.x, y: end.y + 4, class: `badge-letter on-${end.colour}`, "text-anchor": "middle" }, end.letter),
    s("text", { x: end.x + 18, y: end.y - 2, class: "name" }, end.caption),
    s("text", { x: end.x + 18, y: end.y + 13, class: "value" }, end.note),
  );
}

/** @param {Navigator} nav @param {KeyboardEvent} event */
function onMapKey(nav, event) {
  const letters = [...nav.place.querySelectorAll(".end")].map((end) => (end.getAttribute("data-key") ?? "").slice(4));
  if (!letters.length) return;
  const at = nav.chosen ? letters.indexOf(nav.chosen) : -1;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = event.key === "ArrowDown" ? (at + 1) % letters.length : (at <= 0 ? letters.length : at) - 1;
    nav.choose(letters[next]);
    nav.focusOn(`end-${letters[next]}`);
    nav.say(wayWords(nav, letters[next]));
  } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    event.preventDefault();
    const way = nav.shown.ways.find((each) => each.letter === (nav.chosen ?? letters[0]));
    if (!way) return;
    if (!nav.chosen) nav.choose(way.letter);
    nav.stop = Math.max(0, Math.min(way.steps.length - 1, nav.stop + (event.key === "ArrowRight" ? 1 : -1)));
    const step = way.steps[nav.stop];
    nav.say(`Way ${way.letter}, step ${nav.stop + 1} of ${way.steps.length}: ${step.words}, effort ${number(step.effort)}, ${step.picture ? "seen as" : nav.shown.measure} ${step.outlook}`);
    nav.place.querySelectorAll(".steps tbody tr").forEach((row, i) => row.classList.toggle("current", i === nav.stop));
  }
}

/** @param {Navigator} nav @param {string} letter */
function wayWords(nav, letter) {
  const way = nav.shown.ways.find((each) => each.letter === letter);
  return way ? `Way ${letter}: ${way.steps.map((step) => step.words).join(", then ")}` : "";
}
