// The page's host: asks the server it came from, and nobody else.
// @ts-check
import { post as posted } from "./navigator/asking.js";
import { mount } from "./navigator/navigator.js";

/** The address says whom one walks as. @param {string} path @param {unknown} body */
const post = (path, body) => posted(path + location.search, body);

/** @type {import("./navigator/navigator.js").Host} */
const host = {
  whole: true,
  plan: async (walk, move) => (await post("api/walk", { walk, move })).json(),
  tried: async (walk, values, correction, ways) => (await post("api/try", { walk, values, correction, ways })).json(),
  opened: async (walk, limits) => (await post("api/opened", { walk, limits })).json(),
  exported: async (walk, format, scale, values) =>
    (await post("api/export", { walk, format, scale, values })).blob(),
};

const place = /** @type {HTMLElement} */ (document.getElementById("navigator"));
post("api/walk", {})
  .then((response) => response.json())
  .then((first) => mount(place, first, host))
  .catch((fault) => {
    place.textContent = `facelift: ${fault.message}`;
  });

if (location.search.includes("person=")) {
  const table = new URLSearchParams(location.search).get("table");
  const back = Object.assign(document.createElement("a"), { className: "everybody-link", textContent: "‹ Everybody" });
  back.href = table ? `./?table=${encodeURIComponent(table)}` : "./";
  place.before(back);
}
