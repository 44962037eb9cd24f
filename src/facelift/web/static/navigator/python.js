// Python in a worker instead of a server: asked by the messages of a notebook, answered as a server would.
// @ts-check
import { say } from "./words.js";

/** What loading waits for. @type {Record<string, () => string>} */
const STAGES = {
  python: () => say("Loading Python into this page; the first time takes longest …"),
  packages: () => say("Loading NumPy, SciPy, pandas and scikit-learn …"),
  facelift: () => say("Starting facelift …"),
};

/**
 * Ask a worker, which all pages of a site share where the browser can; what it says while it loads is shown.
 * @param {string} script @returns {(path: string, body: unknown) => Promise<Response>}
 */
export function pythonAt(script) {
  /** @type {Map<string, (answer: Response) => void>} */
  const waiting = new Map();
  const banner = Object.assign(document.createElement("p"), { className: "banner loading", role: "status" });
  document.body.prepend(banner);
  const port = portOf(script);
  let asked = 0;
  port.onmessage = (/** @type {MessageEvent} */ event) => {
    const { id, stage, error, kind, content } = event.data;
    if (stage) {
      banner.hidden = !(stage in STAGES);
      banner.textContent = STAGES[stage]?.() ?? "";
    }
    const told = error ? Response.json({ error }, { status: 422 }) : new Response(content, { headers: { "Content-Type": kind ?? "" } });
    waiting.get(id)?.(told);
    waiting.delete(id);
  };
  return (path, body) =>
    new Promise((resolve) => {
      const [name, query] = path.replace(/^api\//, "").split("?");
      const id = String(++asked);
      waiting.set(id, resolve);
      port.postMessage({ id, ask: name, query: Object.fromEntries(new URLSearchParams(query)), body });
    });
}

/** @param {string} script @returns {MessagePort | Worker} */
function portOf(script) {
  if (!("SharedWorker" in window)) return new Worker(script, { type: "module" });
  const options = { type: "module", extendedLifetime: true };
  return new SharedWorker(script, /** @type {WorkerOptions} */ (options)).port;
}
