// Trying a value: what would be, before it is said; and on the same scale how hard it is and how far it may go.
// @ts-check

import { around, h, measureWords, s } from "./parts.js";
import { percent, quantity, say, unitWords, whole } from "./words.js";

/** @typedef {import("../document").Document} Document */
/** @typedef {import("../document").Limits} Limits */
/** @typedef {import("../document").Setting} Setting */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {string | number | boolean | null} Value */
/**
 * What a host says of values that are tried.
 * @typedef {{figure: number | null, outlook: string, reached: boolean, words: string[], document: Document | null}} Told
 */
/**
 * A value that is being tried: of which column, what was answered last, and the panel that shows it.
 * @typedef {object} Trial
 * @property {string} name
 * @property {boolean} fixed whether it is a fact that can only be put right
 * @property {Value} value
 * @property {Value=} answered the last value whose ways are known
 * @property {boolean} asking
 * @property {Told | null} told
 * @property {string} fault
 * @property {Document | null} of the document that the panel was made for
 * @property {HTMLElement | null} panel
 */

/** How hard something is, and what it is called. */
export const easeWords = () => ({ "very easy": say("very easy"), easy: say("easy"), ok: say("normal"), hard: say("hard"), "very hard": say("very hard"), never: say("never") });
/** Milliseconds a value must rest before ways are looked for. */
const REST = 150;

/** Open the panel of a column, or close it if it is open. @param {Navigator} nav @param {Setting} setting @param {boolean} fixed */
export function openTrial(nav, setting, fixed) {
  if (nav.trial?.name === setting.name) return letGo(nav);
  nav.trial = { name: setting.name, fixed, value: setting.value, answered: setting.value, asking: false, told: null, fault: "", of: null, panel: null };
  nav.draw();
  const panel = nav.parts.trial;
  panel.scrollIntoView({ block: nav.place.dataset.columns === "one" ? "start" : "nearest" });
  nav.focusOn(`try-${setting.name}`) || nav.focusOn("close-trial");
}

/** Close the panel; nothing is kept. @param {Navigator} nav */
export function letGo(nav) {
  const name = nav.trial?.name;
  nav.trial = null;
  nav.draw();
  if (name) nav.focusOn(`setting-${name}`);
}

/** The column that is tried, as it is now. @param {Navigator} nav @returns {Setting | undefined} */
function settingOf(nav) {
  const { settings, facts } = nav.shown.settings;
  return [...settings, ...facts].find((each) => each.name === nav.trial?.name);
}

/** The panel, made anew only if what it rests on is another. @param {Navigator} nav */
export function trialPanel(nav) {
  const setting = settingOf(nav);
  if (!nav.trial || !setting) {
    nav.trial = null;
    return [];
  }
  const { trial } = nav;
  if (trial.panel && trial.of === nav.shown) return [trial.panel];
  if (trial.of) [trial.told, trial.answered] = [null, setting.value];
  trial.of = nav.shown;
  trial.panel = panel(nav, setting);
  answer(nav);
  return [trial.panel];
}

/** @param {Navigator} nav @param {Setting} setting */
function panel(nav, setting) {
  const fixed = Boolean(nav.trial?.fixed);
  const told = h("div", { class: "told", role: "status", "aria-live": "polite" });
  const close = h("button", { class: "close", "aria-label": say("Let go and close"), "data-key": "close-trial", click: () => letGo(nav) }, "✕");
  const head = h("div", { class: "trial-head" }, h("h2", {}, fixed ? say("Is it wrong? {name}", { name: setting.label }) : say("Try: {name}", { name: setting.label })), h("p", { class: "small" }, [setting.about, setting.direction && say("It {direction}.", { direction: setting.direction })].filter(Boolean).join(" ")), close);
  const scale = setting.levels.length ? levelScale(nav, setting) : typeof setting.value === "string" ? textField(nav, setting) : numberScale(nav, setting);
  const body = h("div", { class: "trial-body" }, scale, h("div", { class: "trial-told" }, told, buttons(nav, fixed)));
  const box = h("div", { keydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") letGo(nav); } }, head, body, fixed ? null : easeRow(nav, setting));
  show(nav, told);
  return box;
}

/** @param {Navigator} nav @param {boolean} fixed */
function buttons(nav, fixed) {
  const keep = (/** @type {boolean} */ correction) => {
    const { trial } = nav;
    if (!trial) return;
    nav.trial = null;
    nav.move({ kind: "other", values: { [trial.name]: trial.value }, correction });
  };
  return h(
    "div",
    { class: "buttons" },
    fixed ? null : h("button", { class: "primary", "data-key": "keep", click: () => keep(false) }, say("This is how it is")),
    h("button", { class: fixed ? "primary" : null, "data-key": "correct", title: say("The value was wrong from the beginning; the receipt says so"), click: () => keep(true) }, fixed ? say("Put it right") : say("It was wrong before")),
    h("button", { "data-key": "let-go", click: () => letGo(nav) }, say("Let go")),
  );
}

/** Try another value. @param {Navigator} nav @param {Value} value */
function attempt(nav, value) {
  if (!nav.trial) return;
  nav.trial.value = value;
  answer(nav);
}

/** Ask about the value, one question at a time: at once what the model says, then, once it rests, the ways. @param {Navigator} nav */
async function answer(nav) {
  const { trial } = nav;
  if (!trial || trial.asking || !nav.host.tried) return;
  trial.asking = true;
  while (nav.trial === trial && trial.value !== trial.answered) {
    const { value, of } = trial;
    const same = () => nav.trial === trial && trial.value === value && trial.of === of;
    await ask(nav, trial, value, false);
    if (same() && !trial.fault) await new Promise((resolve) => setTimeout(resolve, REST));
    if (same() && !trial.fault) await ask(nav, trial, value, true);
    if (same()) trial.answered = value;
  }
  trial.asking = false;
  const setting = settingOf(nav);
  if (nav.trial === trial && setting && trial.value === setting.value && trial.told) {
    trial.told = null;
    nav.draw();
    show(nav);
  }
}

/** @param {Navigator} nav @param {Trial} trial @param {Value} value @param {boolean} ways */
async function ask(nav, trial, value, ways) {
  const { of } = trial;
  try {
    const told = await /** @type {NonNullable<Navigator["host"]["tried"]>} */ (nav.host.tried)(nav.shown.walk, { [trial.name]: value }, trial.fixed, ways);
    if (nav.trial !== trial || trial.of !== of) return; // somebody has moved on meanwhile
    [trial.told, trial.fault] = [told.document ? told : { ...told, document: trial.told?.document ?? null }, ""];
    if (told.document) nav.draw();
  } catch (fault) {
    if (trial.of === of) trial.fault = /** @type {Error} */ (fault).message;
  }
  if (nav.trial === trial) show(nav);
}

/** What is known of the value so far. @param {Navigator} nav @param {Element | null=} place */
function show(nav, place = nav.parts.trial.querySelector(".told")) {
  const { trial } = nav;
  const setting = settingOf(nav);
  if (!trial || !setting || !place) return;
  const { header, measure } = nav.shown;
  const now = trial.value === setting.value;
  const figure = trial.told && !now ? trial.told.figure : header.chance;
  const lines = trial.fault ? [h("p", { class: "fault" }, trial.fault)] : (trial.told?.words ?? []).map((words) => h("p", {}, words));
  place.replaceChildren(
    h("div", { class: "small" }, now ? say("as it is now") : say("if this were so")),
    h("div", { class: "big" }, trial.fault ? "–" : trial.told && !now ? trial.told.outlook : header.chance == null ? header.outcome : percent(header.chance), h("span", { class: "small" }, now ? ` ${measureWords(nav)}` : ` ${say("now: {outcome}", { outcome: header.chance == null ? [header.outcome, header.outlook].filter(Boolean).join(", ") : header.outlook })}`)),
    ...(measure === "chance" && figure != null ? [gauge(figure, header.chance, header.needed)] : []),
    ...(now ? [h("p", { class: "small" }, say("Move it to see what would be. Nothing is kept until you say so."))] : lines),
  );
  nav.parts.trial.querySelectorAll("[data-key=keep], [data-key=correct]").forEach((button) => button.toggleAttribute("disabled", now || Boolean(trial.fault)));
  nav.parts.trial.querySelectorAll("[data-now]").forEach((mark) => mark.classList.toggle("tried", !now));
}

/** A chance on a line, with what it is now and what is needed. @param {number} chance @param {number | null} now @param {number | null} needed */
function gauge(chance, now, needed) {
  const svg = s("svg", { class: "gauge", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(s("rect", { width: 100, height: 6, class: "ground" }), s("rect", { width: 100 * chance, height: 6, class: "tried" }), s("rect", { width: 100 * Math.min(now ?? 0, chance), height: 6, class: "now" }));
  if (needed != null) svg.append(s("rect", { x: 100 * needed - 0.4, width: 0.8, height: 6, class: "needed" }));
  return svg;
}

/** A slider over the people, with the range that is one's own. @param {Navigator} nav @param {Setting} setting */
function numberScale(nav, setting) {
  const now = /** @type {number | null} */ (setting.value);
  const [first, last] = drawn(setting);
  const least = Math.min(first, now ?? Infinity, setting.low ?? Infinity);
  const most = Math.max(last, now ?? -Infinity, setting.high ?? -Infinity);
  const step = setting.whole ? 1 : "any";
  const nudge = nudgeOf(most - least, setting.whole);
  const value = nav.trial?.value ?? now ?? least;
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", class: "trying", min: least, max: most, step, value, "aria-label": say("Try {name}", { name: setting.label }), "data-key": `try-${setting.name}`, input: () => set(slider.value) }));
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "number", step, value: typeof value === "number" ? brief(value) : value, "aria-label": say("{name}, exactly", { name: setting.label }), input: () => set(field.value) }));
  const set = (/** @type {string | number} */ text) => {
    if (text === "" || Number.isNaN(Number(text))) return;
    const number = Number(text);
    if (Number(slider.value) !== number) slider.value = String(number);
    if (text !== field.value) field.value = String(brief(number));
    attempt(nav, number);
  };
  const [lowest, highest] = [Math.min(least, setting.least ?? least), Math.max(most, setting.most ?? most)];
  const by = (/** @type {number} */ amount) => set(Math.min(highest, Math.max(lowest, Number((Number(field.value) + amount).toPrecision(12)))));
  const stepper = h("div", { class: "stepper" }, h("button", { "aria-label": say("Less: {name}", { name: setting.label }), click: () => by(-nudge) }, "−"), field, h("span", { class: "small" }, unitWords(setting.unit)), h("button", { "aria-label": say("More: {name}", { name: setting.label }), click: () => by(nudge) }, "+"));
  const own = nav.trial?.fixed || setting.least == null ? [] : [rangeHandle(nav, setting, "at least", least, most), rangeHandle(nav, setting, "at most", least, most)];
  const ends = h("div", { class: "ends small", "aria-hidden": "true" }, h("span", {}, (setting.least ?? least) < least ? say("{high} or less", { high: words(setting, least) }) : words(setting, least)), h("span", {}, now == null ? say("now: missing") : say("now {value}", { value: words(setting, now) })), h("span", {}, (setting.most ?? most) > most ? say("{low} or more", { low: words(setting, most) }) : words(setting, most)));
  return h("div", { class: "scale" }, bars(setting, least, most), h("div", { class: "slides" }, ...own, slider), ends, stepper);
}

/** A number without the noise of floats. @param {number} value */
const brief = (value) => (Math.abs(value) < 1e5 ? Number(value.toPrecision(6)) : Math.round(100 * value) / 100);

/** A round step of about a hundredth of a range. @param {number} range @param {boolean} whole */
function nudgeOf(range, whole) {
  const least = range / 100 || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const round = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * 0.999) ?? least;
  return whole ? Math.max(1, Math.round(round)) : round;
}

/** @param {Setting} setting @param {number} number */
const words = (setting, number) => quantity(number, setting.unit, setting.whole);

/** The range of the bars; outliers beyond it are in the outermost. @param {Setting} setting @returns {[number, number]} */
const drawn = (setting) => [setting.drawn?.[0] ?? setting.least ?? 0, setting.drawn?.[1] ?? setting.most ?? 1];

/** The people by value. @param {Setting} setting @param {number} least @param {number} most */
function bars(setting, least, most) {
  const count = setting.people.length;
  const highest = Math.max(1, ...setting.people);
  const total = setting.people.reduce((sum, each) => sum + each, 0);
  const place = (/** @type {number} */ value) => (100 * (value - least)) / (most - least || 1);
  const [first, last] = drawn(setting).map(place);
  const width = (last - first) / (count || 1);
  const label = say("What {n} people have; {name} from {least} to {most}", { n: whole(total), name: setting.label, least: words(setting, setting.least ?? least), most: words(setting, setting.most ?? most) });
  const svg = s("svg", { class: "people", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": label });
  const [low, high] = [place(setting.low ?? least), place(setting.high ?? most)];
  if (setting.low != null) svg.append(s("rect", { x: low, width: Math.max(high - low, 0.5), height: 40, class: "own" }));
  for (const [i, each] of setting.people.entries()) {
    const x = first + i * width;
    const outside = setting.low != null && (x + width < low || x > high);
    svg.append(s("rect", { x: x + 0.2, y: 40 - (39 * each) / highest, width: Math.max(width - 0.4, 0.2), height: (39 * each) / highest, class: outside ? "count outside" : "count" }));
  }
  if (typeof setting.value === "number") svg.append(s("line", { x1: place(setting.value), x2: place(setting.value), y1: 0, y2: 40, class: "now", "data-now": "" }));
  return svg;
}

/** One end of one's own range, to be drawn; the fields below say the same for keys. @param {Navigator} nav @param {Setting} setting @param {string} which @param {number} least @param {number} most */
function rangeHandle(nav, setting, which, least, most) {
  const value = (which === "at least" ? setting.low : setting.high) ?? (which === "at least" ? least : most);
  const handle = /** @type {HTMLInputElement} */ (h("input", { type: "range", class: "own", min: least, max: most, step: setting.whole ? 1 : "any", value, tabindex: "-1", "aria-hidden": "true", title: which === "at least" ? say("at least, for me") : say("at most, for me"), change: () => setBound(nav, setting, which, Number(handle.value) === (which === "at least" ? least : most) ? "" : handle.value) }));
  return handle;
}

/** Levels to choose among, with how many people have them. @param {Navigator} nav @param {Setting} setting */
function levelScale(nav, setting) {
  const total = setting.people.reduce((sum, each) => sum + each, 0) || 1;
  const rows = setting.levels.map((level, i) => {
    const id = `level-${setting.name}-${i}`;
    const share = (setting.people[i] ?? 0) / total;
    const bar = s("svg", { class: "share", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: 100, height: 8, class: "ground" }), s("rect", { width: 100 * share, height: 8, class: "count" }));
    const now = level === setting.value;
    return h(
      "label",
      { for: id, class: "level" },
      h("input", { type: "radio", id, name: `level-${setting.name}`, checked: level === (nav.trial?.value ?? setting.value), "data-key": now ? `try-${setting.name}` : id, change: () => attempt(nav, level) }),
      h("span", { class: "level-name" }, setting.level_words[i], now ? h("span", { class: "small" }, ` ${say("now")}`) : null),
      bar,
      h("span", { class: "small" }, percent(share)),
    );
  });
  return h("div", { class: "scale levels", role: "radiogroup", "aria-label": say("Try {name}", { name: setting.label }) }, h("p", { class: "small" }, say("What {n} people have", { n: whole(total) })), ...rows);
}

/** @param {Navigator} nav @param {Setting} setting */
function textField(nav, setting) {
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "text", value: nav.trial?.value, "aria-label": say("Try {name}", { name: setting.label }), "data-key": `try-${setting.name}`, change: () => attempt(nav, field.value) }));
  return h("div", { class: "scale" }, field);
}

/** How hard it is, and within which range it may go. @param {Navigator} nav @param {Setting} setting */
function easeRow(nav, setting) {
  const name = `ease-${setting.name}`;
  const segments = h("div", { class: "segments", role: "radiogroup", "aria-label": say("How hard is it for you to change {name}?", { name: setting.label }) });
  for (const [ease, said] of Object.entries(easeWords())) {
    const id = `${name}-${ease.replace(" ", "-")}`;
    segments.append(h("input", { type: "radio", id, name, value: ease, checked: setting.ease === ease, "data-key": id, change: () => setEase(nav, setting, ease) }), h("label", { for: id }, said));
  }
  const set = setting.ease !== "ok" || setting.low != null;
  return h("div", { class: "ease-row" }, h("strong", { "aria-hidden": "true" }, say("How hard is this for you?")), segments, setting.least == null ? null : boundFields(nav, setting), set ? h("button", { class: "quiet", "data-key": `reset-${setting.name}`, "aria-label": say("Reset {name}", { name: setting.label }), click: () => reset(nav, [setting.name]) }, say("Reset")) : null);
}

/** Forget how hard some things are, and their ranges. @param {Navigator} nav @param {string[]} names */
export function reset(nav, names) {
  const { ease, bounds } = nav.shown.walk.limits;
  const without = (/** @type {Record<string, any>} */ all) => Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
  return nav.setLimits({ ease: without(ease), bounds: without(bounds) });
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
    h("input", { type: "number", step, class: "bound", "aria-label": which === "at least" ? say("{name}, at least", { name: setting.label }) : say("{name}, at most", { name: setting.label }), "data-key": `bound-${setting.name}-${which}`, value: value ?? "", placeholder: hint ?? "", change: (/** @type {Event} */ event) => setBound(nav, setting, which, /** @type {HTMLInputElement} */ (event.target).value) });
  return h("div", { class: "bounds small" }, ...around(say("For me between {low} and {high} {unit}", { unit: unitWords(setting.unit) }), { low: field("at least", setting.low, setting.least), high: field("at most", setting.high, setting.most) }));
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
