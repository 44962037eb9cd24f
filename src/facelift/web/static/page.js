// The page's host: asks the server it came from, and nobody else.
// @ts-check
import { mount } from "./navigator/navigator.js";

/** @param {string} path @param {unknown} body @returns {Promise<Response>} */
async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return response;
  const told = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  throw new Error(told.error);
}

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
