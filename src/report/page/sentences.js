// Conclusions: sentences of the catalogue with the figures they rest on.
import { h } from "./dom.js";
import { metricName, optional, parts, readableUnit, shortNumber, t, unitWord } from "./messages.js";
import { asNumber, rowName } from "./data.js";
import { sign } from "./provenance.js";

/// What stands in a gap: a figure with unit and origin, a row by its axes, a metric, or words.
function shown(table, argument, known, grammaticalCase) {
  if ("text" in argument) return argument.text;
  if ("figures" in argument) return argument.figures.map((key) => optional(`figure.${key}`, key.replaceAll("_", " "))).join(", ");
  if ("tag" in argument) {
    const about = table.tagged(argument.tag)[0]?.description;
    return h("span", { class: "metric-name", title: about ? `${argument.tag}: ${about}` : argument.tag }, metricName(argument.tag));
  }
  if ("message" in argument) return t(argument.message);
  if ("row" in argument) return h("b", { class: "row-name" }, rowName(table, argument.row, known));
  const number = asNumber(argument.value), unit = argument.unit;
  const { unit: read, factor } = readableUnit(unit, Math.abs(number ?? 0));
  const text = number === undefined ? String(argument.value) : shortNumber(number * factor);
  if (argument.derived) return unit ? `${text}\u00a0${unit}` : text;
  return h("span", { class: "figure", title: `${argument.value}${unit && ` ${unit}`} (${t(`provenance.${argument.provenance}`)})` },
    h("b", {}, unit ? `${text}\u00a0${unitWord(read, number, grammaticalCase)}` : text), sign(argument.provenance));
}

/// `known`: axes that the thought has named already.
function sentence(table, conclusion, known) {
  const numberOf = (v) => (typeof v === "object" ? asNumber(v.value) : Number(v));
  const text = parts(conclusion.message, conclusion.arguments, (v, grammaticalCase) => shown(table, v, known, grammaticalCase), numberOf);
  return h("span", { "data-message": conclusion.message }, text, " ");
}

const kShown = 3;  // thoughts at the top; the others are folded

/// Sentences that go on from each other, with the rows that they rest on and the axes that they have named.
function groups(table, conclusions) {
  const items = [];
  for (const c of conclusions) {
    if (!c.goesOn || items.length === 0) items.push({ sentences: [], rows: new Set(), known: [], key: c.message });
    const item = items.at(-1);
    item.known.push(...["gpu", "n"].filter((axis) => axis in c.arguments));
    item.sentences.push(sentence(table, c, item.known));
    for (const row of c.rows) item.rows.add(row);
  }
  return items;
}

const rowsButton = (rows, onrows) => rows.size > 0
  && h("button", { type: "button", class: "link rows", onclick: () => onrows([...rows]) }, t("conclusion.rows", { count: rows.size }));

/// A list, an item for each thought, those behind the third folded; `onrows(rows)` is called when the reader wants to see what it
/// rests on.
export function thoughts(table, conclusions, onrows) {
  const items = groups(table, conclusions).map(({ sentences, rows }) => h("li", {}, sentences[0], sentences.length > 1 && h("div", { class: "further" }, sentences.slice(1), rowsButton(rows, onrows)), sentences.length === 1 && rowsButton(rows, onrows)));
  if (items.length <= kShown + 1) return h("ul", { class: "sentences" }, items);
  const rest = items.splice(kShown);
  return h("div", {}, h("ul", { class: "sentences" }, items),
    h("details", { class: "more" }, h("summary", {}, t("conclusion.more", { count: rest.length })), h("ul", { class: "sentences" }, rest)));
}

/// The verdict: a card for each answer, in the order of the data.
export function verdictCards(table, verdict, onrows) {
  return h("div", { class: "verdict" }, groups(table, verdict).map(({ key, sentences, rows }) => {
    const answer = key.split(".")[1];
    return h("div", { class: `answer ${answer}` }, h("h3", {}, t(`verdict.head.${answer}`)), sentences.map((s) => h("p", {}, s)), answer !== "sure" && rowsButton(rows, onrows));
  }));
}
