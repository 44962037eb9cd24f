// Keys that do what buttons do.
// @ts-check

import { compareDialog, exportDialog, helpDialog } from "./dialogs.js";
import { keysOn } from "./switches.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav @param {KeyboardEvent} event */
export function onKey(nav, event) {
  if (!nav.place.isConnected) return nav.left.abort();
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && /** @type {HTMLInputElement} */ (target).type !== "radio";
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!nav.host.whole) event.stopPropagation(); // a notebook has keys of its own
  if (typing || nav.parts.dialog.open || !keysOn()) return;
  const cards = [...nav.place.querySelectorAll(".card")];
  if (/^[1-4]$/.test(event.key)) return press(cards[Number(event.key) - 1]?.querySelector("[data-key^=take]"));
  if (event.key === "b") return press((target.closest(".card") ?? cards[0])?.querySelector("[data-key^=cannot]"));
  if (event.key === "u") return nav.undo();
  if (event.key === "r") return nav.redo();
  if (event.key === "c" && nav.shown.ways.length > 1) return compareDialog(nav);
  if (event.key === "e" && nav.host.exported) return exportDialog(nav);
  if (event.key === "?") return helpDialog(nav);
}

/** @param {Element | null | undefined} button */
function press(button) {
  if (button instanceof HTMLElement) button.click();
}
