// What people read: sentences of the catalogue, numbers, shares and dates in the language of the page.
// @ts-check

/** What each language calls itself. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "français", pl: "polski", es: "español" };
const CHOSEN = "facelift-language";

/** @typedef {Record<string, string | string[]>} Catalogue */
/** @type {{code: string, catalogue: Catalogue}} */
const spoken = { code: "en", catalogue: {} };

/** The language the page speaks. */
export const language = () => spoken.code;

/** Speak a language from now on. @param {string} code @param {Catalogue} catalogue */
export function speak(code, catalogue) {
  [spoken.code, spoken.catalogue] = [code, catalogue];
}

/** The language that somebody chose, else the first of the browser's that there is. */
export function wanted() {
  const known = (/** @type {string | null | undefined} */ code) => code != null && code in LANGUAGES;
  try {
    const chosen = localStorage.getItem(CHOSEN);
    if (known(chosen)) return String(chosen);
  } catch {
    // a browser that keeps nothing is asked for its own languages
  }
  return navigator.languages.map((each) => each.slice(0, 2)).find(known) ?? "en";
}

/** Keep the language that somebody chose. @param {string} code */
export function choose(code) {
  try {
    localStorage.setItem(CHOSEN, code);
  } catch {
    return;
  }
}

/** Speak the language of the reader; English where its words cannot be had. @param {((code: string) => Promise<Catalogue | null>)=} words */
export async function learn(words = fetched) {
  const code = wanted();
  const known = code === "en" ? {} : await words(code).catch(() => null);
  if (known) speak(code, known);
}

/** The words of a language, from where the page came from. @param {string} code */
const fetched = (code) => fetch(`words/${code}.json`).then((response) => (response.ok ? response.json() : null));

/** @typedef {Record<string, string | number>} Values */

/** A sentence of the catalogue, with values put in. @param {string} message @param {Values=} values */
export function say(message, values) {
  return put(String(spoken.catalogue[message] ?? message), values);
}

/** One that counts, in the form that the language has for n. @param {string} one @param {string} many @param {number} n @param {Values=} values */
export function count(one, many, n, values) {
  const known = spoken.catalogue[one];
  const forms = Array.isArray(known) ? known : [one, many];
  const names = spoken.code === "pl" ? ["one", "few", "many"] : ["one", "other"];
  const at = names.indexOf(new Intl.PluralRules(spoken.code).select(n));
  return put(forms[at < 0 ? forms.length - 1 : at], { n: whole(n), ...values });
}

/** @param {string} text @param {Values=} values */
const put = (text, values) => (values ? text.replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all)) : text);

/** A whole number. @param {number} n */
export const whole = (n) => n.toLocaleString(spoken.code);

/** A number with two decimals. @param {number} value */
export const number = (value) => value.toLocaleString(spoken.code, { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false });

/** A share in whole percent. @param {number | null | undefined} share @param {number=} digits */
export const percent = (share, digits = 0) => (share == null ? "–" : share.toLocaleString(spoken.code, { style: "percent", maximumFractionDigits: digits }));

/** A date in words. @param {Date} date @param {Intl.DateTimeFormatOptions=} parts */
export const written = (date, parts = { day: "numeric", month: "long", year: "numeric" }) => date.toLocaleDateString(spoken.code === "en" ? "en-GB" : spoken.code, parts);

/** A number with its unit. @param {number} value @param {string} unit @param {boolean} integer */
export function quantity(value, unit, integer) {
  const digits = integer ? { maximumFractionDigits: 0 } : Math.abs(value) < 100 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 2 };
  const n = value.toLocaleString(spoken.code, digits);
  return unit ? `${n} ${unitWords(unit, value)}` : n;
}

/** A unit in its form for a number; one that is not in the catalogue as it stands. @param {string} unit @param {number} value */
export function unitWords(unit, value = 2) {
  const n = Number.isInteger(value) ? value : 2;
  if (unit === "years") return count("year", "years", n);
  if (unit === "months") return count("month", "months", n);
  if (unit === "weeks") return count("week", "weeks", n);
  if (unit === "days") return count("day", "days", n);
  return unit;
}
