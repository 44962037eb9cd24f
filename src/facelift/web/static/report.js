
// @ts-check
import { mount } from "./navigator/navigator.js";
import { say, speak } from "./navigator/words.js";

// The report's host: a file that holds the answers it has.
const told = JSON.parse(document.getElementById("told")?.textContent ?? "");
speak(told.language, told.words);
document.body.classList.add("with-script");
mount(/** @type {HTMLElement} */ (document.getElementById("navigator")), told.first, {
  fixed: told.fixed,
  whole: true,
  plan: async (walk, move) => {
    const known = move?.kind === "take" && told.answers[[...(walk.walked ?? []), move.vertex].join("-")];
    if (!known) throw new Error(say("This was not worked out for the report; run facelift explore."));
    return known;
  },
});
