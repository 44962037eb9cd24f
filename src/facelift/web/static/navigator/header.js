// The header and the banner: who it is, what is decided, what is open, what just happened.
// @ts-check

import { compareDialog, exportDialog, helpDialog } from "./dialogs.js";
import { effortWords, h, hidden, languageChoice, named, pip } from "./parts.js";
import { planDialog } from "./plan.js";
import { count, say } from "./words.js";

/** @typedef {import("./navigator.js").Navigator} Navigator */

/** @param {Navigator} nav */
export function headerFacts(nav) {
  const { header, badges } = nav.shown;
  const open = badges.filter((badge) => badge.status === "open").length;
  const rest = badges.filter((badge) => badge.status === "closed" || badge.status === "gone").length;
  const decided = header.picture ? "" : header.decided ? " good" : " poor";
  const facts = [];
  facts.push(h("div", { class: "brand" }, "facelift", nav.host.speak ? languageChoice(nav.host.speak) : null));
  facts.push(
    h(
      "div",
      { class: "fact who" },
      header.picture ? h("img", { class: "ink", src: header.picture, alt: say("now: {outcome}", { outcome: header.outcome }) }) : null,
      h("div", {}, h("h1", {}, header.title), h("div", { class: "small" }, header.facts)),
    ),
  );
  if (header.outcome)
    facts.push(
      h(
        "div",
        { class: "fact decision" },
        h("div", { class: "small" }, header.picture ? say("the model sees") : say("decision now")),
        h("div", { class: `big${decided}` }, header.outcome),
        h("div", { class: "small" }, header.outlook),
      ),
    );
  if (!header.reached)
    facts.push(
      h(
        "div",
        { class: "fact" },
        h("div", { class: "small" }, say("ways still open")),
        h("div", { class: "big" }, count("{n} open", "{n} open", open), rest ? h("span", { class: "small" }, ` ${count("{n} no longer", "{n} no longer", rest)}`) : null),
        badgeRow(nav),
      ),
    );
  facts.push(
    h(
      "div",
      { class: "fact" },
      h("div", { class: "small" }, say("so far")),
      h("div", { class: "big" }, count("{n} step", "{n} steps", header.n_steps)),
      header.n_steps ? h("div", { class: "small" }, effortWords(header.size, header.effort), header.time ? ` · ${header.time}` : "") : null,
      header.to_come == null ? null : h("div", { class: "small" }, ...named(say("at least to come"), effortWords(header.to_come_size, header.to_come))),
    ),
  );
  return [...facts, toolButtons(nav)];
}

/** @param {Navigator} nav */
function badgeRow(nav) {
  const { badges } = nav.shown;
  const open = badges.filter((badge) => badge.status === "open");
  const rest = badges.filter((badge) => badge.status === "closed" || badge.status === "gone");
  const shown = [...open, ...rest.slice(-3)];
  const row = h("div", { class: "pips" }, hidden(shown.map((badge) => badge.words).join(", ")));
  for (const badge of shown) {
    const mark = pip(badge.letter, badge.colour, badge.status === "open" ? "nearer" : "closed");
    mark.title = badge.words;
    row.append(mark);
  }
  return row;
}

/** @param {Navigator} nav */
function toolButtons(nav) {
  const { before, shown } = nav;
  return h(
    "div",
    { class: "tools" },
    h("button", { "data-key": "undo", disabled: !before.length && !nav.host.earlier?.(), click: () => nav.undo() }, `↶ ${say("Undo")}`),
    h("button", { "data-key": "redo", "aria-label": say("Redo"), title: say("Redo"), disabled: !nav.after.length, click: () => nav.redo() }, "↷"),
    h("button", { "data-key": "compare", disabled: shown.ways.length < 2, click: () => compareDialog(nav) }, say("Compare")),
    nav.host.planned ? h("button", { "data-key": "plans", "aria-haspopup": "dialog", "aria-label": say("My plans"), disabled: !nav.plans.length, click: () => planDialog(nav) }, `★ ${say("Plans")}`) : null,
    nav.host.exported
      ? h("button", { "data-key": "export", "aria-haspopup": "dialog", click: () => exportDialog(nav) }, say("Share …"))
      : null,
    h("button", { "data-key": "help", "aria-label": say("Help"), click: () => helpDialog(nav) }, "?"),
  );
}

/** Where the banner stays in view, on a phone, its notes are folded until asked for. */
function moreButton() {
  const show = (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    const shown = button.parentElement?.classList.toggle("unfolded") ?? false;
    button.setAttribute("aria-expanded", String(shown));
  };
  return h("button", { class: "more-notes", "data-key": "notes", "aria-expanded": "false", click: show }, say("More on this"));
}

/** @param {Navigator} nav */
export function bannerLines(nav) {
  const { banner, notes, walk } = nav.shown;
  if (nav.away) return [h("p", {}, h("strong", {}, say("facelift is not running.")), ` ${say("Nothing is lost: your walk stands in the address of this page. It goes on by itself when facelift is back.")}`)];
  if (nav.trial?.told?.document) return [h("p", {}, h("strong", {}, say("Only trying.")), ` ${say("The map shows what would be. Nothing is kept until you say so.")}`)];
  return [
    h("p", {}, nav.fault ? h("strong", {}, say("That did not work: {fault}", { fault: nav.fault })) : banner),
    ...(notes.length ? [moreButton(), h("div", { class: "notes" }, ...notes.map((note) => h("p", { class: "small" }, note)))] : []),
    walk.unfolded
      ? h("button", { "data-key": "fold", click: () => nav.move({ kind: "unfold", letter: null }) }, say("Inside family {way}: back to all ways", { way: walk.unfolded }))
      : null,
  ];
}
