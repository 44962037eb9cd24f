// Links that hold a whole walk: to copy, with one's values or without, and to open.
// @ts-check

import { h } from "./parts.js";
import { say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav */
export function linkPart(nav) {
  const { link } = nav.host;
  if (!link) return [];
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "text", readonly: true, "aria-label": say("Link to this walk"), focus: () => field.select() }));
  const said = h("span", { class: "small", role: "status" });
  const show = async () => {
    field.value = await link(nav.state());
    said.textContent = nav.values ? say("It holds your walk, your limits and your plans.") : say("It holds how hard things are for you, and nothing of what you have.");
  };
  const bare = /** @type {HTMLInputElement} */ (
    h("input", { type: "checkbox", id: "link-without", checked: !nav.values, "data-key": "link-without", change: () => { nav.values = !bare.checked; nav.remember("replace"); show(); } })
  );
  const copy = async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = say("Copied.");
    } catch {
      said.textContent = say("Copy it from the field.");
    }
  };
  show();
  return [
    h("h3", {}, say("As a link")),
    h("p", { class: "small" }, say("The link itself holds everything; nothing is stored on a server. It opens where facelift runs with the same data and model.")),
    h("div", { class: "link-row" }, field, h("button", { class: "primary", "data-key": "copy-link", click: copy }, say("Copy link"))),
    h("p", {}, bare, " ", h("label", { for: "link-without" }, say("Leave my values out, in the address of this page, too"))),
    said,
    sentPart(nav),
  ];
}

/** A field for a link that somebody sent, from whatever address. @param {Navigator} nav */
function sentPart(nav) {
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "text", id: "sent-link", "data-key": "sent-link" }));
  const open = () => {
    const at = field.value.indexOf("#");
    if (at < 0) return;
    nav.parts.dialog.close();
    location.hash = field.value.slice(at + 1);
  };
  return h("div", { class: "link-row" }, h("label", { for: "sent-link" }, say("Open a link that I was sent")), field, h("button", { "data-key": "open-link", click: open }, say("Open")));
}
