// My plan: starred ways along time, with a checklist, what to do if a step falls through, and what to take along.
// @ts-check

import { openDialog } from "./dialogs.js";
import { effortWords, h, measureWords, pip, s } from "./parts.js";
import { LANGUAGES, language, say, written } from "./words.js";

/** @typedef {import("./memory.js").Plan} Plan */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {{words: string, days: number, outlook: string, size: string, closes: string, if_fails: string}} Stage */
/**
 * A way as a plan, as a host tells it.
 * @typedef {{letter: string, colour: number, outcome: string, outlook: string, days: number, time: string, effort: number, size: string, lasts: string, advice: string, stages: Stage[]}} WayPlan
 */
/** @typedef {{plan: Plan, told: WayPlan | null, fault: string}} Loaded */

const DAY = 86_400_000;

/** The plan of a way from here, if it is starred. @param {Navigator} nav @param {string} letter */
const planOf = (nav, letter) => nav.plans.find((plan) => plan.letter === letter && JSON.stringify(plan.walk) === JSON.stringify(nav.shown.walk));

/** A star beside a way. @param {Navigator} nav @param {string} letter */
export function starButton(nav, letter) {
  const starred = Boolean(planOf(nav, letter));
  return h("button", { class: "star", "data-key": `star-${letter}`, "aria-pressed": String(starred), "aria-label": say("Way {way} as a plan", { way: letter }), title: starred ? say("One of my plans") : say("Make it a plan"), click: () => star(nav, letter) }, starred ? "★" : "☆");
}

/** @param {Navigator} nav @param {string} letter */
function star(nav, letter) {
  const known = planOf(nav, letter);
  if (known) nav.plans = nav.plans.filter((plan) => plan !== known);
  else nav.plans = [...nav.plans, { name: say("Plan {n}: way {way}", { n: nav.plans.length + 1, way: letter }), letter, walk: nav.shown.walk, begin: iso(new Date()), done: [] }];
  nav.remember("replace");
  nav.draw();
}

/** @param {Date} date */
const iso = (date) => new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** A day of a plan. @param {Plan} plan @param {number} days */
const dayOf = (plan, days) => new Date(new Date(`${plan.begin}T12:00:00`).getTime() + Math.ceil(days) * DAY);

/** @param {Plan} plan @param {number} days */
const when = (plan, days) => (days ? say("by {date}", { date: written(dayOf(plan, days)) }) : say("can be done at once"));

/** All plans, one of them in full. @param {Navigator} nav @param {number=} at */
export async function planDialog(nav, at = nav.plans.length - 1) {
  const { planned } = nav.host;
  if (!planned || !nav.plans.length) return;
  const loaded = await Promise.all(nav.plans.map((plan) => planned(plan.walk, plan.letter).then((told) => ({ plan, told, fault: "" }), (fault) => ({ plan, told: null, fault: String(fault.message) }))));
  const chosen = loaded[Math.max(0, Math.min(at, loaded.length - 1))];
  openDialog(nav, say("My plans"), h("div", { class: "plans" }, planTabs(nav, loaded, chosen), timeline(loaded, nav.place.clientWidth), chosen.told ? checklist(nav, chosen.plan, chosen.told) : h("p", {}, chosen.fault), loaded.length > 1 ? comparison(loaded) : null, chosen.told ? takeAlong(nav, chosen.plan, chosen.told) : null));
}

/** Keep a change of a plan, and show it. @param {Navigator} nav @param {Plan} plan @param {Partial<Plan>} change */
function change(nav, plan, change) {
  Object.assign(plan, change);
  nav.remember("replace");
  return planDialog(nav, nav.plans.indexOf(plan));
}

/** @param {Navigator} nav @param {Loaded[]} loaded @param {Loaded} chosen */
function planTabs(nav, loaded, chosen) {
  const { plan } = chosen;
  const name = /** @type {HTMLInputElement} */ (h("input", { type: "text", value: plan.name, "aria-label": say("Name of this plan"), change: () => change(nav, plan, { name: name.value }) }));
  const begin = /** @type {HTMLInputElement} */ (h("input", { type: "date", value: plan.begin, "aria-label": say("Begin on"), change: () => begin.value && change(nav, plan, { begin: begin.value }) }));
  const remove = () => {
    nav.plans = nav.plans.filter((each) => each !== plan);
    nav.remember("replace");
    nav.draw();
    if (nav.plans.length) planDialog(nav);
    else nav.parts.dialog.close();
  };
  return h(
    "div",
    { class: "plan-tabs" },
    h("div", { class: "choice no-print", role: "group", "aria-label": say("Plans") }, ...loaded.map((each, i) => h("button", { "aria-pressed": String(each === chosen), click: () => planDialog(nav, i) }, `★ ${each.plan.name}`))),
    h("div", { class: "plan-name" }, h("label", {}, h("span", { class: "small" }, `${say("name")} `), name), h("label", {}, h("span", { class: "small" }, `${say("begins")} `), begin), h("button", { class: "no-print", click: remove }, say("Remove"))),
  );
}

/** Every plan along the months, in the room there is. @param {Loaded[]} loaded @param {number} room */
function timeline(loaded, room) {
  const known = /** @type {{plan: Plan, told: WayPlan}[]} */ (loaded.filter((each) => each.told));
  const starts = known.map(({ plan }) => dayOf(plan, 0).getTime());
  const ends = known.map(({ plan, told }) => dayOf(plan, told.days).getTime());
  const [first, last] = [Math.min(...starts), Math.max(...ends, Math.min(...starts) + 60 * DAY)];
  const [width, lane, left, right] = [Math.max(300, Math.min(720, room - 64)), 64, 14, room < 640 ? 180 : 190];
  const x = (/** @type {number} */ time) => left + ((width - left - right) * (time - first)) / (last - first);
  const svg = s("svg", { class: "timeline", viewBox: `0 0 ${width} ${30 + lane * known.length}`, role: "img", "aria-label": known.map(({ plan, told }) => say("{plan}: ready {when}", { plan: plan.name, when: told.days ? written(dayOf(plan, told.days)) : say("at once") })).join("; ") });
  for (const tick of months(first, last, (width - left - right) / 72)) svg.append(s("line", { x1: x(tick.getTime()), x2: x(tick.getTime()), y1: 20, y2: 30 + lane * known.length, class: "grid" }), s("text", { x: x(tick.getTime()), y: 13, class: "axis", "text-anchor": "middle" }, written(tick, { month: "short", year: "numeric" })));
  for (const [i, { plan, told }] of known.entries()) {
    const y = 30 + lane * i + 36;
    const [begin, end] = [x(dayOf(plan, 0).getTime()), x(dayOf(plan, told.days).getTime())];
    svg.append(s("text", { x: begin, y: y - 19, class: "name" }, plan.name), s("line", { x1: begin, x2: Math.max(end, begin + 20), y1: y, y2: y, class: `stroke colour-${told.colour}` }));
    for (const stage of told.stages.slice(0, -1)) svg.append(s("circle", { cx: x(dayOf(plan, stage.days).getTime()), cy: y, r: 5, class: plan.done.includes(stage.words) ? "stage done" : "stage" }));
    const spot = Math.max(end, begin + 20);
    svg.append(s("circle", { cx: spot, cy: y, r: 11, class: `badge colour-${told.colour}` }), s("text", { x: spot, y: y + 4, class: `badge-letter on-${told.colour}`, "text-anchor": "middle" }, told.letter), s("text", { x: spot + 17, y: y - 2, class: "name" }, `${told.outcome}, ${told.outlook}`), s("text", { x: spot + 17, y: y + 12, class: "value" }, told.days ? say("from {date}", { date: written(dayOf(plan, told.days), { day: "numeric", month: "short", year: "numeric" }) }) : say("at once")));
  }
  return svg;
}

/** The first days of some months between two times, few enough to be read. @param {number} first @param {number} last @param {number} most */
function months(first, last, most) {
  const span = (last - first) / (30 * DAY);
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((each) => span / each <= most) ?? 240;
  const begin = new Date(first);
  /** @type {Date[]} */ const ticks = [];
  for (let i = 1; ticks.length < 9; i++) {
    const tick = new Date(begin.getFullYear(), begin.getMonth() + i * step, 1, 12);
    if (tick.getTime() > last) break;
    ticks.push(tick);
  }
  return ticks;
}

/** @param {Navigator} nav @param {Plan} plan @param {WayPlan} told */
function checklist(nav, plan, told) {
  const tick = (/** @type {string} */ words) => change(nav, plan, { done: plan.done.includes(words) ? plan.done.filter((each) => each !== words) : [...plan.done, words] });
  const items = told.stages.map((stage, i) => {
    const id = `stage-${i}`;
    const done = plan.done.includes(stage.words);
    return h(
      "li",
      { class: done ? "done" : null },
      h("input", { type: "checkbox", id, checked: done, change: () => tick(stage.words) }),
      h("div", {}, h("label", { for: id }, `${i + 1}. ${stage.words}`), h("p", { class: "small" }, say("{measure} then {outlook}", { measure: measureWords(nav), outlook: stage.outlook }), stage.closes ? `; ${say("closes {ways}", { ways: stage.closes })}` : ""), done ? null : h("p", { class: "if-fails" }, stage.if_fails)),
      h("span", { class: "when" }, done ? say("done") : when(plan, stage.days)),
    );
  });
  const n_done = told.stages.filter((stage) => plan.done.includes(stage.words)).length;
  return h("section", { "aria-label": say("Checklist") }, h("h3", {}, say("Checklist · {n} of {total} done", { n: n_done, total: told.stages.length })), h("ol", { class: "checklist" }, ...items), h("p", { class: "plan-advice" }, told.advice, ` ${told.stages.some((stage) => stage.days) ? say("Dates are estimates from the rates in the rules; the model may have changed by then: open this page again before you apply.") : say("The model may have changed by then: open this page again before you apply.")}`));
}

/** @param {Loaded[]} loaded */
function comparison(loaded) {
  const known = /** @type {{plan: Plan, told: WayPlan}[]} */ (loaded.filter((each) => each.told));
  /** @type {[string, (each: {plan: Plan, told: WayPlan}) => any][]} */
  const rows = [
    [say("ready"), ({ plan, told }) => (told.days ? written(dayOf(plan, told.days)) : say("at once"))],
    [say("takes"), ({ told }) => told.time || say("no time to wait")],
    [say("effort"), ({ told }) => effortWords(told.size, told.effort)],
    [say("steps left"), ({ plan, told }) => told.stages.filter((stage) => !plan.done.includes(stage.words)).length],
    [say("then"), ({ told }) => `${told.outcome}, ${told.outlook}`],
    [say("if steps fall through"), ({ told }) => told.advice],
  ];
  return h("section", { "aria-label": say("Plans compared") }, h("h3", {}, say("Plans compared")), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Table of plans") }, h("table", { class: "compare" }, h("thead", {}, h("tr", {}, h("td", {}), ...known.map(({ plan, told }) => h("th", { scope: "col" }, pip(told.letter, told.colour, "nearer"), ` ${plan.name}`)))), h("tbody", {}, ...rows.map(([name, cell]) => h("tr", {}, h("th", { scope: "row" }, name), ...known.map((each) => h("td", {}, cell(each)))))))));
}

/** A letter about a way from here, in a language to be chosen: a button, the choice, and what is said of it. @param {Navigator} nav @param {import("../document").Walk} walk @param {string} way */
export function letterParts(nav, walk, way) {
  const chosen = /** @type {HTMLSelectElement} */ (h("select", { "aria-label": say("Language of the letter") }, ...Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === language() }, name))));
  const said = h("span", { class: "small", role: "status" });
  const write = async () => {
    try {
      const content = await nav.host.letter?.(walk, way, chosen.value);
      if (content) saved(content, `letter-${chosen.value}.html`);
      said.textContent = say("The letter is a file that opens and prints as one page.");
    } catch (fault) {
      said.textContent = /** @type {Error} */ (fault).message;
    }
  };
  return { button: h("button", { class: "primary", "data-key": "plan-letter", click: write }, say("Letter, one page")), chosen, said };
}

/** @param {Navigator} nav @param {Plan} plan @param {WayPlan} told */
function takeAlong(nav, plan, told) {
  const { button, chosen, said } = letterParts(nav, plan.walk, plan.letter);
  return h(
    "section",
    { class: "no-print", "aria-label": say("To take with you") },
    h("h3", {}, say("To take with you")),
    h("div", { class: "buttons" }, button, chosen, h("button", { "data-key": "plan-print", click: () => print() }, say("Print plan and checklist")), h("button", { "data-key": "plan-dates", click: () => saved(new Blob([calendar(plan, told)], { type: "text/calendar" }), "plan.ics") }, say("Dates for my calendar"))),
    said,
  );
}

/** The steps that are left, as days of a calendar. @param {Plan} plan @param {WayPlan} told */
function calendar(plan, told) {
  const text = (/** @type {string} */ words) => words.replace(/[\\;,]/g, (sign) => `\\${sign}`).replaceAll("\n", " ");
  const events = told.stages.filter((stage) => !plan.done.includes(stage.words)).map((stage, i) => ["BEGIN:VEVENT", `UID:${plan.begin}-${plan.letter}-${i}@facelift`, `DTSTAMP:${plan.begin.replaceAll("-", "")}T120000Z`, `DTSTART;VALUE=DATE:${iso(dayOf(plan, stage.days)).replaceAll("-", "")}`, `SUMMARY:${text(stage.words)}`, `DESCRIPTION:${text(stage.if_fails)}`, "END:VEVENT"].join("\r\n"));
  return ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//facelift//plan//EN", ...events, "END:VCALENDAR", ""].join("\r\n");
}

/** Give somebody a file. @param {Blob} content @param {string} name */
function saved(content, name) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
