// Asking the server that the page came from, and nobody else.
// @ts-check

/** @param {string} path @param {unknown} body @returns {Promise<Response>} */
export async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return response;
  const told = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  throw new Error(told.error);
}

/** The same, with the answer read. @param {string} path @param {unknown} body @returns {Promise<any>} */
export const ask = async (path, body) => (await post(path, body)).json();

/** Give a file to keep. @param {Blob} blob @param {string} name */
export function keep(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
