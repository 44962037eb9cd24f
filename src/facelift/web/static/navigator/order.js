// The order of the page's parts: what is read and focused first is what is seen first.
// @ts-check

import { h } from "./parts.js";
import { say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

const TWO_COLUMNS = 1180;
const ONE_COLUMN = 970;

/** Put the parts into the order in which they are seen at this width. @param {Navigator} nav */
export function arrange(nav) {
  const { place } = nav;
  const { header, limits, banner, map, trial, next } = nav.parts;
  const middle = /** @type {HTMLElement} */ (map.parentElement);
  const width = place.clientWidth || TWO_COLUMNS + 1;
  const seen = width <= ONE_COLUMN ? "one" : width <= TWO_COLUMNS ? "two" : "three";
  if (place.dataset.columns === seen) return;
  place.dataset.columns = seen;
  const key = nav.focusKey();
  if (!place.querySelector(".skip")) header.before(skipLinks(nav));
  if (seen === "one") header.after(banner, next, middle, limits, trial);
  else {
    middle.prepend(banner);
    if (seen === "two") header.after(middle, next, limits, trial);
    else {
      header.after(limits, middle, next);
      map.after(trial);
    }
  }
  if (key) nav.focusOn(key);
}

/** @param {Navigator} nav */
function skipLinks(nav) {
  const { next, map } = nav.parts;
  const link = (/** @type {string} */ words, /** @type {HTMLElement} */ part) =>
    h("a", { href: "#", click: (/** @type {Event} */ event) => { event.preventDefault(); part.tabIndex = -1; part.focus(); part.scrollIntoView(); } }, words);
  return h("nav", { class: "skip", "aria-label": say("Skip to") }, link(say("Skip to the next step"), next), link(say("Skip to the map"), map));
}
