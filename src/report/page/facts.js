// What was run and on what: lists of facts and small tables of figures.
import { cellText, columnHead } from "./table.js";
import { h } from "./dom.js";
import { optional, t } from "./messages.js";
import { sign } from "./provenance.js";

/// A list for each group, in the order of the data.
export function factLists(facts) {
  const groups = Map.groupBy ? Map.groupBy(facts, (f) => f.group) : facts.reduce((m, f) => m.set(f.group, [...(m.get(f.group) ?? []), f]), new Map());
  return [...groups].map(([group, items]) => h("section", { class: "facts" }, h("h3", {}, optional(`facts.${group}`, group)),
    h("dl", {}, items.map((f) => [h("dt", {}, optional(`fact.${f.name}`, f.name)),
      h("dd", {}, f.name === "command" ? h("code", {}, f.text) : f.text)]))));
}

/// A small table; one with more figures than rows has its figures below each other.
export function figures(table) {
  const axes = table.axes.filter((a) => a.varies || a.key === "gpu");
  const rows = Array.from({ length: table.rows }, (_, i) => i);
  const title = h("caption", {}, optional(`extra.${table.title}`, table.title));
  if (table.columns.length <= 8)
    return h("div", { class: "scroller small" }, h("table", { class: "data" }, title, h("thead", {}, h("tr", {}, [...axes, ...table.columns].map((c) => h("th", {}, columnHead(c))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, [...axes, ...table.columns].map((c) => h("td", { class: c.numeric ? "number" : "word", title: c.description }, cellText(c, row))))))));
  return h("details", { class: "listing" }, h("summary", {}, optional(`extra.${table.title}`, table.title)), h("div", { class: "scroller small" }, h("table", { class: "data upright" },
    h("thead", {}, h("tr", {}, h("th", {}), rows.map((row) => h("th", {}, axes.map((a) => a.text(row)).join(" · "))), h("th", {}, t("figures.unit")), h("th", {}, t("figures.about")))),
    h("tbody", {}, table.columns.map((c) => h("tr", {}, h("th", { scope: "row" }, sign(c.provenance), " ", c.tag),
      rows.map((row) => h("td", { class: c.numeric ? "number" : "word" }, cellText(c, row) || "–")), h("td", { class: "unit" }, c.shown.unit), h("td", { class: "about" }, c.description)))))));
}
