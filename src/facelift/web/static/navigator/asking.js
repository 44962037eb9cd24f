// Asking the server that the page came from, and nobody else; on a site without one, Python in a worker.
// @ts-check
import { pythonAt } from "./python.js";
import { language, say } from "./words.js";

/** @type {HTMLMetaElement | null} */
const worker = document.querySelector("meta[name=facelift-worker]");

/** Send a question. @type {(path: string, body: unknown) => Promise<Response>} */
export const send = worker ? pythonAt(worker.content) : (path, body) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** @param {string} path @param {object} body @returns {Promise<Response>} */
export async function post(path, body) {
  const response = await send(path, { ...body, spoken: language() });
  if (response.ok) return response;
  const told = await response.json().catch(() => ({ error: say("The server answered {status}.", { status: response.status }) }));
  throw new Error(told.error);
}

/** The same, with the answer read. @param {string} path @param {object} body @returns {Promise<any>} */
export const ask = async (path, body) => (await post(path, body)).json();

/** Give a file to keep. @param {Blob} blob @param {string} name */
export function keep(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
