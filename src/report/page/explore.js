// A plot that the reader puts together.
import { PlotCard } from "./plotcard.js";
import { h } from "./dom.js";
import { t } from "./messages.js";

/// A card with choices of x, y and lines; undefined where the table has nothing to plot.
export function explorer(table, start) {
  const axes = table.axes.filter((a) => a.varies && a.key !== "study").map((a) => a.key);
  if (table.tile) axes.push("rx*ry");
  const tags = [...new Set(table.columns.filter((c) => c.numeric).map((c) => c.tag))];
  if (axes.length === 0 || tags.length === 0) return undefined;
  const plot = { title: "", x: start?.x ?? axes[0], y: [start?.y[0].split("@")[0] ?? tags[0]], series: start?.series ?? [], filter: {} };
  const place = h("div");
  let card;
  const draw = () => {
    card = new PlotCard(table, plot, 0);
    place.replaceChildren(card.empty ? h("p", { class: "remark" }, t("plot.nothing")) : card.root);
  };
  const menu = (label, values, chosen, set) => h("label", {}, `${label} `, h("select", { onchange: (e) => { set(e.target.value); draw(); } },
    values.map(([value, words]) => h("option", { value, selected: value === chosen }, words))));
  const axisName = (a) => [a, a === "rx*ry" ? t("axis.results_per_thread") : t(`axis.${a}`)];
  const same = (tag) => [tag, tag];
  const root = h("details", { class: "explorer" }, h("summary", {}, t("plot.own")),
    h("div", { class: "choices" }, menu("y", tags.map(same), plot.y[0], (v) => (plot.y = [v])),
      menu("x", [...axes.map(axisName), ...tags.map(same)], plot.x, (v) => (plot.x = v)),
      menu(t("plot.lines"), [["", "–"], ...axes.filter((a) => a !== "rx*ry").map(axisName), ...(table.tile ? [["tile", t("axis.tile")]] : [])], plot.series[0] ?? "", (v) => (plot.series = v ? [v] : []))),
    place);
  root.addEventListener("toggle", () => { if (root.open && !card) draw(); });
  return root;
}
