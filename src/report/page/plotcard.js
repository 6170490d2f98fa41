// A plot with its title, what the reader can choose, its legend and its tools.
import { Chart } from "./chart.js";
import { badge, dashOf, pointForm } from "./provenance.js";
import { h, save, svg } from "./dom.js";
import { seriesOf } from "./series.js";
import { standalone } from "./svgfile.js";
import { optional, t, unitName } from "./messages.js";
import { tableCsv } from "./csv.js";

const kColours = 8;

/// An error bar for the legend.
const spanSample = () => svg("svg", { class: "sign", viewBox: "-7 -7 14 14", width: 12, height: 12, "aria-hidden": "true" }, svg("path", { class: "span", d: "M-4,-6H4M0,-6V6M-4,6H4" }));

/// A title for a plot that has none.
export function plotTitle(data) {
  return t("plot.against", { y: data.y.label, x: data.x.label });
}

const fileNameOf = (title) => title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").slice(0, 60) || "plot";

export class PlotCard {
  /// `facet`, `order`: as facetsOf gives them.
  constructor(table, plot, number, { facet, order } = {}) {
    Object.assign(this, { table, plot, number, facet, order, wanted: new Map(), hidden: new Set(), logX: plot.log_x, logY: plot.log_y });
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

  renumber(number) {
    this.number = number;
    this.update();
  }

  /// Whether the table has nothing for this plot, or one value that nothing stands beside.
  get empty() {
    return !this.data || this.data.lines.flatMap((l) => l.points).length + this.data.references.length < 2;
  }

  /// Whether all its points stand in one place along x, where a line would show nothing.
  get flat() {
    return new Set(this.data?.lines.flatMap((l) => l.points.map((p) => p.x))).size < 2;
  }

  update() {
    this.data = seriesOf(this.table, this.plot, this.wanted);
    if (!this.data) return;
    this.paint([...this.data.lines, ...this.data.references]);
    this.words = this.plot.title ? optional(`plot.title.${this.plot.title}`, this.plot.title) : plotTitle(this.data);
    if (this.facet) this.words += `, ${t(`axis.${this.facet.axis}`)} ${this.facet.value}`;
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
    if (this.many) {
      const groups = new Set([...this.data.lines, ...this.data.references].map((l) => l.group));
      remarks.push(t("plot.too_many", { shown: this.drawn.length, count: groups.size }));
    }
    if (this.data.thinned) remarks.push(t("plot.thinned", this.data.thinned));
    this.remark.textContent = remarks.join(" ");
  }

  /// A colour for each group of lines that is drawn: no two have the same. Of more groups than colours, those are drawn that
  /// the reader asked for last; at first, some all along the list. One group alone: its origins are told apart by colour.
  paint(lines) {
    const groups = [...new Set(lines.map((l) => l.group))];
    this.many = groups.length > kColours;
    if (this.many) {
      this.drawn = (this.drawn ?? groups.filter((_, i) => Math.floor((i * kColours) / groups.length) !== Math.floor(((i - 1) * kColours) / groups.length)))
        .filter((g) => groups.includes(g));
      const free = Array.from({ length: kColours }, (_, i) => i);
      this.colours = new Map([...(this.colours ?? [])].filter(([g, c]) => this.drawn.includes(g) && free.splice(free.indexOf(c), 1).length));
      for (const g of this.drawn) if (!this.colours.has(g)) this.colours.set(g, free.shift());
    }
    lines.forEach((l, i) => {
      l.colour = this.many ? (this.colours.get(l.group) ?? 0) : groups.length === 1 && !this.order ? i : (this.order ?? groups).indexOf(l.group);
      l.hidden = this.many ? !this.drawn.includes(l.group) : this.hidden.has(l.name);
    });
  }

  /// Shows a line or hides it; of more groups than colours, a group, in the place of the one that is drawn for longest.
  toggle(line) {
    if (!this.many) this.hidden.has(line.name) ? this.hidden.delete(line.name) : this.hidden.add(line.name);
    else if (this.drawn.includes(line.group)) this.drawn = this.drawn.filter((g) => g !== line.group);
    else this.drawn = [...this.drawn, line.group].slice(-kColours);
    this.update();
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
      onclick: () => this.toggle(l),
    }, svg("svg", { class: "sample", width: 30, height: 12, viewBox: "-15 -6 30 12", style: `color:${this.many && l.hidden ? "var(--faint)" : `var(--c${l.colour % kColours})`}`, "aria-hidden": "true" },
      svg("path", { class: reference ? "reference" : "curve", d: "M-15,0H15", "stroke-dasharray": reference ? null : dashOf(l.column.provenance) }),
      !reference && pointForm(l.column.provenance)), l.name));
    const origins = [...new Set([...this.data.lines, ...this.data.references].map((l) => l.column.provenance))];
    this.legend.replaceChildren(...this.data.lines.map((l) => item(l, false)), ...this.data.references.map((r) => item(r, true)));
    const unit = this.data.y.several || this.data.y.unit.includes(",") ? "" : this.data.y.unit;
    const spans = this.data.lines.some((l) => !l.hidden && l.points.some((p) => p.low !== undefined));
    const about = [unit && h("span", { class: "unit" }, unitName(unit)), spans && h("span", {}, spanSample(), t(origins.includes("modelled") ? "plot.band" : "plot.quartiles")), origins.length === 1 && badge(origins[0])].filter(Boolean);
    if (about.length > 0) this.legend.append(h("li", { class: "origins" }, about));
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
