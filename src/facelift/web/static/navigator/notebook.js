// The navigator in a notebook, as anywidget wants it.
// @ts-check

import { mount } from "./navigator.js";
import { h } from "./parts.js";
import { language, learn, say } from "./words.js";

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
  const talk = async (/** @type {string} */ name, /** @type {object} */ body) => ask(name, { ...body, spoken: language() });
  const json = async (/** @type {string} */ name, /** @type {object} */ body) => JSON.parse(await (await talk(name, body)).text());
  /** @type {import("./navigator.js").Host} */
  const host = {
    plan: (walk, move) => json("walk", { walk, move }),
    tried: (walk, values, correction, ways) => json("try", { walk, values, correction, ways }),
    planned: (walk, way) => json("plan", { walk, way }),
    letter: (walk, way, language) => ask("plan", { walk, way, language }),
    opened: async (walk, limits) => JSON.parse(await (await ask("opened", { walk, limits })).text()),
    exported: (walk, format, scale, values) => talk("export", { walk, format, scale, values }),
  };
  const begin = async () => {
    await learn(async (code) => JSON.parse(await (await ask("words", { code })).text()));
    const first = language() === "en" ? JSON.parse(model.get("document")) : await json("walk", {});
    mount(place, first, host);
  };
  begin().catch((fault) => { place.textContent = `facelift: ${fault.message}`; });
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
      setTimeout(() => answered({ id, error: say("the notebook does not answer; run its cell again.") }), SILENCE);
      model.send({ id, ask: name, body });
    });
  return { ask, stop: () => model.off("msg:custom", answered) };
}

export default { render };
