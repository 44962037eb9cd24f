// What a reader switched off, kept by their browser.
// @ts-check

const KEYS = "facelift-keys-off";
let off = false;

/** Whether single keys act (WCAG 2.1.4). */
export function keysOn() {
  try {
    return !off && localStorage.getItem(KEYS) === null;
  } catch {
    return !off; // a browser that keeps nothing knows it as long as the page is open
  }
}

/** Switch single keys on or off. @param {boolean} on */
export function switchKeys(on) {
  off = !on;
  try {
    if (on) localStorage.removeItem(KEYS);
    else localStorage.setItem(KEYS, "yes");
  } catch {
    return;
  }
}
