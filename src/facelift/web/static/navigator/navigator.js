// The navigator: draws the document of a walk and asks its host for the next one.
// It computes nothing: words, effects, rankings and coordinates come from Python.
// One class for the page, the notebook and the one-file report; a host says who answers.
// @ts-check

import { nextPanel } from "./cards.js";
import { bannerLines, headerFacts } from "./header.js";
import { onKey } from "./keys.js";
import { limitsPanel } from "./limits.js";
import { mapPanel, watchRoom } from "./map.js";
import { nothingPanel } from "./nothing.js";
import { h, refill } from "./parts.js";
import { trialPanel } from "./trial.js";
import { detailPanels } from "./ways.js";
import { say } from "./words.js";

/** @typedef {import("../document").Document} Document */
/** @typedef {import("../document").Walk} Walk */
/** @typedef {import("../document").Limits} Limits */
/** @typedef {import("./memory.js").State} State */
/** @typedef {Record<string, unknown> & {kind: string}} Move */
/**
 * Whoever answers: a server, a notebook's kernel, or a file that holds all answers it has.
 * @typedef {object} Host
 * @property {(walk: Partial<Walk>, move: Move | null) => Promise<Document>} plan
 * @property {((walk: Walk, values: Record<string, any>, correction: boolean, ways: boolean) => Promise<import("./trial.js").Told>)=} tried
 * @property {((walk: Walk, limits: Limits) => Promise<{n_ways: number, effort: number | null, size: string}>)=} opened
 * @property {((walk: Walk, format: string, scale: string, values: boolean) => Promise<Blob>)=} exported
 * @property {((walk: Walk, letter: string) => Promise<import("./plan.js").WayPlan>)=} planned a way as a plan
 * @property {((walk: Walk, letter: string, language: string) => Promise<Blob>)=} letter a letter about it
 * @property {((state: State, how: "push" | "replace" | "back" | "forward") => void)=} remember where the address remembers
 * @property {((state: State) => Promise<string>)=} link an address that holds a state
 * @property {(() => false | (() => void))=} earlier how to go back to before the page was loaded, if one can
 * @property {((language: string) => void)=} speak show the page in another language
 * @property {string=} fixed why limits cannot be changed here, if they cannot
 * @property {boolean=} whole whether the whole page is ours: its title, and keys pressed anywhere
 */

const PATIENCE = 100;

/**
 * Draw a document into an element; moves are answered by the host.
 * @param {HTMLElement} place @param {Document} first @param {Host} host
 */
export function mount(place, first, host) {
  return new Navigator(place, first, host);
}

/** Whether two values are the same, whatever they hold. @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Limits as they are now with a change that was made to those seen: column by column where there are columns, one by
 * one where there is a list.
 * @param {Limits} now @param {Limits} seen @param {Partial<Limits>} change @returns {Limits}
 */
function changedLimits(now, seen, change) {
  /** @type {Record<string, any>} */ const limits = { ...now };
  for (const [name, wanted] of Object.entries(/** @type {Record<string, any>} */ (change))) {
    const before = /** @type {Record<string, any>} */ (seen)[name];
    const without = (/** @type {any[]} */ list, /** @type {any[]} */ some) => list.filter((each) => !some.some((other) => same(each, other)));
    if (same(wanted, before)) continue;
    if (Array.isArray(wanted)) limits[name] = [...without(limits[name], without(before, wanted)), ...without(wanted, before)];
    else if (name !== "ease" && name !== "bounds") limits[name] = wanted;
    else {
      const columns = { ...limits[name] };
      for (const column of new Set([...Object.keys(before), ...Object.keys(wanted)])) {
        const value = /** @type {Record<string, any>} */ (wanted)[column];
        if (same(value, before[column])) continue;
        if (value === undefined) delete columns[column];
        else columns[column] = value;
      }
      limits[name] = columns;
    }
  }
  return /** @type {Limits} */ (limits);
}

export class Navigator {
  /** @param {HTMLElement} place @param {Document} first @param {Host} host */
  constructor(place, first, host) {
    this.place = place;
    this.host = host;
    this.shown = first;
    /** @type {Document[]} */ this.before = [];
    /** @type {Document[]} */ this.after = [];
    /** @type {import("./memory.js").Plan[]} */ this.plans = [];
    this.values = true;
    this.away = false;
    this.rank = "expected";
    this.taste = "effort";
    this.scale = "steps";
    /** @type {string | null} */ this.chosen = null;
    this.stop = -1;
    /** Moves that wait for their turn. @type {Move[]} */ this.queue = [];
    /** @type {Promise<void> | null} */ this.working = null;
    /** The move that is being answered. @type {Move | null} */ this.making = null;
    this.moreOpen = false;
    /** @type {import("./trial.js").Trial | null} */ this.trial = null;
    this.fault = "";
    this.drawn = 0;
    this.left = new AbortController();
    this.parts = skeleton(place);
    this.draw();
    watchRoom(this);
    (host.whole ? document : place).addEventListener("keydown", (event) => onKey(this, /** @type {KeyboardEvent} */ (event)), { signal: this.left.signal });
  }

  draw() {
    const focus = this.focusKey();
    const typed = this.typed();
    const { header, limits, banner } = this.parts;
    if (this.host.whole) document.title = `facelift · ${this.shown.header.title}`;
    refill(header, headerFacts(this));
    refill(limits, limitsPanel(this));
    banner.classList.remove("unfolded");
    refill(banner, bannerLines(this));
    this.drawTrial();
    this.drawWays();
    this.place.dataset.state = this.shown.state;
    this.place.dataset.drawn = String(++this.drawn);
    this.restoreFocus(focus);
    const field = this.active();
    if (typed !== null && field instanceof HTMLInputElement && field.getAttribute("data-key") === focus) field.value = typed;
  }

  /** What somebody is typing just now, which a new drawing must not lose. */
  typed() {
    const field = this.active();
    const typing = field instanceof HTMLInputElement && this.place.contains(field) && /^(number|text|search)$/.test(field.type);
    return typing && field.value !== field.defaultValue ? field.value : null;
  }

  /** What is tried; its slider stays the same while it is moved. */
  drawTrial() {
    const { trial } = this.parts;
    const [panel] = trialPanel(this);
    trial.hidden = !panel;
    if (trial.firstChild !== (panel ?? null)) refill(trial, [panel]);
  }

  /** The ways: as they are, or as they would be with what is tried. */
  drawWays() {
    const { map, detail, next } = this.parts;
    this.asSeen(() => {
      refill(map, this.shown.nothing ? nothingPanel(this) : mapPanel(this));
      refill(detail, detailPanels(this));
      refill(next, nextPanel(this));
    });
    const tried = Boolean(this.trial?.told?.document);
    for (const part of [map, detail, next]) {
      part.inert = tried;
      part.classList.toggle("only-tried", tried);
    }
  }

  /** Draw from what is seen: while a value is tried, that is the page as it would be. @param {() => void} drawing */
  asSeen(drawing) {
    const real = this.shown;
    this.shown = this.trial?.told?.document ?? real;
    drawing();
    this.shown = real;
  }

  /** Ask the host for the document after a move, in its turn. @param {Move} move */
  move(move) {
    this.queue.push(move);
    this.working ??= this.work();
    return this.working;
  }

  /** Make the moves that wait, one after the other. */
  async work() {
    for (let next = this.queue.shift(); next; next = this.queue.shift()) await this.make(next);
    this.working = null;
  }

  /** Take the step of a card, or rule it out; a second click on the same card is none. @param {"take" | "rule out"} kind @param {import("../document").Card} card */
  step(kind, card) {
    if (this.making?.card === card || this.queue.some((each) => each.card === card)) return this.working;
    return this.move({ kind, card });
  }

  /** A move as the host takes it: limits as they are now, and the step that a card showed, by what it changes. @param {Move} move */
  asked(move) {
    const { walk, cards } = this.shown;
    if (typeof move.limits === "function") return { ...move, limits: move.limits(walk.limits) };
    if (!move.card) return move;
    const card = /** @type {import("../document").Card} */ (move.card);
    const offered = cards.cards.find((each) => each.title === card.title && same([each.changes, each.picture], [card.changes, card.picture]));
    if (!offered) throw new Error(say("this step is not among those offered now."));
    return { kind: move.kind, vertex: offered.vertex };
  }

  /** @param {Move} move */
  async make(move) {
    if (move.kind === "undo" && this.before.length) {
      this.takeBack();
      return this.remember("back");
    }
    if (move.kind === "redo" && this.after.length) {
      this.takeAgain();
      return this.remember("forward");
    }
    if (move.kind === "undo" || move.kind === "redo") return;
    if (move.kind === "recall") return this.recalled(/** @type {State | null} */ (move.state), Boolean(move.sent));
    const late = setTimeout(() => this.place.classList.add("busy"), PATIENCE);
    this.making = move;
    try {
      const next = await this.host.plan(this.shown.walk, this.asked(move));
      this.before.push(this.shown);
      this.after = [];
      this.shown = next;
      this.remember("push");
      this.fault = "";
      if (move.kind === "unfold" || !next.ways.some((way) => way.letter === this.chosen)) this.chosen = null;
      this.stop = -1;
    } catch (fault) {
      this.fault = /** @type {Error} */ (fault).message;
    } finally {
      clearTimeout(late);
      this.making = null;
      this.place.classList.remove("busy");
    }
    this.draw();
  }

  undo() {
    if (this.before.length || this.queue.length || this.working) this.move({ kind: "undo" });
    else (this.host.earlier?.() || (() => {}))();
  }

  redo() {
    if (this.after.length) this.move({ kind: "redo" });
  }

  /** Go back to the document before the last move, and say so. */
  takeBack() {
    this.go(this.before, this.after, this.shown.undone);
  }

  /** Go forward again. */
  takeAgain() {
    this.go(this.after, this.before, "");
  }

  /** Show the last of some documents; the present one goes to the others. @param {Document[]} from @param {Document[]} to @param {string} banner */
  go(from, to, banner) {
    const last = from.pop();
    if (!last) return;
    to.push(this.shown);
    this.show(banner ? { ...last, banner } : last);
  }

  /** @param {Document} shown */
  show(shown) {
    this.shown = shown;
    this.trial = null;
    this.fault = "";
    this.chosen = null;
    this.draw();
  }

  // --- remembering ------------------------------------------------------------------------------

  /** @returns {State} */
  state() {
    return { case: this.shown.case, walk: this.shown.walk, plans: this.plans, values: this.values };
  }

  /** @param {"push" | "replace" | "back" | "forward"} how */
  remember(how) {
    this.host.remember?.(this.state(), how);
  }

  /** Take on what is remembered beside the walk. @param {State} state */
  adopt(state) {
    this.plans = state.plans;
    this.values = state.values;
    this.draw();
  }

  /** Go where an address says (null: to the start), in its turn; one that was sent can be left again. @param {State | null} state @param {boolean} given @param {boolean} sent */
  recall(state, given, sent) {
    if (given && (!state || state.case !== this.shown.case)) return this.strange();
    return this.move({ kind: "recall", state, sent });
  }

  /** @param {State | null} state @param {boolean} sent */
  async recalled(state, sent) {
    try {
      const shown = await this.host.plan(state?.walk ?? {}, null);
      this.before = sent ? [...this.before, this.shown] : [];
      this.after = [];
      if (sent && state?.plans.length) this.plans = state.plans;
      this.show(shown);
    } catch (fault) {
      this.fault = /** @type {Error} */ (fault).message;
      this.draw();
    }
  }

  /** Say that a link cannot be followed here. */
  strange() {
    this.fault = say("this link is about somebody else, other data or another model, or it is not whole.");
    this.draw();
  }

  /** Whether whoever answers is gone for now. @param {boolean} away */
  setAway(away) {
    if (this.away === away) return;
    this.away = away;
    this.draw();
  }

  /** Set some limits; what else was set meanwhile stays. @param {Partial<Limits>} change */
  setLimits(change) {
    const seen = this.shown.walk.limits;
    return this.move({ kind: "limits", limits: (/** @type {Limits} */ now) => changedLimits(now, seen, change) });
  }

  /** @param {string | null} letter */
  choose(letter) {
    this.chosen = letter;
    this.stop = -1;
    this.draw();
  }

  /** Tell those who listen. @param {string} words */
  say(words) {
    const last = this.parts.banner.querySelector(".said");
    last?.remove();
    this.parts.banner.append(h("p", { class: "said small" }, words));
  }

  /** What has the focus, in the page or in the notebook's own corner of it. */
  active() {
    return /** @type {DocumentOrShadowRoot} */ (/** @type {unknown} */ (this.place.getRootNode())).activeElement;
  }

  focusKey() {
    const active = this.active();
    return active && this.place.contains(active) ? active.getAttribute("data-key") : null;
  }

  /** Where the focus was, or the first step if that is gone. @param {string | null} key */
  restoreFocus(key) {
    if (key) this.focusOn(key) || this.focusOn("take-0") || this.focusOn("undo");
  }

  /** @param {string} key */
  focusOn(key) {
    const found = this.place.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!(found instanceof HTMLElement || found instanceof SVGElement) || found.hasAttribute("disabled")) return false;
    found.focus({ preventScroll: true });
    return true;
  }
}

/** Parts that stay; what is in them is drawn anew. @param {HTMLElement} place */
function skeleton(place) {
  const parts = {
    header: h("header", { class: "header panel" }),
    limits: h("section", { class: "limits panel", "aria-label": say("My limits") }),
    banner: h("div", { class: "banner", role: "status", "aria-live": "polite" }),
    map: h("section", { class: "map panel", "aria-label": say("Map of ways") }),
    trial: h("section", { class: "trial panel", "aria-label": say("Try a value"), hidden: true }),
    detail: h("section", { class: "detail", "aria-label": say("More about the ways") }),
    next: h("section", { class: "next panel", "aria-label": say("Next step") }),
    dialog: /** @type {HTMLDialogElement} */ (h("dialog", { class: "dialog" })),
  };
  const { header, limits, banner, map, trial, detail, next, dialog } = parts;
  const middle = h("main", { class: "middle" }, banner, map, trial, detail);
  const bar = h("div", { class: "bar", "aria-hidden": "true" });
  place.className = "navigator";
  place.replaceChildren(bar, header, limits, middle, next, dialog);
  return parts;
}
