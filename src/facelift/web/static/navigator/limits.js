// What somebody can and cannot do: how hard each thing is, within which bounds, and what is ruled out.
// @ts-check

import { h, plural } from "./parts.js";

/** @typedef {import("../document").Limits} Limits */
/** @typedef {import("../document").Setting} Setting */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {import("./parts.js").Child} Child */

const EASES = ["easy", "ok", "hard", "never"];

/** @param {Navigator} nav */
export function limitsPanel(nav) {
  const { settings } = nav.shown;
  /** @type {Child[]} */ const parts = [h("h2", {}, "My limits")];
  if (nav.host.fixed) return [...parts, h("p", { class: "small" }, nav.host.fixed), ...ruledOutList(nav, false), ...fixedOnes(nav)];
  if (!nav.shown.can_replan) return [...parts, h("p", { class: "small" }, "These ways come from a graph without a model: steps can be taken and ruled out, but there are no limits to set."), ...ruledOutList(nav, true)];
  if (!settings.settings.length) return [...parts, h("p", { class: "small" }, "A picture has no limits to set; rule out single steps instead."), certaintyChoice(nav), ...ruledOutList(nav, true)];
  parts.push(h("p", { class: "small" }, "What can change, and how hard it is for you. The map follows at once."));
  const set = (/** @type {Setting} */ each) => each.used || each.ease !== "ok" || each.low != null;
  const first = settings.settings.filter(set);
  const rest = settings.settings.filter((each) => !set(each));
  parts.push(...first.map((each) => settingRow(nav, each)));
  if (rest.length) {
    const more = /** @type {HTMLDetailsElement} */ (h("details", { class: "more", open: nav.moreOpen || !(first.length || nav.shown.header.reached) }, h("summary", { "data-key": "more-limits" }, `${plural(rest.length, "more thing")} that could change`), ...rest.map((each) => settingRow(nav, each))));
    more.addEventListener("toggle", () => { nav.moreOpen = more.open; });
    parts.push(more);
  }
  return [...parts, certaintyChoice(nav), ...ruledOutList(nav, true), ...fixedOnes(nav)];
}

/** @param {Navigator} nav */
function fixedOnes(nav) {
  const { fixed } = nav.shown.settings;
  return fixed.length ? [h("h3", {}, "Fixed"), h("p", { class: "small" }, `${fixed.join(", ")}: no way changes these, by the rules given.`)] : [];
}

/** @param {Navigator} nav @param {Setting} setting */
function settingRow(nav, setting) {
  const group = h("fieldset", { class: `setting${setting.ease === "never" ? " never" : ""}` });
  group.append(h("legend", {}, h("span", { class: "setting-name", title: setting.about || null }, setting.label), h("span", { class: "small" }, setting.words)));
  const name = `ease-${setting.name}`;
  const row = h("div", { class: "segments" });
  for (const ease of EASES) {
    const id = `${name}-${ease}`;
    row.append(
      h("input", { type: "radio", id, name, value: ease, checked: setting.ease === ease, "data-key": id, change: () => setEase(nav, setting, ease) }),
      h("label", { for: id }, ease),
    );
  }
  group.append(row);
  if (setting.direction) group.append(h("div", { class: "small" }, setting.direction));
  if (setting.least !== null) group.append(boundFields(nav, setting));
  return group;
}

/** @param {Navigator} nav @param {Setting} setting @param {string} ease */
function setEase(nav, setting, ease) {
  const { [setting.name]: _, ...rest } = nav.shown.walk.limits.ease;
  return nav.setLimits({ ease: /** @type {Limits["ease"]} */ (ease === "ok" ? rest : { ...rest, [setting.name]: ease }) });
}

/** @param {Navigator} nav @param {Setting} setting */
function boundFields(nav, setting) {
  const step = setting.whole ? 1 : "any";
  const field = (/** @type {string} */ which, /** @type {number | null} */ value, /** @type {number | null} */ hint) =>
    h("input", { type: "number", step, class: "bound", "aria-label": `${setting.label}, ${which}`, "data-key": `bound-${setting.name}-${which}`, value: value ?? "", placeholder: hint ?? "", change: (/** @type {Event} */ event) => setBound(nav, setting, which, /** @type {HTMLInputElement} */ (event.target).value) });
  return h("div", { class: "bounds small" }, "between ", field("at least", setting.low, setting.least), " and ", field("at most", setting.high, setting.most));
}

/** @param {Navigator} nav @param {Setting} setting @param {string} which @param {string} text */
function setBound(nav, setting, which, text) {
  const { [setting.name]: _, ...rest } = nav.shown.walk.limits.bounds;
  const given = text === "" ? null : Number(text);
  const low = (which === "at least" ? given : setting.low) ?? setting.least ?? 0;
  const high = (which === "at most" ? given : setting.high) ?? setting.most ?? 0;
  const free = low === setting.least && high === setting.most;
  return nav.setLimits({ bounds: free ? rest : { ...rest, [setting.name]: [low, high] } });
}

/** @param {Navigator} nav */
function certaintyChoice(nav) {
  const { chance, base_chance: base } = nav.shown.settings;
  if (chance == null || base == null) return null;
  const levels = [...new Set([base, 0.6, 0.7, 0.8, 0.9, chance])].filter((each) => each >= base).sort((a, b) => a - b);
  const select = h("select", { id: "certainty", "data-key": "certainty", change: (/** @type {Event} */ event) => { const value = Number(/** @type {HTMLSelectElement} */ (event.target).value); nav.setLimits({ chance: value === base ? null : value }); } }, ...levels.map((each) => h("option", { value: each, selected: each === chance }, `${Number((100 * each).toPrecision(6))}%`)));
  return h("div", { class: "certainty" }, h("label", { for: "certainty" }, "How sure do you want to be? "), select);
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
  const heads = [ruled.length > lifted ? "Steps you ruled out" : "", lifted ? "Rules tried without" : ""];
  const verb = (/** @type {import("../document").Ruled} */ each) => (each.kind === "lifted" ? "keep the rule" : "allow");
  const rows = ruled.map((each) =>
    h("li", {}, h("span", {}, "✕ ", each.words), free && nav.shown.can_replan ? h("button", { "data-key": `allow-${each.kind}-${each.index}`, "aria-label": each.kind === "lifted" ? `Keep the rule ${each.words}` : `Allow ${each.words}`, click: () => allow(each) }, verb(each)) : null),
  );
  return [h("h3", {}, heads.filter(Boolean).join(", ")), h("ul", { class: "ruled-out" }, ...rows)];
}
