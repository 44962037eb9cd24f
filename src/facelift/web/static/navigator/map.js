// The map of ways: lines, stations and ends, by mouse and by arrow keys.
// @ts-check

import { arrange } from "./order.js";
import { choice, dimmed, h, measureWords, named, refill, s } from "./parts.js";
import { preview } from "./preview.js";
import { number, percent, say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

const PADDING = 30;
const WIDEST = 2.1;
const SMALLEST = 0.92;
const SMALLEST_PICTURES = 0.8;
const CLOSEST_PICTURES = 0.7;
const [LETTER, BESIDE] = [8, 14];
/** From the words of a step to its end. */
const BEFORE = 16;
const FONTS = { name: "650 12.5px", value: "12px" };
const scaleWords = () => ({ steps: say("steps"), time: say("time"), effort: say("effort") });

/** @param {Navigator} nav */
export function mapPanel(nav) {
  const names = Object.keys(nav.shown.maps);
  if (!names.length) return [arrivedPanel(nav)];
  const head = h("div", { class: "map-head" }, h("h2", {}, say("Map of ways")), h("span", { class: "tag previewing", hidden: true, "aria-hidden": "true" }));
  if (names.length > 1) head.append(choice("scale", say("by"), names, (each) => scaleWords()[/** @type {keyof ReturnType<typeof scaleWords>} */ (each)] ?? each, nav.scale, (each) => { nav.scale = each; nav.draw(); }));
  if (!nav.host.fixed && (nav.shown.ways.length > 2 || nav.shown.walk.overview)) head.append(overviewDial(nav));
  if (nav.shown.more_ways && !nav.host.fixed)
    head.append(h("button", { "data-key": "more", click: () => nav.move({ kind: "again", n_ways: nav.shown.more_ways }) }, say("Look for more ways")));
  const box = h("div", { class: "map-box", tabindex: "0", role: "group", "aria-label": say("Map; use the arrow keys: up and down between ways, left and right along one"), keydown: (/** @type {KeyboardEvent} */ event) => onMapKey(nav, event), "data-key": "map" });
  fitMap(nav, box);
  return [head, box];
}

/** Draw the map that fits the room there is: wide, or upright. @param {Navigator} nav @param {Element} box */
function fitMap(nav, box) {
  const { maps, upright } = nav.shown;
  const wide = maps[nav.scale] ?? Object.values(maps)[0];
  if (!wide) return;
  const room = nav.parts.map.clientWidth ? nav.parts.map.clientWidth - PADDING : wide.width;
  const narrow = upright && room < wide.width * SMALLEST;
  nav.place.classList.toggle("upright", Boolean(narrow));
  refill(box, narrow ? [drawing(nav, upright, 1, true)] : [drawing(nav, wide, stretch(wide, room), false), numbers(wide)]);
}

/** How far places may be pulled apart to fill the room; pictures also move together. @param {import("../document").Map} map @param {number} room */
function stretch(map, room) {
  const fixed = map.you.x + map.right;
  const least = map.you.picture ? CLOSEST_PICTURES : 1;
  const full = map.you.picture ? Math.max(room, Math.min(map.width, room / SMALLEST_PICTURES)) : room;
  return Math.max(least, Math.min(WIDEST, (full - fixed) / (map.width - fixed)));
}

/** Draw the map anew whenever there is more or less room for it. @param {Navigator} nav */
export function watchRoom(nav) {
  arrange(nav);
  let known = nav.parts.map.clientWidth;
  new ResizeObserver(() => {
    arrange(nav);
    const width = nav.parts.map.clientWidth;
    const box = nav.place.querySelector(".map-box");
    if (width !== known && box) nav.asSeen(() => fitMap(nav, box));
    known = width;
  }).observe(nav.parts.map);
}

/** What numbers on the map stand for. @param {import("../document").Map} map */
function numbers(map) {
  const told = map.labels.filter((label) => label.number != null);
  return told.length ? h("ul", { class: "numbers small" }, ...told.map((label) => h("li", {}, h("strong", {}, String(label.number)), ` ${label.name} ${label.value}`))) : null;
}

/** What stands in the place of the map where there is nowhere to go: the way walked. @param {Navigator} nav */
function arrivedPanel(nav) {
  const { state, arrival } = nav.shown;
  const next = [
    nav.before.length ? say("Undo goes back, to look at other ways.") : "",
    nav.shown.settings.settings.length && !nav.host.fixed ? say("If things change, say so with “Something else happened”.") : "",
  ];
  const words = h("p", { class: "small" }, next.filter(Boolean).join(" "));
  if (!arrival) return h("div", { class: "nothing" }, h("h2", {}, state === "already" ? say("Nothing needs to change") : say("You are there")), words);
  const room = nav.parts.map.clientWidth - PADDING;
  const narrow = room > 0 && room < arrival.map.width * SMALLEST;
  const walked = narrow ? drawing(nav, arrival.upright, 1, true) : drawing(nav, arrival.map, stretch(arrival.map, room), false);
  for (const end of walked.querySelectorAll(".end")) for (const name of ["role", "tabindex", "aria-pressed", "data-key"]) end.removeAttribute(name);
  for (const line of walked.querySelectorAll(".stroke")) line.setAttribute("pathLength", "1");
  walked.querySelectorAll(".stroke").forEach((line, i) => /** @type {SVGElement} */ (line).style.setProperty("--turn", String(i)));
  walked.classList.add("replay");
  const again = () => { walked.classList.remove("replay"); walked.getBoundingClientRect(); walked.classList.add("replay"); };
  return h(
    "div",
    { class: "arrived" },
    h("div", { class: "map-head" }, h("h2", {}, say("The way you walked")), h("button", { "data-key": "replay", click: again }, `▶ ${say("Play again")}`)),
    walked,
    chart(nav, arrival),
    arrival.chances.length ? h("p", { class: "chances" }, ...named(measureWords(nav), h("strong", {}, arrival.chances.join(" → "))), h("span", { class: "small" }, arrival.terms ? ` (${arrival.terms})` : "")) : null,
    h(
      "div",
      { class: "after" },
      h("section", { "aria-label": say("What it took") }, h("h3", {}, say("What it took")), h("table", {}, h("tbody", {}, ...arrival.took.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))))),
      arrival.lasts ? h("section", { "aria-label": say("Will it last?") }, h("h3", {}, say("Will it last?")), votes(arrival.agree, arrival.n_models), h("p", {}, arrival.lasts), h("p", { class: "small" }, say("It is the model’s own estimate, not a promise."))) : null,
    ),
    words,
  );
}

/** From every way by itself to one for all; it gets finer the farther one has walked. @param {Navigator} nav */
function overviewDial(nav) {
  const turned = (/** @type {Event} */ event) => nav.move({ kind: "overview", share: Number(/** @type {HTMLInputElement} */ (event.target).value) });
  return h("label", { class: "dial small" }, `${say("Overview")} `, h("input", { type: "range", min: 0, max: 1, step: 0.25, value: nav.shown.walk.overview, "data-key": "overview", "aria-label": say("How much ways that run alike are shown as one"), change: turned }));
}

/** What the model said on the way, as a line, and what decides. @param {Navigator} nav @param {import("../document").Arrival} arrival */
function chart(nav, arrival) {
  const { figures, decides, chances } = arrival;
  if (figures.length < 2) return null;
  const [width, height, left, right, top, bottom] = [Math.max(280, Math.min(760, nav.parts.map.clientWidth - PADDING)), 128, 30, 96, 24, 12];
  const all = [...figures, ...decides];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (/** @type {number} */ i) => left + ((width - left - right) * i) / (figures.length - 1);
  const y = (/** @type {number} */ figure) => top + ((height - top - bottom) * (high - figure)) / (high - low || 1);
  const line = figures.map((figure, i) => `${i ? "L" : "M"}${x(i)} ${y(figure)}`).join(" ");
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", "aria-hidden": "true" });
  for (const each of decides) {
    const needed = nav.shown.measure === "chance" ? percent(each) : number(each);
    svg.append(s("line", { x1: 0, x2: width - right, y1: y(each), y2: y(each), class: "needed" }), s("text", { x: width - right + 14, y: y(each) + 16, class: "value" }, say("needed: {needed}", { needed })));
  }
  svg.append(s("path", { d: `${line} L${x(figures.length - 1)} ${height} L${left} ${height} Z`, class: "area" }), s("path", { d: line, class: "course" }));
  for (const [i, figure] of figures.entries()) svg.append(s("circle", { cx: x(i), cy: y(figure), r: 5, class: "stage" }), s("text", { x: x(i), y: y(figure) - 11, class: "name", "text-anchor": "middle" }, chances[i]));
  return svg;
}

/** One dot per other model: full where it agrees. @param {number | null} agree @param {number} all */
function votes(agree, all) {
  if (agree == null) return null;
  return h("p", { class: "votes", "aria-hidden": "true" }, ...Array.from({ length: all }, (_, i) => h("i", { class: i < agree ? "yes" : "no" })));
}

/** @param {Navigator} nav @param {import("../document").Map} map @param {number} wider @param {boolean} upright */
function drawing(nav, map, wider, upright) {
  const at = (/** @type {number} */ x) => map.you.x + (x - map.you.x) * wider;
  const beside = (/** @type {import("../document").Text[]} */ texts, /** @type {number} */ x) => texts.map((text) => ({ ...text, x: at(x) + text.x - x }));
  const width = Math.round(at(map.width - map.right) + map.right);
  const picture = Boolean(map.you.picture);
  const left = upright || picture ? 0 : Math.max(0, (map.you.caption || say("you")).length * LETTER + BESIDE - map.you.x);
  const svg = s("svg", { viewBox: `${-left} 0 ${width + left} ${map.height}`, class: `drawing${upright ? " is-upright" : ""}` });
  svg.style.maxWidth = `${upright ? width * 1.2 : width + left}px`;
  if (picture) svg.style.minWidth = `${width * SMALLEST_PICTURES}px`;
  if (map.axis) svg.append(s("text", { x: map.you.x - 8, y: 16, class: "axis" }, map.axis));
  for (const tick of map.ticks)
    svg.append(
      s("line", { x1: at(tick.x), x2: at(tick.x), y1: map.top, y2: map.height - 8, class: "grid" }),
      s("text", { x: at(tick.x), y: map.top - 7, class: "axis", "text-anchor": "middle" }, tick.label),
    );
  const lines = s("g", { transform: `translate(${map.you.x * (1 - wider)} 0) scale(${wider} 1)` });
  for (const kind of ["halo", "stroke"]) for (const stroke of map.strokes) lines.append(s("path", { d: stroke.path, "data-letters": stroke.letter, class: `${kind} colour-${stroke.colour}${dimmed(nav, stroke.letter)}` }));
  for (const tie of map.meetings) lines.append(s("path", { d: tie.path, "data-letters": tie.letters, class: `tie${dimmed(nav, tie.letters)}` }, s("title", {}, tie.words)));
  svg.append(lines);
  for (const [i, station] of map.stations.entries()) {
    const label = map.labels[i];
    if (upright && label) svg.append(s("line", { x1: station.x + station.width / 2 + 3, x2: label.x - 6, y1: station.y, y2: station.y, class: "leader" }));
    svg.append(stationMark(nav, { ...station, x: at(station.x) }, picture, i));
  }
  for (const [i, label] of map.labels.entries()) {
    const room = wider > 1 && label.number == null ? at(map.stations[i].x) - at(label.x) - BEFORE : 0;
    svg.append(s("g", { class: `label${dimmed(nav, label.letters)}`, "data-letters": label.letters }, s("title", {}, label.words), ...lettering(beside(fewerLines(nav, label, room), label.x))));
  }
  svg.append(youMark(nav, map.you, picture, upright ? map.ends[0]?.texts[0]?.x : undefined));
  for (const end of map.ends) svg.append(endMark(nav, { ...end, x: at(end.x), texts: beside(end.texts, end.x) }));
  return svg;
}

/** What is said of a step on as few lines as its room allows; names stand above the line, values below. @param {Navigator} nav @param {import("../document").Label} label @param {number} room */
function fewerLines(nav, label, room) {
  const pen = room > 0 && document.createElement("canvas").getContext("2d");
  if (!pen) return label.texts;
  const family = getComputedStyle(nav.place).fontFamily;
  return Object.entries(FONTS).flatMap(([role, font]) => {
    pen.font = `${font} ${family}`;
    const own = label.texts.filter((text) => text.role === role);
    /** @type {string[]} */ const lines = [];
    for (const { words } of own) {
      const last = lines.at(-1) ?? "";
      const longer = label[/** @type {"name" | "value"} */ (role)].includes(`${last} ${words}`) ? `${last} ${words}` : last + words;
      if (last && pen.measureText(longer).width <= room) lines[lines.length - 1] = longer;
      else lines.push(words);
    }
    const places = role === "name" ? own.slice(own.length - lines.length) : own;
    return lines.map((words, i) => ({ ...places[i], words }));
  });
}

/** @param {import("../document").Text[]} texts */
const lettering = (texts) => texts.map((text) => s("text", { x: text.x, y: text.y, class: text.role }, text.words));

/** @param {Navigator} nav @param {import("../document").Station} station @param {boolean} picture @param {number} i */
function stationMark(nav, station, picture, i) {
  const values = { step: station.words, closed: station.closes, ways: station.letters };
  const said = station.closes ? say("{step}; closes {closed}; on the way to {ways}", values) : say("{step}; on the way to {ways}", values);
  const group = s("g", { class: `station${dimmed(nav, station.letters)}`, "data-station": i, "data-letters": station.letters }, s("title", {}, said));
  const { x, y, width, height } = station;
  if (picture) {
    const size = 56;
    const frame = station.colour == null ? "" : ` colour-${station.colour}`;
    group.append(
      s("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 4, class: `frame${frame}` }),
      s("image", { href: station.picture, x: x - size / 2 + 3, y: y - size / 2 + 3, width: size - 6, height: size - 6, class: "ink" }),
      s("text", { x, y: y + size / 2 + 14, class: "value", "text-anchor": "middle" }, station.caption),
    );
  } else if (station.fork) {
    group.append(s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 5, class: "fork" }));
  } else if (width > 10) {
    group.append(s("rect", { x: x - 5, y: y - 1.5, width: 10, height: 3, class: "stop" }));
  } else {
    group.append(s("rect", { x: x - 1.5, y: y - height / 2 + 3, width: 3, height: height - 6, class: "stop" }));
  }
  if (station.closes) group.append(s("text", { x, y: y - height / 2 - 4, class: "warning", "text-anchor": "middle" }, "⚠"));
  return group;
}

/** @param {Navigator} nav @param {import("../document").Station} you @param {boolean} picture @param {number=} words */
function youMark(nav, you, picture, words) {
  const group = s("g", { class: "you" });
  if (picture) group.append(stationMark(nav, { ...you, letters: "", words: say("you") }, true, -1), s("text", { x: you.x, y: you.y - 34, "text-anchor": "middle", class: "name" }, say("you")));
  else {
    group.append(s("rect", { x: you.x - you.width / 2, y: you.y - you.height / 2, width: you.width, height: you.height, rx: 6 }));
    group.append(words == null ? s("text", { x: you.x - 11, y: you.y + 4, "text-anchor": "end", class: "name" }, you.caption || say("you")) : s("text", { x: words, y: you.y + 4, class: "name" }, you.caption || say("you are here")));
  }
  return group;
}

/** @param {Navigator} nav @param {import("../document").End} end */
function endMark(nav, end) {
  const chosen = nav.chosen === end.letter;
  const [first, last] = [end.texts[0], end.texts[end.texts.length - 1]];
  const top = Math.min(end.y - 14, (first?.y ?? end.y) - 13);
  const bottom = Math.max(end.y + 14, (last?.y ?? end.y) + 6);
  const longest = Math.max(0, ...end.texts.map((text) => text.words.length));
  return s(
    "g",
    {
      class: `end${dimmed(nav, end.letter)}`,
      role: "button",
      tabindex: "0",
      "aria-pressed": String(chosen),
      "data-key": `end-${end.letter}`,
      "data-letters": end.letter,
      click: () => nav.choose(chosen ? null : end.letter),
      mouseenter: () => preview(nav, { nearer: end.letter }),
      mouseleave: () => preview(nav, null),
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        nav.choose(chosen ? null : end.letter);
      },
    },
    s("title", {}, end.words),
    s("rect", { x: end.x - 14, y: top, width: longest * 6.6 + 34, height: bottom - top, rx: 8, class: "target" }),
    s("circle", { cx: end.x, cy: end.y, r: 11, class: `badge colour-${end.colour}` }),
    s("text", { x: end.x, y: end.y + 4, class: `badge-letter on-${end.colour}`, "text-anchor": "middle" }, end.letter),
    s("line", { x1: end.x - 9, y1: end.y - 9, x2: end.x + 9, y2: end.y + 9, class: "strike" }),
    ...lettering(end.texts),
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
    nav.say(say("Way {way}, step {n} of {total}: {step}, effort {effort}, {measure} {outlook}", { way: way.letter, n: nav.stop + 1, total: way.steps.length, step: step.words, effort: number(step.effort), measure: step.picture ? say("seen as") : measureWords(nav), outlook: step.outlook }));
    nav.place.querySelectorAll(".steps tbody tr").forEach((row, i) => row.classList.toggle("current", i === nav.stop));
  }
}

/** @param {Navigator} nav @param {string} letter */
function wayWords(nav, letter) {
  const way = nav.shown.ways.find((each) => each.letter === letter);
  return way ? say("Way {way}: {steps}", { way: letter, steps: way.steps.map((step) => step.words).join(say(", then ")) }) : "";
}
