// The navigator in a notebook, as anywidget wants it.
// @ts-check

import { mount } from "./navigator.js";
import { h } from "./parts.js";

const SILENCE = 120_000;

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
    tried: (walk, values, correction, ways) => json("try", { walk, values, correction, ways }),
    planned: (walk, way) => json("plan", { walk, way }),
    letter: (walk, way, language) => ask("plan", { walk, way, language }),
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
