// What somebody can and cannot do: how hard each thing is, within which bounds, and what is ruled out.
// @ts-check

import { around, breakable, h } from "./parts.js";
import { easeWords, openTrial, reset } from "./trial.js";
import { count, percent, quantity, say } from "./words.js";

/** @typedef {import("../document").Setting} Setting */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {import("./parts.js").Child} Child */

/** @param {Navigator} nav */
export function limitsPanel(nav) {
  const { settings } = nav.shown;
  /** @type {Child[]} */ const parts = [h("h2", {}, say("My limits"))];
  if (nav.host.fixed) return [...parts, h("p", { class: "small" }, nav.host.fixed), ...ruledOutList(nav, false), ...fixedOnes(nav)];
  if (!nav.shown.can_replan) return [...parts, h("p", { class: "small" }, say("These ways come from a graph without a model: steps can be taken and ruled out, but there are no limits to set.")), ...ruledOutList(nav, true)];
  if (!settings.settings.length) return [...parts, h("p", { class: "small" }, say("A picture has no limits to set; rule out single steps instead.")), certaintyChoice(nav), ...ruledOutList(nav, true)];
  const { ease, bounds } = nav.shown.walk.limits;
  const own = [...new Set([...Object.keys(ease), ...Object.keys(bounds)])];
  if (own.length) parts[0] = h("div", { class: "limits-head" }, h("h2", {}, say("My limits")), h("button", { class: "quiet", "data-key": "reset-all", "aria-label": say("Reset all limits"), click: () => reset(nav, own) }, say("Reset")));
  parts.push(h("p", { class: "small" }, say("Open a row to try a value, set a range or say how hard it is for you.")));
  const set = (/** @type {Setting} */ each) => each.used || each.ease !== "ok" || each.low != null;
  const first = settings.settings.filter(set);
  const rest = settings.settings.filter((each) => !set(each));
  parts.push(...first.map((each) => settingRow(nav, each)));
  if (rest.length) {
    const more = /** @type {HTMLDetailsElement} */ (h("details", { class: "more", open: nav.moreOpen || !(first.length || nav.shown.header.reached) }, h("summary", { "data-key": "more-limits" }, first.length ? count("{n} more thing that could change", "{n} more things that could change", rest.length) : count("{n} thing that could change", "{n} things that could change", rest.length)), ...rest.map((each) => settingRow(nav, each))));
    more.addEventListener("toggle", () => { nav.moreOpen = more.open; });
    parts.push(more);
  }
  return [...parts, deadlineField(nav), certaintyChoice(nav), undoChoice(nav), ...ruledOutList(nav, true), ...fixedOnes(nav)];
}

/** What it costs to take back what one has done, once there is something. @param {Navigator} nav */
function undoChoice(nav) {
  const { settings, header, kind } = nav.shown;
  if (kind !== "actions" || !(header.n_steps || settings.undo)) return null;
  const words = /** @type {[string, boolean | number][]} */ ([[say("never"), false], [say("at three times the effort"), 3], [say("like any other step"), true]]);
  const chosen = words.findIndex(([, value]) => value === settings.undo);
  const select = h("select", { id: "undoing", "data-key": "undoing", change: (/** @type {Event} */ event) => nav.setLimits({ undo: words[/** @type {HTMLSelectElement} */ (event.target).selectedIndex][1] }) }, ...words.map(([each], i) => h("option", { value: i, selected: i === chosen }, each)));
  return h("div", { class: "certainty" }, h("label", { for: "undoing" }, say("Taking back what I have done")), select);
}

/** @param {Navigator} nav */
function fixedOnes(nav) {
  const { facts, fixed } = nav.shown.settings;
  if (!fixed.length) return [];
  const about = h("p", { class: "small" }, say("No way changes these, by the rules given."));
  if (!nav.host.tried) return [h("h3", {}, say("Fixed")), h("p", { class: "small" }, fixed.join(", ")), about];
  return [h("h3", {}, say("Fixed")), about, h("details", { class: "more" }, h("summary", { "data-key": "wrong-facts" }, say("Is one of them wrong?")), ...facts.map((each) => settingRow(nav, each, true)))];
}

/** A column in short: what it is now, and how hard it is; it opens what can be tried. @param {Navigator} nav @param {Setting} setting @param {boolean=} fixed */
function settingRow(nav, setting, fixed = false) {
  const open = nav.trial?.name === setting.name;
  const eases = Object.keys(easeWords());
  const level = eases.indexOf(setting.ease);
  const dots = h("span", { class: "dots", "aria-hidden": "true" }, ...eases.slice(0, 5).map((_, i) => h("span", { class: i <= level && level < 5 ? "dot full" : "dot" })));
  const own = setting.low == null ? "" : say("{low} to {high}", { low: quantity(setting.low, "", false), high: quantity(/** @type {number} */ (setting.high), setting.unit, false) });
  const said = easeWords()[/** @type {keyof ReturnType<typeof easeWords>} */ (setting.ease)];
  return h(
    "button",
    { class: `setting${setting.ease === "never" ? " never" : ""}`, "data-key": `setting-${setting.name}`, "aria-expanded": String(open), click: () => openTrial(nav, setting, fixed) },
    h("span", { class: "setting-name", title: setting.about || null }, ...breakable(setting.label)),
    h("span", { class: "setting-value" }, setting.words),
    fixed ? null : h("span", { class: "small" }, dots, ` ${said}`),
    fixed ? null : h("span", { class: "small setting-value" }, own || setting.direction),
  );
}

/** What ways aim at; what decides stays as it is. @param {Navigator} nav */
function certaintyChoice(nav) {
  const { chance, base_chance: base, decides } = nav.shown.settings;
  if (chance == null || base == null || decides == null) return null;
  const spare = (/** @type {number} */ each) => Math.round(100 * (each - decides));
  const words = (/** @type {number} */ each) => count("{chance}, {n} point to spare", "{chance}, {n} points to spare", spare(each), { chance: percent(each, 4) });
  const levels = [...new Set([base, 0.6, 0.7, 0.8, 0.9, chance])].filter((each) => each >= base).sort((a, b) => a - b);
  const select = h("select", { id: "certainty", "data-key": "certainty", change: (/** @type {Event} */ event) => { const value = Number(/** @type {HTMLSelectElement} */ (event.target).value); nav.setLimits({ chance: value === base ? null : value }); } }, ...levels.map((each) => h("option", { value: each, selected: each === chance }, words(each))));
  return h("div", { class: "certainty" }, h("label", { for: "certainty" }, say("How sure do you want to be?")), select);
}

/** How many months there are, in all. @param {Navigator} nav */
function deadlineField(nav) {
  const { timed, deadline, left } = nav.shown.settings;
  if (!timed) return null;
  const set = (/** @type {Event} */ event) => {
    const { valueAsNumber: months } = /** @type {HTMLInputElement} */ (event.target);
    nav.setLimits({ deadline: months > 0 ? months : null });
  };
  const field = h("input", { type: "number", id: "deadline", "data-key": "deadline", min: 1, max: 1200, step: 1, value: deadline ?? "", placeholder: "–", "aria-label": say("At most so many months; empty if time does not matter"), change: set });
  return h("div", { class: "deadline" }, h("label", { for: "deadline" }, ...around(say("Time I have, in months: {n}"), { n: field })), left ? h("span", { class: "small" }, left) : null);
}

/** @param {Navigator} nav @param {boolean} free */
function ruledOutList(nav, free) {
  const { ruled_out: ruled } = nav.shown.settings;
  if (!ruled.length) return [];
  const limits = nav.shown.walk.limits;
  const without = (/** @type {any[]} */ list, /** @type {number} */ index) => list.filter((_, i) => i !== index);
  const allow = (/** @type {import("../document").Ruled} */ each) => {
    if (each.kind === "lifted") return nav.setLimits({ lifted: without(limits.lifted, each.index) });
    return nav.setLimits(each.kind === "change" ? { ruled_out: without(limits.ruled_out, each.index) } : { edges: without(limits.edges, each.index) });
  };
  const lifted = ruled.filter((each) => each.kind === "lifted").length;
  const heads = [ruled.length > lifted ? say("Steps you ruled out") : "", lifted ? say("Rules tried without") : ""];
  const verb = (/** @type {import("../document").Ruled} */ each) => (each.kind === "lifted" ? say("keep the rule") : say("allow"));
  const rows = ruled.map((each) =>
    h("li", {}, h("span", {}, "✕ ", each.words), free && nav.shown.can_replan ? h("button", { "data-key": `allow-${each.kind}-${each.index}`, "aria-label": each.kind === "lifted" ? say("Keep the rule {rule}", { rule: each.words }) : say("Allow {step}", { step: each.words }), click: () => allow(each) }, verb(each)) : null),
  );
  return [h("h3", {}, heads.filter(Boolean).join(", ")), h("ul", { class: "ruled-out" }, ...rows)];
}
