// A plot with its title, what the reader can choose, its legend and its tools.
import { Chart } from "./chart.js";
import { badge, dashOf, pointForm } from "./provenance.js";
import { h, save, svg } from "./dom.js";
import { seriesOf } from "./series.js";
import { standalone } from "./svgfile.js";
import { optional, t } from "./messages.js";
import { tableCsv } from "./csv.js";

const kColours = 8;

/// A title for a plot that has none.
export function plotTitle(data) {
  return t("plot.against", { y: data.y.label, x: data.x.label });
}

const fileNameOf = (title) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").slice(0, 60) || "plot";

export class PlotCard {
  constructor(table, plot, number) {
    Object.assign(this, { table, plot, number, wanted: new Map(), hidden: new Set(), logX: plot.log_x, logY: plot.log_y });
    this.chart = new Chart();
    this.title = h("figcaption");
    this.choices = h("div", { class: "choices" });
    this.legend = h("ul", { class: "legend" });
    this.remark = h("p", { class: "remark" });
    const toggle = (key, words) => h("button", { type: "button", class: `toggle ${key}`, "aria-pressed": "false", onclick: () => { this[key] = !this[key]; this.chart.zoomed = undefined; this.update(); } }, words);
    this.toggleX = toggle("logX", t("plot.log_x"));
    this.toggleY = toggle("logY", t("plot.log_y"));
    const tool = (name, words, title, act) => h("button", { type: "button", class: name, title, "aria-label": title, onclick: act }, words);
    this.tools = h("div", { class: "tools" }, this.toggleX, this.toggleY,
      tool("zoom-in", "+", t("plot.zoom_in"), () => this.chart.zoom(0.7)),
      tool("zoom-out", "−", t("plot.zoom_out"), () => this.chart.zoom(1.4)),
      tool("zoom-reset", "⤢", t("plot.zoom_reset"), () => this.chart.reset()),
      tool("save-svg", "SVG", t("plot.save_svg"), () => save(`${fileNameOf(this.words)}.svg`, "image/svg+xml", this.svgText())),
      tool("save-data", "CSV", t("plot.save_csv"), () => save(`${fileNameOf(this.words)}.csv`, "text/csv", this.csv())));
    this.root = h("figure", { class: "plot" }, h("div", { class: "plot-head" }, this.title, this.tools), this.choices, this.chart.root,
      this.legend, this.remark);
    this.update();
  }

  /// Whether the table has nothing for this plot, or one value that nothing stands beside.
  get empty() {
    return !this.data || this.data.lines.flatMap((l) => l.points).length + this.data.references.length < 2;
  }

  update() {
    this.data = seriesOf(this.table, this.plot, this.wanted);
    if (!this.data) return;
    this.paint([...this.data.lines, ...this.data.references]);
    this.words = this.plot.title ? optional(`plot.title.${this.plot.title}`, this.plot.title) : plotTitle(this.data);
    this.title.replaceChildren(h("b", {}, this.number ? `${t("plot.figure", { number: this.number })} ` : ""), this.words);
    this.chart.title = this.words;
    this.drawChoices();
    this.drawLegend();
    for (const [button, on] of [[this.toggleX, this.logX], [this.toggleY, this.logY]]) button.setAttribute("aria-pressed", String(Boolean(on)));
    this.toggleX.hidden = !this.data.x.numeric;
    this.chart.show(this.data, this.logX, this.logY);
    const remarks = [];
    if (this.chart.left_out > 0) remarks.push(t("plot.left_out", { count: this.chart.left_out }));
    if (this.data.lines.some((l) => l.merged)) remarks.push(t("plot.median"));
    if (this.data.thinned) remarks.push(t("plot.thinned", this.data.thinned));
    this.remark.textContent = remarks.join(" ");
  }

  /// A colour for each group of lines, or, where there are more groups than colours, for each value of their first axis,
  /// and shades of it. One group alone: its origins are told apart by colour as well.
  paint(lines) {
    const groups = [...new Set(lines.map((l) => l.group))];
    const firsts = [...new Set(lines.map((l) => l.first))];
    const shades = groups.length > kColours && firsts.length > 1;
    lines.forEach((l, i) => {
      l.colour = groups.length === 1 ? i : shades ? firsts.indexOf(l.first) : groups.indexOf(l.group);
      const within = shades ? [...new Set(lines.filter((o) => o.first === l.first).map((o) => o.group))] : [l.group];
      l.shade = within.length > 1 ? 1 - (0.65 * within.indexOf(l.group)) / (within.length - 1) : 1;
      l.hidden = this.hidden.has(l.name);
    });
  }

  drawChoices() {
    this.choices.replaceChildren(...this.data.choices.map((c) => {
      const menu = h("select", { "data-axis": c.axis, onchange: (e) => { this.wanted.set(c.axis, e.target.value); this.chart.zoomed = undefined; this.update(); } },
        c.values.map((v) => h("option", { value: v, selected: v === c.chosen }, v)));
      return h("label", {}, `${t(`axis.${c.axis}`)} `, menu);
    }));
  }

  drawLegend() {
    const item = (l, reference) => h("li", {}, h("button", {
      type: "button", "aria-pressed": String(!l.hidden), class: "key",
      onclick: () => { this.hidden.has(l.name) ? this.hidden.delete(l.name) : this.hidden.add(l.name); this.update(); },
    }, svg("svg", { class: "sample", width: 30, height: 12, viewBox: "-15 -6 30 12", style: `color:var(--c${l.colour % kColours});opacity:${l.shade}`, "aria-hidden": "true" },
      svg("path", { class: reference ? "reference" : "curve", d: "M-15,0H15", "stroke-dasharray": reference ? null : dashOf(l.column.provenance) }),
      !reference && pointForm(l.column.provenance)), l.name));
    const origins = [...new Set([...this.data.lines, ...this.data.references].map((l) => l.column.provenance))];
    this.legend.replaceChildren(...this.data.lines.map((l) => item(l, false)), ...this.data.references.map((r) => item(r, true)));
    if (origins.length === 1) this.legend.append(h("li", { class: "origins" }, badge(origins[0])));
  }

  /// The rows drawn, with everything that tells them apart.
  csv() {
    const rows = [...new Set([...this.data.lines.flatMap((l) => l.points), ...this.data.references].map((p) => p.row))].sort((a, b) => a - b);
    const columns = [...new Set([...this.data.lines, ...this.data.references].map((l) => l.column))];
    return tableCsv([...this.table.axes.filter((a) => a.varies), ...columns], rows);
  }

  svgText() {
    const choices = this.data.choices.map((c) => `${t(`axis.${c.axis}`)} ${c.chosen}`).join(", ");
    return standalone(this.chart.element, this.words, choices,
      [...this.data.lines, ...this.data.references].filter((l) => !l.hidden));
  }
}
