// The sentences of a launch in the reader's language. The data have them in English, and what fills the gaps of a message.
import { h } from "./dom.js";
import { aboutText, currentLanguage, optional, parts, spoken } from "./messages.js";
import { count, digits, time } from "./words.js";

const listed = (items) => new Intl.ListFormat(currentLanguage(), { type: "conjunction" }).format(items);

/// "launch.word.blocks" → "bloky"; a description in English that the catalogue may have under "about.".
const word = (key) => (key.startsWith("about.") ? aboutText(key.slice("about.".length)) : optional(key, key.slice(key.lastIndexOf(".") + 1)));

function shown(gap, longest) {
  if ("count" in gap) return count(gap.count);
  if ("ms" in gap) return time(gap.ms, longest);
  if ("words" in gap) return listed(gap.words.map(word));
  if ("parts" in gap) return gap.parts.map(saidText).join(", ");
  return "text" in gap ? gap.text : digits(gap.number);
}

/// What was said ({text, message, with}) as one text.
export function saidText(said) {
  if (currentLanguage() === "en" || !said.message || optional(said.message, "") === "") return said.text;
  const longest = Math.max(0, ...Object.values(said.with).map((gap) => gap.ms ?? 0));  // times of a sentence have one unit
  return parts(said.message, said.with, (gap) => shown(gap, longest), (gap) => ("count" in gap ? spoken(gap.count) : Number(gap.number.toPrecision(3)))).join("");
}

/// The same for the page; what stands between backquotes is code.
export const sentence = (said) => saidText(said).split("`").map((part, k) => (k % 2 ? h("code", {}, part) : part));
