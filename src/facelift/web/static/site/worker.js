// Python in the browser: loads Pyodide and facelift, then answers the messages that a notebook answers.
// @ts-check

/** @typedef {{postMessage: (message: object, moved?: Transferable[]) => void}} Port */
/** @typedef {{pyodide: string, packages: string[], wheel: string, start: string}} Settings */
/** From a message as text to its answer as text and content. @typedef {(message: string) => {toJs: () => [string, Uint8Array], destroy: () => void}} Answer */

/** Pages that listen. @type {Set<Port>} */
const pages = new Set();
/** @type {Promise<Answer> | null} */
let python = null;
let stage = "python";

/** Say how far loading is. @param {string} now */
function tell(now) {
  stage = now;
  for (const page of pages) page.postMessage({ stage });
}

/** @returns {Promise<Answer>} */
async function load() {
  /** @type {Settings} */
  const settings = await (await fetch("../site.json")).json();
  const place = new URL(settings.pyodide, new URL("../", location.href)).href;
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const loaded = await loadPyodide({ indexURL: place });
  tell("packages");
  await loaded.loadPackage(settings.packages);
  const missing = settings.packages.filter((name) => !(name in loaded.loadedPackages));
  if (missing.length) throw new Error(`${place} has no ${missing.join(", ")}`);
  tell("facelift");
  const wheel = await fetch(`../${settings.wheel}`);
  loaded.unpackArchive(await wheel.arrayBuffer(), "wheel");
  const answer = loaded.runPython(settings.start);
  tell("ready");
  return answer;
}

/** @param {Port} page @param {{id: string}} message */
async function answered(page, message) {
  try {
    const answer = await (python ??= load());
    const told = answer(JSON.stringify(message));
    const [head, content] = told.toJs();
    told.destroy();
    page.postMessage({ ...JSON.parse(head), content }, [content.buffer]);
  } catch (fault) {
    page.postMessage({ id: message.id, error: `Python in this page failed: ${fault}` });
  }
}

/** @param {Port & {onmessage: ((event: MessageEvent) => void) | null}} page */
function welcome(page) {
  pages.add(page);
  page.postMessage({ stage });
  page.onmessage = (event) => answered(page, event.data);
}

const here = /** @type {any} */ (self);
if ("onconnect" in here) here.onconnect = (/** @type {MessageEvent} */ event) => welcome(/** @type {any} */ (event.ports[0]));
else welcome(here);
