// Dialogs: comparing two ways, exporting, saying what else happened, and help.
// @ts-check

import { effortWords, fill, h, pip, pipLegend } from "./parts.js";
import { linkPart } from "./share.js";
import { keysOn, switchKeys } from "./switches.js";
import { count, percent, say } from "./words.js";

/** @typedef {import("../document").Setting} Setting */
/** @typedef {import("../document").WayWords} Way */
/** @typedef {import("./navigator.js").Navigator} Navigator */
/** @typedef {import("./parts.js").Child} Child */

/** @param {Navigator} nav @param {string} title @param {...Child} content */
export function openDialog(nav, title, ...content) {
  const { dialog } = nav.parts;
  const close = h("button", { class: "close", "aria-label": say("Close"), click: () => dialog.close() }, "✕");
  dialog.setAttribute("aria-label", title);
  dialog.replaceChildren(h("div", { class: "dialog-head" }, h("h2", {}, title), close), fill(h("div", { class: "dialog-body" }), {}, content));
  if (!dialog.open) dialog.showModal();
}

/** @param {Navigator} nav @param {string=} one @param {string=} two */
export function compareDialog(nav, one, two) {
  const { ways } = nav.shown;
  const a = ways.find((way) => way.letter === (one ?? nav.chosen)) ?? ways[0];
  const b = ways.find((way) => way.letter === two && way !== a) ?? ways.find((way) => way !== a) ?? ways[0];
  const select = (/** @type {Way} */ now, /** @type {string} */ label, /** @type {(letter: string) => void} */ set) =>
    h("select", { "aria-label": label, change: (/** @type {Event} */ event) => set(/** @type {HTMLSelectElement} */ (event.target).value) }, ...ways.map((way) => h("option", { value: way.letter, selected: way === now }, say("Way {way}", { way: way.letter }))));
  const { matrix } = nav.shown;
  const [i, j] = [matrix.letters.indexOf(a.letter), matrix.letters.indexOf(b.letter)];
  const shared = matrix.shared[i][j];
  const rows = [
    [say("outcome"), `${a.outcome}, ${a.outlook}`, `${b.outcome}, ${b.outlook}`],
    [say("effort"), effortWords(a.size, a.effort), effortWords(b.size, b.effort)],
    [say("steps"), String(a.steps.length), String(b.steps.length)],
    [say("things that change"), String(a.changes.length || "–"), String(b.changes.length || "–")],
    [say("effort that also serves the other"), percent(matrix.cells[i][j]), percent(matrix.cells[j][i])],
    [say("effort that also serves all others"), percent(a.serves), percent(b.serves)],
  ].filter(([, left, right]) => left !== "–" || right !== "–");
  const steps = (/** @type {Way} */ way) => h("ol", { start: shared + 1 }, ...way.steps.slice(shared).map((step) => stepItem(step)));
  openDialog(
    nav,
    say("Compare two ways"),
    h("div", { class: "compare-heads" }, select(a, say("First way"), (letter) => compareDialog(nav, letter, b.letter)), select(b, say("Second way"), (letter) => compareDialog(nav, a.letter, letter))),
    h("h3", {}, shared ? count("Together for {n} step", "Together for {n} steps", shared) : say("They part at once")),
    shared ? h("ol", {}, ...a.steps.slice(0, shared).map((step) => stepItem(step))) : null,
    h("table", { class: "compare" }, h("thead", {}, h("tr", {}, h("td", {}), ...[a, b].map((way) => h("th", { scope: "col" }, pip(way.letter, way.colour, "nearer"), ` ${say("Way {way}", { way: way.letter })}`)))), h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, shared ? say("then") : say("steps")), h("td", {}, steps(a)), h("td", {}, steps(b))), ...rows.map(([name, left, right]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, left), h("td", {}, right))))),
  );
}

/** A step in a list: its picture, or its words. @param {Way["steps"][number]} step */
function stepItem(step) {
  return step.picture ? h("li", {}, h("img", { class: "ink step-picture", src: step.picture, alt: step.words }), h("span", { class: "small" }, ` ${step.outlook}`)) : h("li", {}, step.words);
}

/** @param {Navigator} nav */
export function exportDialog(nav) {
  const values = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "export-values", checked: true }));
  const button = (/** @type {string} */ format, /** @type {string} */ words, /** @type {string} */ what) =>
    h("li", {}, h("button", { "data-export": format, click: () => download(nav, format, values.checked) }, words), h("span", { class: "small" }, what));
  const drawn = Object.keys(nav.shown.maps).length > 0;
  openDialog(
    nav,
    say("Share"),
    ...linkPart(nav),
    nav.host.link ? h("h3", {}, say("As a file")) : null,
    h("p", {}, values, " ", h("label", { for: "export-values" }, say("Include who it is about and their values now"))),
    h(
      "ul",
      { class: "exports" },
      button("html", say("Report"), say("one file that opens offline and prints, with a receipt of what was asked")),
      drawn ? button("svg", say("Picture (SVG)"), say("the map, to enlarge at will")) : null,
      drawn ? button("png", say("Picture (PNG)"), say("the map, for documents")) : null,
      button("json", say("Data (JSON)"), say("everything on this page, for other programs")),
    ),
  );
}

/** @param {Navigator} nav @param {string} format @param {boolean} values */
async function download(nav, format, values) {
  if (!nav.host.exported) return;
  try {
    const asked = format === "png" ? "svg" : format;
    let content = await nav.host.exported(nav.shown.walk, asked, nav.scale, values);
    if (format === "png") content = await painted(content);
    const address = URL.createObjectURL(content);
    h("a", { href: address, download: `facelift.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    nav.parts.dialog.close();
  } catch (fault) {
    nav.fault = /** @type {Error} */ (fault).message;
    nav.parts.dialog.close();
    nav.draw();
  }
}

/** @param {Navigator} nav */
export function otherDialog(nav) {
  const fields = nav.shown.settings.settings.map((setting) => ({ setting, field: input(setting) }));
  const send = () => {
    /** @type {Record<string, unknown>} */ const values = {};
    for (const { setting, field } of fields) {
      const value = setting.levels.length ? setting.levels[Number(field.value)] : typeof setting.value === "string" ? field.value : Number(field.value);
      if (field.value !== "" && value !== setting.value) values[setting.name] = value;
    }
    nav.parts.dialog.close();
    if (Object.keys(values).length) nav.move({ kind: "other", values });
  };
  openDialog(
    nav,
    say("Something else happened"),
    h("p", {}, say("Say how things are now. You are placed there, and the plan starts anew; your history keeps both.")),
    h("div", { class: "fields" }, ...fields.map(({ setting, field }) => h("label", {}, h("span", {}, setting.label), field))),
    h("div", { class: "buttons" }, h("button", { class: "primary", "data-key": "other-send", click: send }, say("This is how it is now"))),
  );
}

/** @param {Navigator} nav */
export function helpDialog(nav) {
  const keys = [["1 – 4", say("take a step")], ["b", say("say you can’t do the step in focus, or the first")], ["u", say("undo")], ["r", say("redo")], ["c", say("compare two ways")], ["e", say("export")], ["↑ ↓ ← →", say("on the map: between ways, along one")], ["?", say("this page")]];
  openDialog(
    nav,
    say("How to read this page"),
    h("p", {}, say("Every coloured line is a way from where you stand to the outcome you want. Lines that run together are steps that serve several ways; a bar across them is a fork, where you decide.")),
    h("p", {}, say("Under every step there is one mark per destination:")),
    pipLegend(),
    h("p", {}, say("Effort 1 is moving one number over its usual range at the ordinary price; “easy” halves it, “hard” doubles it. A chance is the model’s own estimate, not a promise.")),
    h("p", {}, say("In the words of the paper: a way is a counterfactual journey, effort its cost, what stays open is agency, what a step closes is loss of opportunity, and how far one way serves another is opportunity potential.")),
    h("p", {}, h("input", { type: "checkbox", id: "single-keys", checked: keysOn(), change: (/** @type {Event} */ event) => switchKeys(/** @type {HTMLInputElement} */ (event.target).checked) }), " ", h("label", { for: "single-keys" }, say("Single keys act as said here; without the tick only the arrow keys on the map do."))),
    h("table", { class: "keys" }, h("tbody", {}, ...keys.map(([key, words]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, words))))),
  );
}

/** @param {Setting} setting */
function input(setting) {
  if (!setting.levels.length) return /** @type {HTMLInputElement} */ (h("input", { type: typeof setting.value === "string" ? "text" : "number", step: setting.whole ? 1 : "any", value: setting.value, "aria-label": say("{name} now", { name: setting.label }) }));
  const options = setting.levels.map((level, i) => h("option", { value: i, selected: level === setting.value }, setting.level_words[i]));
  return /** @type {HTMLSelectElement} */ (h("select", { "aria-label": say("{name} now", { name: setting.label }) }, ...options));
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
      canvas.toBlob((png) => (png ? resolve(png) : reject(new Error(say("The picture could not be made.")))), "image/png");
    };
    picture.onerror = () => reject(new Error(say("The picture could not be drawn.")));
    picture.src = address;
  });
}
