// Conclusions: sentences of the catalogue with the figures they rest on.
import { h } from "./dom.js";
import { parts, shortNumber, t, unitWord } from "./messages.js";
import { asNumber, rowName } from "./data.js";
import { sign } from "./provenance.js";

/// What stands in a gap: a figure with unit and origin, a row by its axes, a metric, or words.
function shown(table, argument, known) {
  if ("text" in argument) return argument.text;
  if ("tag" in argument) {
    const about = table.tagged(argument.tag)[0]?.description;
    return h("code", { title: about }, argument.tag);
  }
  if ("row" in argument) return h("b", { class: "row-name" }, rowName(table, argument.row, known));
  const number = asNumber(argument.value), unit = argument.unit;
  const text = number === undefined ? String(argument.value) : shortNumber(number);
  return h("span", { class: "figure", title: `${argument.value}${unit && ` ${unit}`} (${t(`provenance.${argument.provenance}`)})` },
    h("b", {}, unit ? `${text}\u00a0${unitWord(unit, number)}` : text), sign(argument.provenance));
}

/// The sentence; `onrows(rows, button)` is called when the reader wants to see what it rests on.
export function sentence(table, conclusion, onrows) {
  const values = { ...conclusion.arguments };
  // Plural forms go by the argument "count".
  const count = values.count && asNumber(values.count.value);
  const known = ["gpu", "n"].filter((axis) => axis in values);
  const show = (v) => shown(table, v === count ? conclusion.arguments.count : v, known);
  const text = parts(conclusion.message, count === undefined ? values : { ...values, count }, show);
  const rows = conclusion.rows;
  return h("li", { "data-message": conclusion.message }, h("span", {}, text), rows.length > 0 && onrows
    && h("button", { type: "button", class: "link rows", onclick: () => onrows(rows) }, t("conclusion.rows", { count: rows.length })));
}
