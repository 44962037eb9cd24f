// The next step: a card for each, ranked.
// @ts-check

import { exportDialog, otherDialog } from "./dialogs.js";
import { breakable, changeLine, changeText, effortWords, h, hidden, inkLegend, named, pip, pipLegend } from "./parts.js";
import { letterParts } from "./plan.js";
import { previewing } from "./preview.js";
import { number, say } from "./words.js";

/** @typedef {import("../document").Card} Card */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {import("./parts.js").Child} Child */

/** What the next steps can be ordered by. */
const rankWords = () => ({ expected: say("wisest first"), open: say("keeps most open first"), effort: say("least effort first"), chance: say("best chance first") });

/** @param {Navigator} nav */
export function nextPanel(nav) {
  const { cards, state } = nav.shown;
  /** @type {Child[]} */ const parts = [h("h2", {}, nav.trial?.told?.document ? say("Next step, if this were so") : say("Next step"))];
  if (state === "none") return [...parts, h("p", { class: "calm" }, say("No step is suggested: none leads there. Loosen a limit first; the list of what that would open shows which one helps most.")), elseButton(nav)];
  if (state === "arrived" && nav.shown.arrival && nav.host.letter) return afterwards(nav, nav.shown.arrival);
  if (state === "arrived" || state === "already") return [...parts, h("p", { class: "calm" }, say("No step is needed.")), elseButton(nav)];
  const ranks = Object.keys(cards.rankings);
  if (!ranks.includes(nav.rank)) nav.rank = ranks[0];
  const head = h("div", { class: "next-head" }, parts[0]);
  if (ranks.length > 1) head.append(h("select", { "aria-label": say("Order of the next steps"), "data-key": "rank", change: (/** @type {Event} */ event) => { nav.rank = /** @type {HTMLSelectElement} */ (event.target).value; nav.draw(); } }, ...ranks.map((each) => h("option", { value: each, selected: each === nav.rank }, rankWords()[/** @type {keyof ReturnType<typeof rankWords>} */ (each)]))));
  parts.splice(0, 1, head);
  const shown = (cards.rankings[nav.rank] ?? []).flatMap((vertex) => cards.cards.filter((each) => each.vertex === vertex));
  for (const [i, card] of shown.entries()) {
    const like = card.picture ? -1 : shown.findIndex((each) => each.title === card.title);
    parts.push(cardPanel(nav, card, i, card.vertex === cards.recommended, like));
  }
  return [...parts, pipLegend(), scales(nav), elseButton(nav)];
}

/** What the numbers on the cards mean, once. @param {Navigator} nav */
function scales(nav) {
  const chance = nav.shown.measure === "chance" && nav.shown.header.outcome ? say("A chance is the model’s own estimate, not a promise.") : "";
  const ink = nav.shown.header.picture ? inkLegend() : null;
  return h("div", { class: "small" }, ink, chance ? h("p", {}, chance) : null);
}

/** @param {Navigator} nav @param {Card} card @param {number} i @param {boolean} recommended @param {number} like the first card that changes the same */
function cardPanel(nav, card, i, recommended, like) {
  const own = card.changes.find((each) => each.name === card.title);
  const label = own ? changeText(own) : card.title;
  const title = own ? `${own.name} → ${own.after}` : card.title;
  const body = [];
  body.push(h("div", { class: "card-head" }, h("kbd", { "aria-hidden": "true" }, String(i + 1)), h("h3", {}, ...breakable(card.title)), card.tag ? h("span", { class: "tag" }, card.tag) : null));
  if (card.picture) body.push(h("div", { class: "strip" }, h("img", { class: "ink", src: card.picture, alt: say("the picture after this step") }), h("img", { class: "ink change-picture", src: card.difference, alt: say("what is added and removed") })));
  if (own) {
    body.push(h("p", {}, changeLine(own), " ", 0 <= like && like < i ? h("span", { class: "small instead" }, say("instead of step {n}", { n: like + 1 })) : null));
    for (const each of card.changes) if (each !== own) body.push(h("p", { class: "small" }, ...named(each.name, changeLine(each))));
  } else if (card.changes.length)
    body.push(h("details", {}, h("summary", {}, say("what changes")), h("ul", {}, ...card.changes.map((each) => h("li", {}, ...named(each.name, changeLine(each)))))));
  body.push(h("div", { class: "pips" }, hidden(card.words), ...card.pips.map((each) => pip(each.letter, each.colour, each.effect))));
  if (card.outlook) body.push(h("p", { class: "outlook" }, card.outlook));
  if (card.shifts) body.push(h("p", { class: "small" }, card.shifts));
  body.push(h("details", { class: "small effort-details" }, h("summary", {}, effortWords(card.size, card.effort)), h("p", {}, say("Effort {effort}. Expect {expected} in all until you are there, if one step in ten falls through. Effort 1 is one number moved over its usual range.", { effort: number(card.effort), expected: number(card.expected) }))));
  if (card.trunk) body.push(h("p", { class: "trunk small" }, card.trunk));
  if (card.arrives) body.push(h("p", { class: "arrives" }, say("reaches {ways}", { ways: card.arrives })));
  if (card.closes)
    body.push(h("p", { class: card.no_return ? "closes no-return" : "closes" }, card.no_return ? say("⚠ Point of no return: closes {ways}, as far as we looked", { ways: card.closes }) : say("closes {ways}", { ways: card.closes })));
  body.push(
    h(
      "div",
      { class: "buttons" },
      h("button", { class: "primary", "data-key": `take-${i}`, "aria-label": say("Take this step: {step}", { step: label }), click: () => nav.step("take", card) }, say("Take this step")),
      nav.host.fixed ? null : h("button", { "data-key": `cannot-${i}`, "aria-label": say("I can’t do this: {step}", { step: label }), click: () => nav.step("rule out", card) }, say("I can’t do this")),
    ),
  );
  return h("article", { class: `card${recommended ? " recommended" : ""}`, "data-vertex": card.vertex, "aria-label": label, ...previewing(nav, { nearer: card.nearer, closes: card.closes, title }) }, ...body);
}

/** What to do once one is there. @param {Navigator} nav @param {import("../document").Arrival} arrival */
function afterwards(nav, arrival) {
  const { button, chosen, said } = letterParts(nav, nav.shown.walk, arrival.map.ends[0]?.letter ?? "");
  const report = nav.host.exported ? h("button", { "data-key": "report", click: () => exportDialog(nav) }, say("Report …")) : null;
  const item = (/** @type {string} */ title, /** @type {string} */ words, /** @type {Child[]} */ ...parts) => h("li", {}, h("h3", {}, title), h("p", { class: "small" }, words), ...parts);
  return [
    h("h2", {}, say("What to do now")),
    h(
      "ol",
      { class: "afterwards" },
      item(say("Check that your facts are right"), say("What you changed must be true on the day you ask again.")),
      item(say("Ask again"), say("Take the letter with you: it shows what has changed."), h("div", { class: "buttons" }, button, chosen), said),
      report && item(say("Keep the receipt"), say("The report says which model and which rules were asked."), h("div", { class: "buttons" }, report)),
      item(say("If the answer is still no"), say("Ask for a person to look at it. The letter asks for that, too.")),
    ),
    h("p", { class: "small" }, say("It is the model’s own estimate, not a promise. Whoever decides may use other facts, or another model by then.")),
    elseButton(nav),
  ];
}

/** @param {Navigator} nav */
function elseButton(nav) {
  if (!nav.shown.settings.settings.length || nav.host.fixed) return null;
  return h("button", { "data-key": "other", click: () => otherDialog(nav) }, say("Something else happened …"));
}
