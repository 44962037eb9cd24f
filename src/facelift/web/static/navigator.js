// The navigator: draws the document of a walk and asks its host for the next one.
// It computes nothing: words, effects, rankings and coordinates come from Python.
// One module for the page, the notebook and the one-file report; a host says who answers.
// @ts-check

/** @typedef {import("./document").Document} Document */
/** @typedef {import("./document").Walk} Walk */
/** @typedef {import("./document").Limits} Limits */
/** @typedef {import("./document").Card} Card */
/** @typedef {import("./document").ChangeWords} ChangeWords */
/** @typedef {import("./document").WayWords} Way */
/** @typedef {import("./document").Setting} Setting */
/** @typedef {Record<string, unknown> & {kind: string}} Move */
/**
 * Whoever answers: a server, a notebook's kernel, or a file that holds all answers it has.
 * @typedef {object} Host
 * @property {(walk: Walk, move: Move) => Promise<Document>} plan
 * @property {((walk: Walk, limits: Limits) => Promise<{n_ways: number, effort: number | null}>)=} opened
 * @property {((walk: Walk, format: string, scale: string, values: boolean) => Promise<Blob>)=} exported
 * @property {string=} fixed why limits cannot be changed here, if they cannot
 * @property {boolean=} whole whether the whole page is ours: its title, and keys pressed anywhere
 */
/** @typedef {string | number | Node | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";
const RANKS = { expected: "expected effort", open: "options kept", effort: "least effort", chance: "chance" };
const EASES = ["easy", "ok", "hard", "never"];
/** Of what opens as much, one's own limits come first, then rules of others, then all at once. */
const LAST = ["rules", "all"];
const PATIENCE = 100;
const SILENCE = 120_000;

/** @param {number | null | undefined} share */
const percent = (share) => (share == null ? "–" : `${Math.round(share * 100)}%`);
/** @param {number} effort */
const number = (effort) => effort.toFixed(2);
/** @param {number} count @param {string} word */
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/**
 * An element; attributes that are null or false are left out, functions listen.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...Child} children
 * @returns {HTMLElement}
 */
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. @param {string} tag @param {Record<string, any>} [attributes] @param {...Child} children */
function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element @param {Record<string, any>} attributes @param {Child[]} children @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child == null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** @param {Element} element @param {Child[]} children */
function refill(element, children) {
  element.replaceChildren();
  fill(element, {}, children);
}

/** @param {string} text */
const hidden = (text) => h("span", { class: "unseen" }, text);

/**
 * The one glyph: a destination that is nearer, open but not helped, closed, or just named.
 * @param {string} letter @param {number | null} colour @param {string} effect
 */
function pip(letter, colour, effect) {
  const tone = colour == null || effect === "closed" ? "" : ` colour-${colour}`;
  return h("span", { class: `pip ${effect}${tone}`, "aria-hidden": "true" }, letter);
}

/** @param {ChangeWords} change */
const changeLine = (change) =>
  h("span", { class: "change" }, change.before, " → ", h("strong", {}, change.after), by(change));

/** @param {ChangeWords} change */
const changeText = (change) => `${change.name}: ${change.before} → ${change.after}${by(change)}`;

/** @param {ChangeWords} change */
const by = (change) => (change.by ? ` (${change.by})` : "");

/** Parts that stay; what is in them is drawn anew. @param {HTMLElement} place */
function skeleton(place) {
  const parts = {
    header: h("header", { class: "header panel" }),
    limits: h("section", { class: "limits panel", "aria-label": "My limits" }),
    banner: h("div", { class: "banner", role: "status", "aria-live": "polite" }),
    map: h("section", { class: "map panel", "aria-label": "Map of ways" }),
    detail: h("section", { class: "detail", "aria-label": "More about the ways" }),
    next: h("section", { class: "next panel", "aria-label": "Next step" }),
    dialog: /** @type {HTMLDialogElement} */ (h("dialog", { class: "dialog" })),
  };
  const { header, limits, banner, map, detail, next, dialog } = parts;
  const middle = h("main", { class: "middle" }, banner, map, detail);
  const bar = h("div", { class: "bar", "aria-hidden": "true" });
  place.className = "navigator";
  place.replaceChildren(bar, header, limits, middle, next, dialog);
  return parts;
}

class Navigator {
  /** @param {HTMLElement} place @param {Document} first @param {Host} host */
  constructor(place, first, host) {
    this.place = place;
    this.host = host;
    this.shown = first;
    /** @type {Document[]} */ this.before = [];
    this.rank = "expected";
    this.scale = "effort";
    /** @type {string | null} */ this.chosen = null;
    this.stop = -1;
    this.busy = false;
    this.moreOpen = false;
    this.fault = "";
    this.drawn = 0;
    this.left = new AbortController();
    this.parts = skeleton(place);
    this.draw();
    (host.whole ? document : place).addEventListener("keydown", (event) => this.onKey(/** @type {KeyboardEvent} */ (event)), { signal: this.left.signal });
  }

  draw() {
    const focus = this.focusKey();
    const { header, limits, banner, map, detail, next } = this.parts;
    if (this.host.whole) document.title = `facelift · ${this.shown.header.title}`;
    refill(header, this.header());
    refill(limits, this.limits());
    refill(banner, this.banner());
    refill(map, this.shown.nothing ? this.nothing() : this.map());
    refill(detail, this.detail());
    refill(next, this.next());
    this.place.dataset.state = this.shown.state;
    this.place.dataset.drawn = String(++this.drawn);
    this.restoreFocus(focus);
  }

  // --- moving -----------------------------------------------------------------------------------

  /** Ask the host for the document after a move. @param {Move} move */
  async move(move) {
    if (this.busy) return;
    this.busy = true;
    const late = setTimeout(() => this.place.classList.add("busy"), PATIENCE);
    try {
      const next = await this.host.plan(this.shown.walk, move);
      this.before.push(this.shown);
      this.shown = next;
      this.fault = "";
      if (move.kind === "unfold" || !next.ways.some((way) => way.letter === this.chosen)) this.chosen = null;
      this.stop = -1;
    } catch (fault) {
      this.fault = /** @type {Error} */ (fault).message;
    } finally {
      clearTimeout(late);
      this.place.classList.remove("busy");
      this.busy = false;
    }
    this.draw();
  }

  undo() {
    const last = this.before.pop();
    if (!last || this.busy) return;
    this.shown = last;
    this.fault = "";
    this.chosen = null;
    this.draw();
  }

  /** @param {Partial<Limits>} change */
  setLimits(change) {
    return this.move({ kind: "limits", limits: { ...this.shown.walk.limits, ...change } });
  }

  // --- header -----------------------------------------------------------------------------------

  header() {
    const { header, badges } = this.shown;
    const open = badges.filter((badge) => badge.status === "open").length;
    const rest = badges.length - open;
    const decided = header.reached || header.picture ? "" : " poor";
    const facts = [];
    facts.push(h("div", { class: "brand" }, "facelift"));
    facts.push(
      h(
        "div",
        { class: "fact who" },
        header.picture ? h("img", { class: "ink", src: header.picture, alt: `now: ${header.outcome}` }) : null,
        h("div", {}, h("h1", {}, header.title), h("div", { class: "small" }, header.facts)),
      ),
    );
    if (header.outcome)
      facts.push(
        h(
          "div",
          { class: "fact" },
          h("div", { class: "small" }, header.picture ? "the model sees" : "decision now"),
          h("div", { class: `big${decided}` }, header.outcome),
          h("div", { class: "small" }, header.outlook),
        ),
      );
    if (!header.reached)
      facts.push(
        h(
          "div",
          { class: "fact" },
          h("div", { class: "small" }, "ways still open"),
          h("div", { class: "big" }, `${open} open`, rest ? h("span", { class: "small" }, ` ${rest} no longer`) : null),
          this.badges(),
        ),
      );
    facts.push(
      h(
        "div",
        { class: "fact" },
        h("div", { class: "small" }, "so far"),
        h("div", { class: "big" }, plural(header.n_steps, "step")),
        h("div", { class: "small" }, `effort ${number(header.effort)}`),
      ),
    );
    return [...facts, this.tools()];
  }

  badges() {
    const { badges } = this.shown;
    const open = badges.filter((badge) => badge.status === "open");
    const rest = badges.filter((badge) => badge.status !== "open");
    const shown = [...open, ...rest.slice(-3)];
    const row = h("div", { class: "pips" }, hidden(shown.map((badge) => badge.words).join(", ")));
    for (const badge of shown) {
      const mark = pip(badge.letter, badge.colour, badge.status === "open" ? "nearer" : "closed");
      mark.title = badge.words;
      row.append(mark);
    }
    return row;
  }

  tools() {
    const { before, shown } = this;
    return h(
      "div",
      { class: "tools" },
      h("button", { "data-key": "undo", disabled: !before.length, click: () => this.undo() }, "↶ Undo"),
      h("button", { "data-key": "compare", disabled: shown.ways.length < 2, click: () => this.compare() }, "Compare"),
      this.host.exported
        ? h("button", { "data-key": "export", "aria-haspopup": "dialog", click: () => this.exporting() }, "Export …")
        : null,
      h("button", { "data-key": "help", "aria-label": "Help", click: () => this.help() }, "?"),
    );
  }

  banner() {
    const { banner, notes, walk } = this.shown;
    return [
      h("p", {}, this.fault ? h("strong", {}, `That did not work: ${this.fault}`) : banner),
      ...notes.map((note) => h("p", { class: "small" }, note)),
      walk.unfolded
        ? h("button", { "data-key": "fold", click: () => this.move({ kind: "unfold", letter: null }) }, `Inside family ${walk.unfolded}: back to all ways`)
        : null,
    ];
  }

  // --- map --------------------------------------------------------------------------------------

  map() {
    const maps = this.shown.maps;
    const names = Object.keys(maps);
    if (!names.length) return [this.there()];
    const name = maps[this.scale] ? this.scale : names[0];
    const head = h("div", { class: "map-head" }, h("h2", {}, "Map of ways"));
    if (names.length > 1) head.append(this.choice("scale", "across", names, (each) => each, this.scale, (each) => { this.scale = each; this.draw(); }));
    if (this.shown.more_ways && !this.host.fixed)
      head.append(h("button", { "data-key": "more", click: () => this.move({ kind: "again", n_ways: this.shown.more_ways }) }, "Look for more ways"));
    const box = h("div", { class: "map-box", tabindex: "0", role: "group", "aria-label": "Map; use the arrow keys: up and down between ways, left and right along one", keydown: (/** @type {KeyboardEvent} */ event) => this.onMapKey(event), "data-key": "map" }, this.drawing(maps[name]));
    return [head, h("p", { class: "small sideways", "aria-hidden": "true" }, "Slide the map sideways to see where the lines end."), box];
  }

  /** What stands in the place of the map where there is nowhere to go. */
  there() {
    const { state } = this.shown;
    const next = [
      this.host.exported ? "Export makes a report of how things stand, to keep or to show." : "",
      this.before.length ? "Undo goes back, to look at other ways." : "",
      this.shown.settings.settings.length && !this.host.fixed ? "If things change, say so with “Something else happened”." : "",
    ];
    return h("div", { class: "nothing" }, h("h2", {}, state === "already" ? "Nothing needs to change" : "You are there"), h("p", {}, next.filter(Boolean).join(" ")));
  }

  /** @param {import("./document").Map} map */
  drawing(map) {
    const svg = s("svg", { viewBox: `0 0 ${map.width} ${map.height}`, class: "drawing" });
    svg.style.minWidth = `${Math.min(map.width, 600)}px`;
    svg.style.maxWidth = `${map.width * 1.25}px`;
    svg.append(s("text", { x: map.you.x - 8, y: 16, class: "axis" }, map.axis));
    for (const tick of map.ticks)
      svg.append(
        s("line", { x1: tick.x, x2: tick.x, y1: 38, y2: map.height - 8, class: "grid" }),
        s("text", { x: tick.x, y: 31, class: "axis", "text-anchor": "middle" }, tick.label),
      );
    for (const stroke of map.strokes) svg.append(s("path", { d: stroke.path, class: `stroke colour-${stroke.colour}${this.dimmed(stroke.letter)}` }));
    const picture = Boolean(map.you.picture);
    for (const [i, station] of map.stations.entries()) svg.append(this.station(station, picture, i));
    for (const label of map.labels)
      svg.append(
        s("g", { class: "label" }, s("title", {}, label.words), s("text", { x: label.x, y: label.above, class: "name" }, label.name), s("text", { x: label.x, y: label.below, class: "value" }, label.value)),
      );
    svg.append(this.you(map.you, picture));
    for (const end of map.ends) svg.append(this.end(end));
    return svg;
  }

  /** @param {string} letters */
  dimmed(letters) {
    return this.chosen && letters && !letters.split(" ").includes(this.chosen) ? " dimmed" : "";
  }

  /** @param {import("./document").Station} station @param {boolean} picture @param {number} i */
  station(station, picture, i) {
    const said = `${station.words}${station.closes ? `; closes ${station.closes} for good` : ""}; serves ${station.letters}`;
    const group = s("g", { class: `station${this.dimmed(station.letters)}`, "data-station": i }, s("title", {}, said));
    if (picture) {
      const size = 56;
      const frame = station.colour == null ? "" : ` colour-${station.colour}`;
      group.append(
        s("rect", { x: station.x - size / 2, y: station.y - size / 2, width: size, height: size, rx: 4, class: `frame${frame}` }),
        s("image", { href: station.picture, x: station.x - size / 2 + 3, y: station.y - size / 2 + 3, width: size - 6, height: size - 6, class: "ink" }),
        s("text", { x: station.x, y: station.y + size / 2 + 14, class: "value", "text-anchor": "middle" }, station.caption),
      );
    } else if (station.fork) {
      group.append(s("rect", { x: station.x - 5, y: station.y - station.height / 2, width: 10, height: station.height, rx: 5, class: "fork" }));
    } else {
      group.append(s("rect", { x: station.x - 1.5, y: station.y - station.height / 2 + 3, width: 3, height: station.height - 6, class: "stop" }));
    }
    if (station.closes) group.append(s("text", { x: station.x, y: station.y - station.height / 2 - 4, class: "warning", "text-anchor": "middle" }, "⚠"));
    return group;
  }

  /** @param {import("./document").Station} you @param {boolean} picture */
  you(you, picture) {
    const group = s("g", { class: "you" });
    if (picture) group.append(this.station({ ...you, letters: "" , words: "you"}, true, -1));
    else group.append(s("rect", { x: you.x - 6, y: you.y - you.height / 2, width: 12, height: you.height, rx: 6 }));
    group.append(picture ? s("text", { x: you.x, y: you.y - 34, "text-anchor": "middle", class: "name" }, "you") : s("text", { x: you.x + 7, y: you.y - you.height / 2 - 7, "text-anchor": "end", class: "name" }, "you"));
    return group;
  }

  /** @param {import("./document").End} end */
  end(end) {
    const chosen = this.chosen === end.letter;
    return s(
      "g",
      {
        class: `end${this.dimmed(end.letter)}`,
        role: "button",
        tabindex: "0",
        "aria-pressed": String(chosen),
        "data-key": `end-${end.letter}`,
        click: () => this.choose(chosen ? null : end.letter),
        keydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          this.choose(chosen ? null : end.letter);
        },
      },
      s("rect", { x: end.x - 14, y: end.y - 18, width: 200, height: 36, rx: 8, class: "target" }),
      s("circle", { cx: end.x, cy: end.y, r: 11, class: `badge colour-${end.colour}` }),
      s("text", { x: end.x, y: end.y + 4, class: `badge-letter on-${end.colour}`, "text-anchor": "middle" }, end.letter),
      s("text", { x: end.x + 18, y: end.y - 2, class: "name" }, end.caption),
      s("text", { x: end.x + 18, y: end.y + 13, class: "value" }, end.note),
    );
  }

  /** @param {string | null} letter */
  choose(letter) {
    this.chosen = letter;
    this.stop = -1;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  onMapKey(event) {
    const letters = [...this.place.querySelectorAll(".end")].map((end) => (end.getAttribute("data-key") ?? "").slice(4));
    if (!letters.length) return;
    const at = this.chosen ? letters.indexOf(this.chosen) : -1;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = event.key === "ArrowDown" ? (at + 1) % letters.length : (at <= 0 ? letters.length : at) - 1;
      this.choose(letters[next]);
      this.focusOn(`end-${letters[next]}`);
      this.say(this.wayWords(letters[next]));
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      const way = this.shown.ways.find((each) => each.letter === (this.chosen ?? letters[0]));
      if (!way) return;
      if (!this.chosen) this.choose(way.letter);
      this.stop = Math.max(0, Math.min(way.steps.length - 1, this.stop + (event.key === "ArrowRight" ? 1 : -1)));
      const step = way.steps[this.stop];
      this.say(`Way ${way.letter}, step ${this.stop + 1} of ${way.steps.length}: ${step.words}, effort ${number(step.effort)}, ${step.picture ? "seen as" : this.shown.measure} ${step.outlook}`);
      this.place.querySelectorAll(".steps tbody tr").forEach((row, i) => row.classList.toggle("current", i === this.stop));
    }
  }

  /** @param {string} letter */
  wayWords(letter) {
    const way = this.shown.ways.find((each) => each.letter === letter);
    return way ? `Way ${letter}: ${way.steps.map((step) => step.words).join(", then ")}` : "";
  }

  /** Tell those who listen. @param {string} words */
  say(words) {
    const last = this.parts.banner.querySelector(".said");
    last?.remove();
    this.parts.banner.append(h("p", { class: "said small" }, words));
  }

  // --- nothing leads there ----------------------------------------------------------------------

  nothing() {
    const nothing = /** @type {import("./document").Nothing} */ (this.shown.nothing);
    const rows = nothing.loosen.map((each) => this.loosenRow(each));
    const table = h(
      "table",
      { class: "loosen" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "If you …"), h("th", { scope: "col" }, "ways opened"), h("th", { scope: "col" }, "least effort"), h("th", { scope: "col" }, hidden("try it")))),
      h("tbody", {}, ...rows.map((row) => row.element)),
    );
    this.tryAll(rows, /** @type {HTMLElement} */ (table.querySelector("tbody")));
    return [
      h(
        "div",
        { class: "nothing" },
        h("h2", {}, nothing.headline),
        h("p", {}, `${nothing.text} This is a statement about this model and your limits, not about you.`),
        nothing.closest.length
          ? h("p", {}, h("strong", {}, "Closest you can get: "), nothing.closest.map(changeText).join(" · "), ` (${nothing.outlook})`)
          : null,
        rows.length ? h("h3", {}, "What loosening one thing would open") : null,
        rows.length ? table : null,
        h("h3", {}, "Other things you can do"),
        h("ul", {}, h("li", {}, "Save this result (what was checked, with which limits) with Export, to discuss it with whoever decides or advises."), h("li", {}, "Ask for a human review: the decision may rest on a fact that is wrong."), this.before.length ? h("li", {}, "Undo the last change.") : null),
      ),
    ];
  }

  /** @param {import("./document").Loosen} loosen */
  loosenRow(loosen) {
    const ways = h("td", { class: "count" }, this.host.opened ? "…" : "?");
    const least = h("td", {}, "");
    const button = /** @type {HTMLButtonElement} */ (
      h("button", { "data-key": `try-${loosen.words}`, disabled: true, click: () => this.move({ kind: "limits", limits: loosen.limits }) }, "Try it", hidden(`: ${loosen.words}`))
    );
    const element = h("tr", {}, h("td", {}, loosen.words), ways, least, h("td", {}, button));
    return { loosen, element, ways, least, button, opened: 0, effort: Infinity };
  }

  /** Ask for each row in turn, then put the most helpful first. @param {any[]} rows @param {HTMLElement} body */
  async tryAll(rows, body) {
    const opened = this.host.opened;
    if (!opened) return;
    const { walk } = this.shown;
    for (const row of rows) {
      if (this.shown.walk !== walk) return;
      try {
        const found = await opened(walk, row.loosen.limits);
        row.opened = found.n_ways;
        row.ways.replaceChildren(meter(found.n_ways), String(found.n_ways));
        row.effort = found.effort ?? Infinity;
        row.least.textContent = found.effort == null ? "–" : number(found.effort);
        row.button.disabled = !found.n_ways;
        row.element.classList.toggle("useless", !found.n_ways);
      } catch {
        row.ways.textContent = "?";
      }
    }
    const focused = this.active();
    rows.sort((a, b) => b.opened - a.opened || LAST.indexOf(a.loosen.kind) - LAST.indexOf(b.loosen.kind) || a.effort - b.effort).forEach((row) => body.append(row.element));
    if (focused instanceof HTMLElement && body.contains(focused)) focused.focus();
    body.setAttribute("data-done", "");
  }

  // --- below the map ----------------------------------------------------------------------------

  detail() {
    if (!this.shown.ways.length) return this.shown.history.length ? [this.historyPanel()] : [];
    const parts = [this.waysPanel()];
    if (this.shown.history.length) parts.push(this.historyPanel());
    if (this.shown.ways.length > 1) parts.push(this.curvePanel(), this.matrixPanel());
    return parts;
  }

  waysPanel() {
    const list = h("div", { class: "way-list" });
    for (const way of this.shown.ways) list.append(this.wayRow(way));
    return h("section", { class: "panel ways", "aria-label": "Destinations" }, h("h2", {}, "Destinations"), list);
  }

  /** @param {Way} way */
  wayRow(way) {
    const details = /** @type {HTMLDetailsElement} */ (
      h("details", { "data-way": way.letter, open: this.chosen === way.letter })
    );
    const changes = way.changes.map((change) => `${change.name} ${change.after}`).join(", ");
    details.append(
      h(
        "summary",
        { "data-key": `way-${way.letter}`, click: (/** @type {Event} */ event) => { event.preventDefault(); this.choose(this.chosen === way.letter ? null : way.letter); } },
        pip(way.letter, way.colour, "nearer"),
        hidden(`Way ${way.letter}: `),
        h("span", { class: "what" }, changes || `${this.shown.header.picture ? "seen as " : ""}${way.outcome}, in ${plural(way.steps.length, "step")}`),
        h("span", { class: "small" }, `${way.outlook === "–" ? "" : `${way.outlook} · `}effort ${number(way.effort)} · serves others ${percent(way.serves)}${way.time ? ` · ${way.time}` : ""}${way.lasts ? ` · ${way.lasts}` : ""}${way.dips ? ` · ${way.dips}` : ""}`),
      ),
    );
    details.append(way.steps.some((step) => step.picture) ? this.strip(way) : this.stepTable(way));
    if (way.similar > 1 && !this.host.fixed)
      details.append(h("button", { "data-key": `unfold-${way.letter}`, click: () => this.move({ kind: "unfold", letter: way.letter }) }, `Unfold ${plural(way.similar, "similar way")}`));
    return details;
  }

  /** @param {Way} way */
  stepTable(way) {
    const rows = way.steps.map((step, i) =>
      h("tr", {}, h("td", {}, String(i + 1)), h("td", {}, step.words), h("td", {}, number(step.effort)), h("td", {}, step.outlook), h("td", {}, step.closes ? h("strong", { class: "closes" }, `closes ${step.closes}`) : `${step.n_open} open`), h("td", { title: `If ${way.letter} falls away by then: the nearest way to go on to, and its effort` }, step.fallback)),
    );
    const heads = ["", "step", "effort", this.shown.measure, "ways", "if lost"].map((each) => h("th", { scope: "col" }, each || hidden("number")));
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Steps of way ${way.letter}` }, h("table", { class: "steps" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
  }

  /** @param {Way} way */
  strip(way) {
    const frames = [h("figure", {}, h("img", { class: "ink", src: this.shown.header.picture, alt: `start: ${this.shown.header.outcome}` }), h("figcaption", {}, "you"))];
    for (const [i, step] of way.steps.entries())
      frames.push(
        h("figure", {}, h("img", { class: "ink", src: step.picture, alt: `step ${i + 1}` }), h("img", { class: "ink change-picture", src: step.difference, alt: "what was added and removed" }), h("figcaption", {}, `${step.outlook} · effort ${number(step.effort)}`)),
      );
    return h("div", {}, this.ink(), h("div", { class: "strip", tabindex: "0", role: "region", "aria-label": `Pictures of way ${way.letter}` }, ...frames));
  }

  historyPanel() {
    const items = this.shown.history.map((event) =>
      h("li", {}, event.kind === "other" ? "Something else happened: " : "", event.changes.map(changeText).join(", ") || "another picture", event.outlook ? h("span", { class: "small" }, `  ${event.outlook}`) : null),
    );
    return h("section", { class: "panel history", "aria-label": "How you got here" }, h("h2", {}, "How you got here"), h("ol", {}, ...items));
  }

  curvePanel() {
    const { curves } = this.shown;
    const [width, height, left, top] = [300, 176, 40, 14];
    const most = Math.max(...curves.map((curve) => curve.points[curve.points.length - 1][0])) || 1;
    const x = (/** @type {number} */ effort) => left + ((width - left - 22) * effort) / most;
    const y = (/** @type {number} */ share, /** @type {number} */ lane) => top + (height - top - 34) * (1 - share) + lane;
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "img", "aria-label": "Share of the other ways that each way still serves, over the effort spent" });
    for (const share of [0, 0.5, 1])
      svg.append(s("line", { x1: left, x2: width - 14, y1: y(share, 0), y2: y(share, 0), class: "grid" }), s("text", { x: left - 6, y: y(share, 3), class: "axis", "text-anchor": "end" }, percent(share)));
    /** @type {{letter: string, colour: number, x: number, y: number}[]} */ const marks = [];
    const lanes = curves.map((_, i) => (i - (curves.length - 1) / 2) * 1.7);
    for (const [i, curve] of curves.entries()) {
      const [first, ...rest] = curve.points;
      let path = `M${x(first[0])} ${y(first[1], lanes[i])}`;
      for (const [effort, share] of rest) path += `V${y(share, lanes[i])}H${x(effort)}`;
      const [lastEffort, lastShare] = curve.points[curve.points.length - 1];
      svg.append(s("path", { d: path, class: `curve colour-${curve.colour}${this.dimmed(curve.letter)}` }));
      marks.push({ letter: curve.letter, colour: curve.colour, x: x(lastEffort), y: y(lastShare, -5) });
    }
    for (const mark of apart(marks)) svg.append(s("text", { x: mark.x, y: mark.y, class: "axis letter", "text-anchor": "middle" }, mark.letter));
    svg.append(s("text", { x: width - 14, y: height - 6, class: "axis", "text-anchor": "end" }, "effort spent →"));
    return h("section", { class: "panel", "aria-label": "What stays open as you go" }, h("h2", { title: "agency: the share of alternatives that every step so far brought nearer" }, "What stays open as you go"), h("p", { class: "small" }, "Other ways that every step so far has also served. It falls as you commit; what is not served may still be reached, with more effort."), svg);
  }

  matrixPanel() {
    const { matrix } = this.shown;
    const head = h("tr", {}, h("td", {}), ...matrix.letters.map((letter, i) => h("th", { scope: "col" }, pip(letter, matrix.colours[i], "nearer"), hidden(letter))), h("th", { scope: "col" }, "mean"));
    const rows = matrix.letters.map((letter, i) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, pip(letter, matrix.colours[i], "nearer"), hidden(letter)),
        ...matrix.cells[i].map((share, j) => {
          const cell = h("td", { class: i === j ? "own" : "", title: i === j ? "" : `Heading for ${letter}, ${percent(share)} of the effort also brings you towards ${matrix.letters[j]}` }, i === j ? "" : share.toFixed(2).replace(/^0/, ""));
          cell.style.setProperty("--share", i === j ? "0" : String(share));
          return cell;
        }),
        h("td", { class: "mean" }, matrix.means[i] == null ? "–" : /** @type {number} */ (matrix.means[i]).toFixed(2)),
      ),
    );
    return h("section", { class: "panel", "aria-label": "What serves what" }, h("h2", { title: "opportunity potential l[a, b]; the mean is the score of a way" }, "Heading for ↓ also brings you towards →"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of what serves what" }, h("table", { class: "matrix" }, h("thead", {}, head), h("tbody", {}, ...rows))));
  }

  // --- next step --------------------------------------------------------------------------------

  next() {
    const { cards, state } = this.shown;
    /** @type {Child[]} */ const parts = [h("h2", {}, "Next step")];
    if (state === "none") return [...parts, h("p", { class: "calm" }, "No step is suggested: none leads there. Loosen a limit first; the list of what that would open shows which one helps most."), this.elseButton()];
    if (state === "arrived" || state === "already") return [...parts, h("p", { class: "calm" }, "No step is needed."), this.elseButton()];
    const ranks = Object.keys(cards.rankings);
    if (!ranks.includes(this.rank)) this.rank = ranks[0];
    parts.push(this.choice("rank", "rank by", ranks, (each) => RANKS[/** @type {keyof typeof RANKS} */ (each)], this.rank, (each) => { this.rank = each; this.draw(); }));
    for (const [i, vertex] of (cards.rankings[this.rank] ?? []).entries()) {
      const card = cards.cards.find((each) => each.vertex === vertex);
      if (card) parts.push(this.card(card, i, vertex === cards.recommended));
    }
    return [...parts, this.legend(), this.scales(), this.elseButton()];
  }

  /** What the numbers on the cards mean, once. */
  scales() {
    const chance = this.shown.measure === "chance" && this.shown.header.outcome ? "A chance is the model’s own estimate, not a promise. " : "";
    const ink = this.shown.header.picture ? this.ink() : null;
    return h("div", { class: "small" }, ink, h("p", {}, `${chance}Effort 1 is one number moved over its whole range.`));
  }

  ink() {
    return h("p", { class: "small" }, h("span", { class: "swatch added" }), " ink added ", h("span", { class: "swatch removed" }), " ink removed");
  }

  /** @param {Card} card @param {number} i @param {boolean} recommended */
  card(card, i, recommended) {
    const own = card.changes.find((each) => each.name === card.title);
    const label = own ? changeText(own) : card.title;
    const body = [];
    body.push(h("div", { class: "card-head" }, h("kbd", { "aria-hidden": "true" }, String(i + 1)), h("h3", {}, card.title), card.tag ? h("span", { class: "tag" }, card.tag) : null));
    if (card.picture) body.push(h("div", { class: "strip" }, h("img", { class: "ink", src: card.picture, alt: "the picture after this step" }), h("img", { class: "ink change-picture", src: card.difference, alt: "what is added and removed" })));
    if (own) {
      body.push(h("p", {}, changeLine(own)));
      for (const each of card.changes) if (each !== own) body.push(h("p", { class: "small" }, `${each.name}: `, changeLine(each)));
    } else if (card.changes.length)
      body.push(h("details", {}, h("summary", {}, "what changes"), h("ul", {}, ...card.changes.map((each) => h("li", {}, `${each.name}: `, changeLine(each))))));
    body.push(h("div", { class: "pips" }, hidden(card.words), ...card.pips.map((each) => pip(each.letter, each.colour, each.effect))));
    body.push(h("p", { class: "small" }, `effort ${number(card.effort)}${card.outlook ? ` · ${card.outlook}` : ""}`));
    body.push(h("p", { class: "small" }, `expect ${number(card.expected)} until you are there, if one step in ten falls through`));
    if (card.arrives) body.push(h("p", { class: "arrives" }, `reaches ${card.arrives}`));
    if (card.closes)
      body.push(h("p", { class: card.no_return ? "closes no-return" : "closes" }, card.no_return ? `⚠ Point of no return: closes ${card.closes} for good` : `closes ${card.closes} for good`));
    body.push(
      h(
        "div",
        { class: "buttons" },
        h("button", { class: "primary", "data-key": `take-${i}`, "aria-label": `Take this step: ${label}`, click: () => this.move({ kind: "take", vertex: card.vertex }) }, "Take this step"),
        this.host.fixed ? null : h("button", { "data-key": `cannot-${i}`, "aria-label": `I can’t do this: ${label}`, click: () => this.move({ kind: "rule out", vertex: card.vertex }) }, "I can’t do this"),
      ),
    );
    return h("article", { class: `card${recommended ? " recommended" : ""}`, "data-vertex": card.vertex, "aria-label": label }, ...body);
  }

  legend() {
    return h("p", { class: "legend small" }, pip("A", null, "nearer plain"), " gets nearer ", pip("A", null, "open plain"), " open, no help ", pip("A", null, "closed"), " closed");
  }

  elseButton() {
    if (!this.shown.settings.settings.length || this.host.fixed) return null;
    return h("button", { "data-key": "other", click: () => this.other() }, "Something else happened …");
  }

  // --- limits -----------------------------------------------------------------------------------

  limits() {
    const { settings } = this.shown;
    /** @type {Child[]} */ const parts = [h("h2", {}, "My limits")];
    if (this.host.fixed) return [...parts, h("p", { class: "small" }, this.host.fixed), ...this.ruledOut(false), ...this.fixedOnes()];
    if (!this.shown.can_replan) return [...parts, h("p", { class: "small" }, "These ways come from a graph without a model: steps can be taken and ruled out, but there are no limits to set."), ...this.ruledOut(true)];
    if (!settings.settings.length) return [...parts, h("p", { class: "small" }, "A picture has no limits to set; rule out single steps instead."), this.certainty(), ...this.ruledOut(true)];
    parts.push(h("p", { class: "small" }, "What can change, and how hard it is for you. The map follows at once."));
    const set = (/** @type {Setting} */ each) => each.used || each.ease !== "ok" || each.low != null;
    const first = settings.settings.filter(set);
    const rest = settings.settings.filter((each) => !set(each));
    parts.push(...first.map((each) => this.setting(each)));
    if (rest.length) {
      const more = /** @type {HTMLDetailsElement} */ (h("details", { class: "more", open: this.moreOpen || !(first.length || this.shown.header.reached) }, h("summary", { "data-key": "more-limits" }, `${plural(rest.length, "more thing")} that could change`), ...rest.map((each) => this.setting(each))));
      more.addEventListener("toggle", () => { this.moreOpen = more.open; });
      parts.push(more);
    }
    return [...parts, this.certainty(), ...this.ruledOut(true), ...this.fixedOnes()];
  }

  fixedOnes() {
    const { fixed } = this.shown.settings;
    return fixed.length ? [h("h3", {}, "Fixed"), h("p", { class: "small" }, `${fixed.join(", ")}: no way changes these, by the rules given.`)] : [];
  }

  /** @param {Setting} setting */
  setting(setting) {
    const group = h("fieldset", { class: `setting${setting.ease === "never" ? " never" : ""}` });
    group.append(h("legend", {}, h("span", { class: "setting-name", title: setting.about || null }, setting.label), h("span", { class: "small" }, setting.words)));
    const name = `ease-${setting.name}`;
    const row = h("div", { class: "segments" });
    for (const ease of EASES) {
      const id = `${name}-${ease}`;
      row.append(
        h("input", { type: "radio", id, name, value: ease, checked: setting.ease === ease, "data-key": id, change: () => this.ease(setting, ease) }),
        h("label", { for: id }, ease),
      );
    }
    group.append(row);
    if (setting.direction) group.append(h("div", { class: "small" }, setting.direction));
    if (setting.least !== null) group.append(this.bounds(setting));
    return group;
  }

  /** @param {Setting} setting @param {string} ease */
  ease(setting, ease) {
    const { [setting.name]: _, ...rest } = this.shown.walk.limits.ease;
    return this.setLimits({ ease: /** @type {Limits["ease"]} */ (ease === "ok" ? rest : { ...rest, [setting.name]: ease }) });
  }

  /** @param {Setting} setting */
  bounds(setting) {
    const step = setting.whole ? 1 : "any";
    const field = (/** @type {string} */ which, /** @type {number | null} */ value, /** @type {number | null} */ hint) =>
      h("input", { type: "number", step, class: "bound", "aria-label": `${setting.label}, ${which}`, "data-key": `bound-${setting.name}-${which}`, value: value ?? "", placeholder: hint ?? "", change: (/** @type {Event} */ event) => this.bound(setting, which, /** @type {HTMLInputElement} */ (event.target).value) });
    return h("div", { class: "bounds small" }, "between ", field("at least", setting.low, setting.least), " and ", field("at most", setting.high, setting.most));
  }

  /** @param {Setting} setting @param {string} which @param {string} text */
  bound(setting, which, text) {
    const { [setting.name]: _, ...rest } = this.shown.walk.limits.bounds;
    const given = text === "" ? null : Number(text);
    const low = (which === "at least" ? given : setting.low) ?? setting.least ?? 0;
    const high = (which === "at most" ? given : setting.high) ?? setting.most ?? 0;
    const free = low === setting.least && high === setting.most;
    return this.setLimits({ bounds: free ? rest : { ...rest, [setting.name]: [low, high] } });
  }

  certainty() {
    const { chance, base_chance: base } = this.shown.settings;
    if (chance == null || base == null) return null;
    const levels = [...new Set([base, 0.6, 0.7, 0.8, 0.9, chance])].filter((each) => each >= base).sort((a, b) => a - b);
    const select = h("select", { id: "certainty", "data-key": "certainty", change: (/** @type {Event} */ event) => { const value = Number(/** @type {HTMLSelectElement} */ (event.target).value); this.setLimits({ chance: value === base ? null : value }); } }, ...levels.map((each) => h("option", { value: each, selected: each === chance }, `${Number((100 * each).toPrecision(6))}%`)));
    return h("div", { class: "certainty" }, h("label", { for: "certainty" }, "How sure do you want to be? "), select);
  }

  /** @param {boolean} free */
  ruledOut(free) {
    const { ruled_out: ruled } = this.shown.settings;
    if (!ruled.length) return [];
    const limits = this.shown.walk.limits;
    const without = (/** @type {any[]} */ list, /** @type {number} */ index) => list.filter((_, i) => i !== index);
    const allow = (/** @type {import("./document").Ruled} */ each) => {
      if (each.kind === "lifted") return this.setLimits({ lifted: without(limits.lifted, each.index) });
      return this.setLimits(each.kind === "change" ? { ruled_out: without(limits.ruled_out, each.index) } : { edges: without(limits.edges, each.index) });
    };
    const lifted = ruled.filter((each) => each.kind === "lifted").length;
    const heads = [ruled.length > lifted ? "Steps you ruled out" : "", lifted ? "Rules tried without" : ""];
    const verb = (/** @type {import("./document").Ruled} */ each) => (each.kind === "lifted" ? "keep the rule" : "allow");
    const rows = ruled.map((each) =>
      h("li", {}, h("span", {}, "✕ ", each.words), free && this.shown.can_replan ? h("button", { "data-key": `allow-${each.kind}-${each.index}`, "aria-label": each.kind === "lifted" ? `Keep the rule ${each.words}` : `Allow ${each.words}`, click: () => allow(each) }, verb(each)) : null),
    );
    return [h("h3", {}, heads.filter(Boolean).join(", ")), h("ul", { class: "ruled-out" }, ...rows)];
  }

  /**
   * A few choices of which one holds.
   * @param {string} name @param {string} label @param {string[]} values @param {(value: string) => string} words
   * @param {string} now @param {(value: string) => void} set
   */
  choice(name, label, values, words, now, set) {
    return h("div", { class: "choice", role: "group", "aria-label": label }, h("span", { class: "small", "aria-hidden": "true" }, label), ...values.map((each) => h("button", { "data-key": `${name}-${each}`, "aria-pressed": String(each === now), click: () => set(each) }, words(each))));
  }

  // --- dialogs ----------------------------------------------------------------------------------

  /** @param {string} title @param {...Child} content */
  open(title, ...content) {
    const { dialog } = this.parts;
    const close = h("button", { class: "close", "aria-label": "Close", click: () => dialog.close() }, "✕");
    dialog.setAttribute("aria-label", title);
    dialog.replaceChildren(h("div", { class: "dialog-head" }, h("h2", {}, title), close), fill(h("div", { class: "dialog-body" }), {}, content));
    if (!dialog.open) dialog.showModal();
  }

  /** @param {string=} one @param {string=} two */
  compare(one, two) {
    const { ways } = this.shown;
    const a = ways.find((way) => way.letter === (one ?? this.chosen)) ?? ways[0];
    const b = ways.find((way) => way.letter === two && way !== a) ?? ways.find((way) => way !== a) ?? ways[0];
    const select = (/** @type {Way} */ now, /** @type {string} */ label, /** @type {(letter: string) => void} */ set) =>
      h("select", { "aria-label": label, change: (/** @type {Event} */ event) => set(/** @type {HTMLSelectElement} */ (event.target).value) }, ...ways.map((way) => h("option", { value: way.letter, selected: way === now }, `Way ${way.letter}`)));
    const { matrix } = this.shown;
    const [i, j] = [matrix.letters.indexOf(a.letter), matrix.letters.indexOf(b.letter)];
    const shared = matrix.shared[i][j];
    const rows = [
      ["outcome", `${a.outcome}, ${a.outlook}`, `${b.outcome}, ${b.outlook}`],
      ["effort", number(a.effort), number(b.effort)],
      ["steps", String(a.steps.length), String(b.steps.length)],
      ["things that change", String(a.changes.length || "–"), String(b.changes.length || "–")],
      ["effort that also serves the other", percent(matrix.cells[i][j]), percent(matrix.cells[j][i])],
      ["effort that also serves all others", percent(a.serves), percent(b.serves)],
    ].filter(([, left, right]) => left !== "–" || right !== "–");
    const steps = (/** @type {Way} */ way) => h("ol", { start: shared + 1 }, ...way.steps.slice(shared).map((step) => this.stepItem(step)));
    this.open(
      "Compare two ways",
      h("div", { class: "compare-heads" }, select(a, "First way", (letter) => this.compare(letter, b.letter)), select(b, "Second way", (letter) => this.compare(a.letter, letter))),
      h("h3", {}, shared ? `Together for ${plural(shared, "step")}` : "They part at once"),
      shared ? h("ol", {}, ...a.steps.slice(0, shared).map((step) => this.stepItem(step))) : null,
      h("table", { class: "compare" }, h("thead", {}, h("tr", {}, h("td", {}), ...[a, b].map((way) => h("th", { scope: "col" }, pip(way.letter, way.colour, "nearer"), ` Way ${way.letter}`)))), h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, shared ? "then" : "steps"), h("td", {}, steps(a)), h("td", {}, steps(b))), ...rows.map(([name, left, right]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, left), h("td", {}, right))))),
    );
  }

  /** A step in a list: its picture, or its words. @param {Way["steps"][number]} step */
  stepItem(step) {
    return step.picture ? h("li", {}, h("img", { class: "ink step-picture", src: step.picture, alt: step.words }), h("span", { class: "small" }, ` ${step.outlook}`)) : h("li", {}, step.words);
  }

  exporting() {
    const values = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "export-values", checked: true }));
    const button = (/** @type {string} */ format, /** @type {string} */ words, /** @type {string} */ what) =>
      h("li", {}, h("button", { "data-export": format, click: () => this.download(format, values.checked) }, words), h("span", { class: "small" }, what));
    const drawn = Object.keys(this.shown.maps).length > 0;
    this.open(
      "Export",
      h("p", {}, values, " ", h("label", { for: "export-values" }, "Include who it is about and their values now")),
      h(
        "ul",
        { class: "exports" },
        button("html", "Report", "one file that opens offline and prints, with a receipt of what was asked"),
        drawn ? button("svg", "Picture (SVG)", "the map, to enlarge at will") : null,
        drawn ? button("png", "Picture (PNG)", "the map, for documents") : null,
        button("json", "Data (JSON)", "everything on this page, for other programs"),
      ),
    );
  }

  /** @param {string} format @param {boolean} values */
  async download(format, values) {
    if (!this.host.exported) return;
    try {
      const asked = format === "png" ? "svg" : format;
      let content = await this.host.exported(this.shown.walk, asked, this.scale, values);
      if (format === "png") content = await painted(content);
      const address = URL.createObjectURL(content);
      h("a", { href: address, download: `facelift.${format}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      this.parts.dialog.close();
    } catch (fault) {
      this.fault = /** @type {Error} */ (fault).message;
      this.parts.dialog.close();
      this.draw();
    }
  }

  other() {
    const fields = this.shown.settings.settings.map((setting) => ({ setting, field: input(setting) }));
    const send = () => {
      /** @type {Record<string, unknown>} */ const values = {};
      for (const { setting, field } of fields) {
        const value = setting.levels.length ? setting.levels[Number(field.value)] : typeof setting.value === "string" ? field.value : Number(field.value);
        if (field.value !== "" && value !== setting.value) values[setting.name] = value;
      }
      this.parts.dialog.close();
      if (Object.keys(values).length) this.move({ kind: "other", values });
    };
    this.open(
      "Something else happened",
      h("p", {}, "Say how things are now. You are placed there, and the plan starts anew; your history keeps both."),
      h("div", { class: "fields" }, ...fields.map(({ setting, field }) => h("label", {}, h("span", {}, setting.label), field))),
      h("div", { class: "buttons" }, h("button", { class: "primary", "data-key": "other-send", click: send }, "This is how it is now")),
    );
  }

  help() {
    const keys = [["1 – 4", "take a step"], ["b", "say you can’t do the step in focus, or the first"], ["u", "undo"], ["c", "compare two ways"], ["e", "export"], ["↑ ↓ ← →", "on the map: between ways, along one"], ["?", "this page"]];
    this.open(
      "How to read this page",
      h("p", {}, "Every coloured line is a way from where you stand to the outcome you want. Lines that run together are steps that serve several ways; a white bar is a fork, where you decide. Farther right is more effort."),
      h("p", {}, "Under every step there is one mark per destination:"),
      this.legend(),
      h("p", {}, "Effort 1 is moving one number over its whole range at the ordinary price; “easy” halves it, “hard” doubles it. A chance is the model’s own estimate, not a promise."),
      h("p", {}, "In the words of the paper: a way is a counterfactual journey, effort its cost, what stays open is agency, what a step closes is loss of opportunity, and how far one way serves another is opportunity potential."),
      h("table", { class: "keys" }, h("tbody", {}, ...keys.map(([key, words]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, words))))),
    );
  }

  // --- keyboard and focus -----------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!this.place.isConnected) return this.left.abort();
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && /** @type {HTMLInputElement} */ (target).type !== "radio";
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.host.whole) event.stopPropagation(); // a notebook has keys of its own
    if (typing || this.parts.dialog.open) return;
    const cards = [...this.place.querySelectorAll(".card")];
    if (/^[1-4]$/.test(event.key)) return this.press(cards[Number(event.key) - 1]?.querySelector("[data-key^=take]"));
    if (event.key === "b") return this.press((target.closest(".card") ?? cards[0])?.querySelector("[data-key^=cannot]"));
    if (event.key === "u") return this.undo();
    if (event.key === "c" && this.shown.ways.length > 1) return this.compare();
    if (event.key === "e" && this.host.exported) return this.exporting();
    if (event.key === "?") return this.help();
  }

  /** @param {Element | null | undefined} button */
  press(button) {
    if (button instanceof HTMLElement) button.click();
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

/** @param {Setting} setting */
function input(setting) {
  if (!setting.levels.length) return /** @type {HTMLInputElement} */ (h("input", { type: typeof setting.value === "string" ? "text" : "number", step: setting.whole ? 1 : "any", value: setting.value, "aria-label": `${setting.label} now` }));
  const options = setting.levels.map((level, i) => h("option", { value: i, selected: level === setting.value }, setting.level_words[i]));
  return /** @type {HTMLSelectElement} */ (h("select", { "aria-label": `${setting.label} now` }, ...options));
}

/**
 * Letters moved up until none covers another.
 * @template {{x: number, y: number}} M
 * @param {M[]} marks
 */
function apart(marks) {
  /** @type {M[]} */ const placed = [];
  for (const mark of [...marks].sort((a, b) => a.x - b.x)) {
    while (placed.some((other) => Math.abs(other.x - mark.x) < 11 && Math.abs(other.y - mark.y) < 11)) mark.y -= 11;
    placed.push(mark);
  }
  return placed;
}

/** @param {number} count */
function meter(count) {
  const bar = h("span", { class: "meter", "aria-hidden": "true" });
  bar.style.width = `${Math.min(count, 7) * 8}px`;
  return bar;
}

/** A drawing as PNG, twice as large. @param {Blob} drawing @returns {Promise<Blob>} */
function painted(drawing) {
  const address = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  const picture = new Image();
  return new Promise((resolve, reject) => {
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [picture.naturalWidth * 2, picture.naturalHeight * 2];
      canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(address);
      canvas.toBlob((png) => (png ? resolve(png) : reject(new Error("The picture could not be made."))), "image/png");
    };
    picture.onerror = () => reject(new Error("The picture could not be drawn."));
    picture.src = address;
  });
}

/**
 * Draw a document into an element; moves are answered by the host.
 * @param {HTMLElement} place @param {Document} first @param {Host} host
 */
export function mount(place, first, host) {
  return new Navigator(place, first, host);
}

/**
 * The part of a notebook's model that is used here (anywidget's contract).
 * @typedef {object} Model
 * @property {(name: string) => string} get
 * @property {(message: object) => void} send
 * @property {(event: string, heard: (message: any, buffers?: DataView[]) => void) => void} on
 * @property {(event: string, heard: (message: any, buffers?: DataView[]) => void) => void} off
 */

/**
 * The same in a notebook, in a corner of its own where neither's looks and keys touch the other's:
 * the model holds the first document and the looks, and answers messages by their number.
 * @param {{model: Model, el: HTMLElement}} widget
 */
function render({ model, el }) {
  el.dataset.lmSuppressShortcuts = "true";
  const corner = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  const looks = new CSSStyleSheet();
  looks.replaceSync(model.get("looks"));
  corner.adoptedStyleSheets = [looks];
  const place = h("div");
  corner.replaceChildren(place);
  const { ask, stop } = questions(model);
  const json = async (/** @type {string} */ name, /** @type {object} */ body) => JSON.parse(await (await ask(name, body)).text());
  mount(place, JSON.parse(model.get("document")), {
    plan: (walk, move) => json("walk", { walk, move }),
    opened: (walk, limits) => json("opened", { walk, limits }),
    exported: (walk, format, scale, values) => ask("export", { walk, format, scale, values }),
  });
  return stop;
}

/**
 * Questions to a model, each with a number nobody else has, since all views of it hear all answers.
 * @param {Model} model
 */
function questions(model) {
  let asked = 0;
  const view = Math.random().toString(36).slice(2);
  /** @type {Map<string, {resolve: (value: Blob) => void, reject: (fault: Error) => void}>} */
  const waiting = new Map();
  const answered = (/** @type {any} */ message, /** @type {DataView[]} */ buffers = []) => {
    const waiter = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) waiter?.reject(new Error(message.error));
    else waiter?.resolve(new Blob(/** @type {BlobPart[]} */ (buffers), { type: message.kind }));
  };
  model.on("msg:custom", answered);
  /** @param {string} name @param {object} body @returns {Promise<Blob>} */
  const ask = (name, body) =>
    new Promise((resolve, reject) => {
      const id = `${view}-${++asked}`;
      waiting.set(id, { resolve, reject });
      setTimeout(() => answered({ id, error: "the notebook does not answer; run its cell again." }), SILENCE);
      model.send({ id, ask: name, body });
    });
  return { ask, stop: () => model.off("msg:custom", answered) };
}

export default { render };
