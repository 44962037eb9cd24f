// What a page remembers, as text for its address: the walk and the plans, packed; nothing is kept elsewhere.
// @ts-check

/** @typedef {import("../document").Walk} Walk */
/**
 * A way that was starred: the walk it was seen on, its letter, and what was ticked off.
 * @typedef {{name: string, letter: string, walk: Walk, begin: string, done: string[]}} Plan
 */
/**
 * All there is to remember; `case` tells whose it is, `values` whether it holds what they have now.
 * @typedef {{case: string, walk: Partial<Walk>, plans: Plan[], values: boolean}} State
 */

/** A state as text for an address. @param {State} state @returns {Promise<string>} */
export async function packed(state) {
  const told = new TextEncoder().encode(JSON.stringify(state.values ? state : withoutValues(state)));
  const bytes = await streamed(told, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state in an address; null where there is none, or nothing that can be read. @param {string} text @returns {Promise<State | null>} */
export async function unpacked(text) {
  const code = text.slice(text.indexOf("#") + 1).replace(/^walk=/, "");
  if (!code) return null;
  try {
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await streamed(bytes, new DecompressionStream("deflate-raw"))));
    return typeof state?.case === "string" && typeof state.walk === "object" && Array.isArray(state.plans) ? state : null;
  } catch {
    return null;
  }
}

/** Limits without numbers, and no walk: what says nothing of the values somebody has. @param {State} state @returns {State} */
function withoutValues(state) {
  const { limits } = state.walk;
  const bare = limits && { ...limits, bounds: {}, ruled_out: [], edges: [] };
  return { ...state, walk: bare ? { limits: bare } : {}, plans: [] };
}

/** @param {Uint8Array} bytes @param {GenericTransformStream} through @returns {Promise<Uint8Array>} */
async function streamed(bytes, through) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(/** @type {ReadableWritablePair} */ (/** @type {unknown} */ (through)));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
