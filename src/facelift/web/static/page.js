// The page's host: asks the server it came from, and nobody else; what it remembers stands in its address.
// @ts-check
import { send } from "./navigator/asking.js";
import { packed, unpacked } from "./navigator/memory.js";
import { mount } from "./navigator/navigator.js";
import { choose, language, learn, say } from "./navigator/words.js";

/** @typedef {import("./navigator/memory.js").State} State */

/** Milliseconds until a server that is gone is asked again. */
const AGAIN = 1500;
const place = /** @type {HTMLElement} */ (document.getElementById("navigator"));
/** @type {import("./navigator/navigator.js").Navigator | null} */
let page = null;

/** @param {string} path @param {unknown} body @returns {Promise<Response>} */
async function post(path, body) {
  const response = await reached(path, body);
  if (response.ok) return response;
  const told = await response.json().catch(() => ({ error: say("The server answered {status}.", { status: response.status }) }));
  throw new Error(told.error);
}

/** The answer of the server about whom the address names, however long it is gone. @param {string} path @param {unknown} body */
async function reached(path, body) {
  for (;;) {
    try {
      const response = await send(path + location.search, body);
      page?.setAway(false);
      return response;
    } catch {
      page?.setAway(true);
      if (!page) place.textContent = say("facelift is not running; this page goes on when it is back.");
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }
}

/** Changes of the address, one after the other. */
let writing = Promise.resolve();
/** How many moves deep the browser's history stands. */
let depth = history.state?.depth ?? 0;
/** From how deep on the page knows what it showed. */
let known = depth;
/** Whether we go through it ourselves. */
let travelling = false;

/** @param {State} state @param {"push" | "replace" | "back" | "forward"} how */
async function write(state, how) {
  if (how === "back" || how === "forward") await travelled(how);
  const address = `#walk=${await packed(state)}`;
  if (how === "push") history.pushState({ depth: ++depth }, "", address);
  else history.replaceState({ depth }, "", address);
}

/** Go back or forward in the browser's own history, where there is somewhere to go. @param {"back" | "forward"} how */
async function travelled(how) {
  if (how === "back" && !depth) return;
  travelling = true;
  await new Promise((resolve) => {
    addEventListener("popstate", resolve, { once: true });
    setTimeout(resolve, 400);
    history[how]();
  });
  travelling = false;
  depth = history.state?.depth ?? 0;
}

/** @type {import("./navigator/navigator.js").Host} */
const host = {
  whole: true,
  plan: async (walk, move) => (await post("api/walk", { walk, move, spoken: language() })).json(),
  tried: async (walk, values, correction, ways) => (await post("api/try", { walk, values, correction, ways, spoken: language() })).json(),
  opened: async (walk, limits) => (await post("api/opened", { walk, limits })).json(),
  exported: async (walk, format, scale, values) =>
    (await post("api/export", { walk, format, scale, values, spoken: language() })).blob(),
  planned: async (walk, way) => (await post("api/plan", { walk, way, spoken: language() })).json(),
  letter: async (walk, way, language) => (await post("api/plan", { walk, way, language })).blob(),
  remember: (state, how) => {
    writing = writing.then(() => write(state, how));
  },
  link: async (state) => `${location.href.split("#")[0]}#walk=${await packed(state)}`,
  speak: (code) => {
    choose(code);
    writing.then(() => location.reload());
  },
  earlier: () => known > 0 && (() => history.back()),
};

addEventListener("popstate", async (event) => {
  if (travelling || !page) return;
  const sent = event.state === null;
  const by = sent ? 1 : event.state.depth - depth;
  depth += by;
  await page.working; // what was clicked before counts before
  if (by === -1 && page.before.length) page.takeBack();
  else if (!sent && by === 1 && page.after.length) page.takeAgain();
  else {
    if (!sent) known = depth;
    await page.recall(await unpacked(location.hash), location.hash.length > 1, sent);
  }
  if (!page.fault) page.remember("replace");
});

/** The page as its address says, else from the start. */
async function begin() {
  await learn();
  document.documentElement.lang = language();
  linkBack();
  if (!history.state) history.replaceState({ depth }, "");
  const state = await unpacked(location.hash);
  const start = async () => (await post("api/walk", { spoken: language() })).json();
  const first = state ? await post("api/walk", { walk: state.walk, spoken: language() }).then((response) => response.json(), start) : await start();
  const ours = state && first.case === state.case;
  page = mount(place, ours || !state ? first : await start(), host);
  if (ours) page.adopt(state);
  else if (location.hash.length > 1) page.strange();
}

begin().catch((fault) => {
  place.textContent = `facelift: ${fault.message}`;
});

/** A link back to everybody, where the address names one of them. */
function linkBack() {
  if (!location.search.includes("person=")) return;
  const table = new URLSearchParams(location.search).get("table");
  const back = Object.assign(document.createElement("a"), { className: "everybody-link", textContent: `‹ ${say("Everybody")}` });
  back.href = table ? `./?table=${encodeURIComponent(table)}` : "./";
  place.before(back);
}
