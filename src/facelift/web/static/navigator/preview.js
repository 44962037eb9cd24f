// What a step or a way does on the map, shown before it is chosen.
// @ts-check

import { say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */
/**
 * What is looked at: the ways it brings nearer and those it closes, by letter.
 * @typedef {{nearer: string, closes?: string, title?: string}} Look
 */

/**
 * Mark lines, words and ends: what is advanced, what is closed, and what is neither.
 * @param {Navigator} nav @param {Look | null} look
 */
export function preview(nav, look) {
  const nearer = letters(look?.nearer);
  const closed = letters(look?.closes);
  for (const part of nav.place.querySelectorAll("[data-letters]")) {
    const own = letters(part.getAttribute("data-letters"));
    const advanced = own.some((each) => nearer.includes(each));
    const closing = own.length > 0 && own.every((each) => closed.includes(each));
    part.classList.toggle("advanced", advanced);
    part.classList.toggle("closing", closing);
    part.classList.toggle("aside", Boolean(look) && !advanced && !closing);
  }
  const tag = nav.place.querySelector(".previewing");
  if (!(tag instanceof HTMLElement)) return;
  tag.hidden = !look?.title;
  tag.textContent = look?.title ? say("If you take: {step}", { step: look.title }) : "";
}

/** @param {string | null | undefined} text */
const letters = (text) => (text ? text.split(" ") : []);

/**
 * Show a look while the pointer is on an element, or a focus that can be seen.
 * @param {Navigator} nav @param {Look} look @returns {Record<string, (event: Event) => void>}
 */
export function previewing(nav, look) {
  const [show, hide] = [() => preview(nav, look), () => preview(nav, null)];
  const seen = (/** @type {Event} */ event) => event.target instanceof Element && event.target.matches(":focus-visible") && show();
  return { mouseenter: show, mouseleave: hide, focusin: seen, focusout: hide };
}
