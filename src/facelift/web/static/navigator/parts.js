// Small parts that everything on the page is made of.
// @ts-check

import { LANGUAGES, language, number, say } from "./words.js";

/** @typedef {import("../document").ChangeWords} ChangeWords */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {string | number | Node | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element; attributes that are null or false are left out, functions listen.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. @param {string} tag @param {Record<string, any>} [attributes] @param {...Child} children */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element @param {Record<string, any>} attributes @param {Child[]} children @returns {E}
 */
export function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child == null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** @param {Element} element @param {Child[]} children */
export function refill(element, children) {
  element.replaceChildren();
  fill(element, {}, children);
}

/** @param {string} text */
export const hidden = (text) => h("span", { class: "unseen" }, text);

/** A sentence with elements in its places. @param {string} text @param {Record<string, HTMLElement>} places @returns {Child[]} */
export const around = (text, places) => text.split(/(\{\w+\})/).map((part) => places[part.slice(1, -1)] ?? part);

/**
 * The one glyph: a destination that is nearer, open but not helped, closed, or just named.
 * @param {string} letter @param {number | null} colour @param {string} effect
 */
export function pip(letter, colour, effect) {
  const tone = colour == null || effect === "closed" ? "" : ` colour-${colour}`;
  return h("span", { class: `pip ${effect}${tone}`, "aria-hidden": "true" }, letter);
}

/** A name that may break between small and capital letters. @param {string} name @returns {Child[]} */
export const breakable = (name) => name.split(/(?<=[a-z])(?=[A-Z])|(?<=_)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

/** @param {ChangeWords} change */
export const changeLine = (change) =>
  h("span", { class: "change" }, change.before, " → ", h("strong", {}, change.after), by(change));

/** What something is called, and what it is. @param {string} name @param {HTMLElement} value */
export const named = (name, value) => around(say("{name}: {value}", { name }), { value });

/** @param {ChangeWords} change */
export const changeText = (change) => say("{name}: {value}", { name: change.name, value: `${change.before} → ${change.after}${by(change)}` });

/** @param {ChangeWords} change */
export const by = (change) => (change.by ? ` (${change.by})` : "");

/**
 * A few choices of which one holds.
 * @param {string} name @param {string} label @param {string[]} values @param {(value: string) => string} words
 * @param {string} now @param {(value: string) => void} set
 */
export function choice(name, label, values, words, now, set) {
  return h("div", { class: "choice", role: "group", "aria-label": label }, h("span", { class: "small", "aria-hidden": "true" }, label), ...values.map((each) => h("button", { "data-key": `${name}-${each}`, "aria-pressed": String(each === now), click: () => set(each) }, words(each))));
}

/** A choice of the language to be read. @param {(code: string) => void} set */
export function languageChoice(set) {
  const chosen = (/** @type {Event} */ event) => set(/** @type {HTMLSelectElement} */ (event.target).value);
  const options = Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code, selected: code === language() }, name));
  return h("select", { class: "language", "data-key": "language", "aria-label": say("Language"), change: chosen }, ...options);
}

export function pipLegend() {
  return h("p", { class: "legend small" }, pip("A", null, "nearer plain"), ` ${say("gets nearer")} `, pip("A", null, "open plain"), ` ${say("open, no help")} `, pip("A", null, "closed"), ` ${say("closed")}`);
}

export function inkLegend() {
  return h("p", { class: "small" }, h("span", { class: "swatch added" }), ` ${say("ink added")} `, h("span", { class: "swatch removed" }), ` ${say("ink removed")}`);
}

/** What is told of a place: a chance, or a number. @param {Navigator} nav */
export const measureWords = (nav) => (nav.shown.measure === "chance" ? say("chance") : say("predicted"));

const SIZES = ["small", "medium", "large"];

/**
 * An effort as a bar and a word, its number where there is no word for it.
 * @param {string} size @param {number} effort
 */
export function effortWords(size, effort) {
  const exact = say("effort {effort}", { effort: number(effort) });
  if (!size) return h("span", {}, exact);
  const words = [say("small effort"), say("medium effort"), say("large effort")];
  const full = SIZES.indexOf(size);
  return h("span", { class: "effort", title: exact }, h("span", { class: "effort-bar", "aria-hidden": "true" }, ...SIZES.map((_, i) => h("i", { class: i <= full ? "full" : "" }))), ` ${words[full]}`);
}

/** @param {Navigator} nav @param {string} letters */
export function dimmed(nav, letters) {
  return nav.chosen && letters && !letters.split(" ").includes(nav.chosen) ? " dimmed" : "";
}
