// One chart: axes, lines or bars, values under the cursor, zoom. Drawn with d3's scales and shapes as SVG.
import { axisNumber, shortNumber, t, unitName } from "./messages.js";
import { dashOf, pointForm } from "./provenance.js";
import { h, svg } from "./dom.js";

const d3 = globalThis.d3;
const kHeight = 300, kTop = 14, kRight = 18, kLeft = 66;
const kBottom = 46, kSlanted = 84;  // below the plot, with words along it or slanted
const kFewTicks = 12, kWidestBar = 60;
const kMostMarks = 1600;  // points and error bars of a chart; with more, lines alone are read and drawn faster
let charts = 0;

const colour = (index) => `var(--c${index % 8})`;

/// A word that has room below an axis: without folders, and not too long.
function shortWord(word) {
  const last = word.split("/").at(-1);
  return last.length > 14 ? `${last.slice(0, 13)}…` : last;
}

/// Positive numbers only, on a logarithmic scale.
const visible = (log) => (v) => Number.isFinite(v) && (!log || v > 0);

function numericScale(values, log, range, fromZero) {
  let [low, high] = d3.extent(values);
  if (low === undefined) [low, high] = log ? [1, 10] : [0, 1];
  if (log) {
    const pad = low === high ? 2 : Math.pow(high / low, 0.05);
    return d3.scaleLog([low / pad, high * pad], range);
  }
  if (fromZero && low > 0) low = 0;
  if (fromZero && high < 0) high = 0;
  const pad = low === high ? Math.abs(low) || 1 : (high - low) * 0.05;
  const scale = d3.scaleLinear([fromZero && low === 0 ? 0 : low - pad, fromZero && high === 0 ? 0 : high + pad], range);
  return fromZero ? scale.nice() : scale;
}

/// Tick values that a scale of this length has room for.
function ticksOf(scale, log, length, exact) {
  const [low, high] = d3.extent(scale.domain());
  const inside = exact.filter((v) => v >= low && v <= high);
  if (inside.length > 1 && inside.length <= kFewTicks) {
    const kept = [];
    for (const v of inside) if (kept.length === 0 || Math.abs(scale(v) - scale(kept.at(-1))) > 34) kept.push(v);
    return kept;
  }
  const wanted = Math.max(2, Math.floor(length / 60));
  if (!log) return scale.ticks(wanted);
  const decades = Math.log10(high / low);
  const all = decades < 0.5 ? d3.ticks(low, high, wanted) : scale.ticks(10);
  const leading = (v) => Math.round(v / Math.pow(10, Math.floor(Math.log10(v) + 1e-9)));
  const keep = decades < 0.5 ? () => true : decades < 2 ? (v) => [1, 2, 5].includes(leading(v)) : (v) => leading(v) === 1;
  let kept = all.filter(keep);
  while (kept.length > 2 * wanted) kept = kept.filter((_, i) => i % 2 === 0);
  return kept;
}

export class Chart {
  /// `onhover`: nothing; a chart shows its own values. `data` as seriesOf gives it, with line.colour and line.hidden.
  constructor() {
    this.id = `clip${++charts}`;
    this.element = svg("svg", { class: "chart", tabindex: 0, role: "img" });
    this.tip = h("div", { class: "tip", role: "status" });
    this.root = h("div", { class: "chart-box" }, this.element, this.tip);
    this.zoomed = undefined;
    this.listen();
    new ResizeObserver(() => { if (!this.fixed && this.root.clientWidth !== this.width) this.draw(); }).observe(this.root);
  }

  show(data, logX, logY) {
    Object.assign(this, { data, logX: logX && data.x.numeric, logY });
    this.draw();
  }

  /// Draws for a width of its own (paper), until it is called without one.
  fix(width) {
    this.fixed = width;
    this.draw();
  }

  reset() {
    this.zoomed = undefined;
    this.draw();
  }

  scales() {
    const lines = this.data.lines.filter((l) => !l.hidden);
    const width = this.width - kLeft - kRight;
    const points = lines.flatMap((l) => l.points);
    const goodX = this.data.x.numeric ? visible(this.logX) : () => true, goodY = visible(this.logY);
    const shown = points.filter((p) => goodX(p.x) && goodY(p.y));
    const references = this.data.references.filter((r) => !r.hidden && goodY(r.y));
    this.left_out = points.length - shown.length;
    const ways = new Set(shown.map((p) => p.x));
    this.slanted = !this.data.x.numeric && [...ways].some((v) => shortWord(v).length * 7 > width / ways.size);
    const height = kHeight - kTop - (this.slanted ? kSlanted : kBottom);
    const ends = shown.flatMap((p) => [p.low, p.high]).filter((v) => v !== undefined && goodY(v));
    const ys = [...shown.map((p) => p.y), ...ends, ...references.map((r) => r.y)];
    this.y = numericScale(ys, this.logY, [height, 0], true);
    this.exactX = [...new Set(shown.map((p) => p.x))];
    if (this.data.x.numeric) {
      this.x = numericScale(this.exactX, this.logX, [0, width], false);
      this.exactX.sort((a, b) => a - b);
    } else {
      this.x = d3.scaleBand(this.exactX, [0, width]).paddingInner(0.2).paddingOuter(0.15);
    }
    if (this.zoomed) {
      this.y.domain(this.zoomed.y);
      if (this.data.x.numeric) this.x.domain(this.zoomed.x);
    }
    return { lines, references, shown: (p) => goodX(p.x) && goodY(p.y), width, height };
  }

  draw() {
    if (!this.data) return;
    this.width = this.fixed ?? (this.root.clientWidth || 560);
    const { lines, references, shown, width, height } = this.scales();
    const node = this.element;
    node.setAttribute("viewBox", `0 0 ${this.width} ${kHeight}`);
    node.setAttribute("width", this.width);
    node.setAttribute("height", kHeight);
    const plot = svg("g", { transform: `translate(${kLeft},${kTop})` });
    const clip = svg("clipPath", { id: this.id }, svg("rect", { x: -6, y: -6, width: width + 12, height: height + 12 }));
    const marks = svg("g", { "clip-path": `url(#${this.id})` });
    this.drawAxes(plot, width, height);
    this.mostMarks = kMostMarks / Math.max(1, lines.length);
    for (const r of references) this.drawReference(marks, r, width);
    if (this.data.x.numeric) for (const l of lines) this.drawLine(marks, l, l.points.filter(shown));
    else this.drawBars(marks, lines, shown, height);
    this.focus = svg("g", { class: "focus" });
    this.selection = svg("rect", { class: "selection", visibility: "hidden" });
    plot.append(marks, this.focus, this.selection);
    node.setAttribute("aria-label", this.title ?? "");
    node.replaceChildren(clip, plot);
    this.shown = { lines, references, shown, width, height };
    this.tip.hidden = true;
  }

  drawAxes(plot, width, height) {
    const text = (x, y, anchor, words, kind = "tick") => svg("text", { x, y, "text-anchor": anchor, class: kind }, words);
    for (const v of ticksOf(this.y, this.logY, height, [])) {
      const y = this.y(v);
      plot.append(svg("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y }), text(-8, y + 4, "end", axisNumber(v)));
    }
    const bands = !this.data.x.numeric;
    const places = bands ? this.exactX : ticksOf(this.x, this.logX, width, this.exactX.every(Number.isInteger) ? this.exactX : []);
    for (const v of places) {
      const x = bands ? this.x(v) + this.x.bandwidth() / 2 : this.x(v);
      if (!bands) plot.append(svg("line", { class: "grid", x1: x, x2: x, y1: 0, y2: height }));
      const words = bands ? shortWord(v) : axisNumber(v);
      const tick = this.slanted ? text(0, 0, "end", words) : text(x, height + 17, "middle", words);
      if (this.slanted) tick.setAttribute("transform", `translate(${x + 4},${height + 12}) rotate(-40)`);
      tick.append(svg("title", {}, String(v)));
      plot.append(tick);
    }
    plot.append(svg("line", { class: "axis-line", x1: 0, x2: width, y1: height, y2: height }));
    const words = (q, log) => [q.several ? q.unit : q.label + (q.unit ? ` (${unitName(q.unit)})` : ""), log && t("plot.log")].filter(Boolean).join(" – ");
    const short = (label, room) => (label.length * 6.6 > room ? `${label.slice(0, Math.floor(room / 6.6) - 1)}…` : label);
    plot.append(text(width / 2, height + (this.slanted ? kSlanted : kBottom) - 8, "middle", short(words(this.data.x, this.logX), width + 60), "label"));
    const side = text(0, 0, "middle", short(words(this.data.y, this.logY), height + 50), "label");
    side.setAttribute("transform", `translate(${-kLeft + 14},${height / 2 + 10}) rotate(-90)`);
    plot.append(side);
  }

  drawReference(marks, r, width) {
    const y = this.y(r.y);
    marks.append(svg("g", { style: `color:${colour(r.colour)}` },
      svg("line", { class: "reference", x1: 0, x2: width, y1: y, y2: y }),
      svg("text", { class: "tick reference-name", x: 4, y: y - 4 }, r.name)));
  }

  drawLine(marks, line, points) {
    const group = svg("g", { class: "line", style: `color:${colour(line.colour)}` });
    // Several rows at one x: the line goes through their median.
    const groups = d3.rollups(points, (ps) => d3.median(ps, (p) => p.y), (p) => p.x);
    line.merged = groups.length < points.length;
    const path = d3.line((p) => this.x(p[0]), (p) => this.y(p[1]));
    group.append(svg("path", { class: "curve", d: path(groups) ?? "", "stroke-dasharray": dashOf(line.column.provenance) }));
    if (points.length <= this.mostMarks) {
      for (const p of points) this.drawSpan(group, p, this.x(p.x));
      for (const p of points)
        group.append(pointForm(line.column.provenance, { transform: `translate(${this.x(p.x)},${this.y(p.y)})` }));
    }
    marks.append(group);
  }

  /// The band of a prediction, or the quartiles of a measurement, as an error bar.
  drawSpan(group, p, x) {
    if (p.low === undefined) return;
    const bottom = this.logY && p.low <= 0 ? this.y.range()[0] : this.y(p.low), top = this.y(p.high), half = 3.5;
    group.append(svg("path", { class: "span", d: `M${x - half},${top}H${x + half}M${x},${top}V${bottom}M${x - half},${bottom}H${x + half}` }));
  }

  drawBars(marks, lines, shown, height) {
    const count = Math.max(1, lines.length), width = Math.min(this.x.bandwidth() / count, kWidestBar), zero = this.logY ? height : this.y(0);
    const left = (this.x.bandwidth() - count * width) / 2;
    lines.forEach((line, i) => {
      const group = svg("g", { class: "bars", style: `color:${colour(line.colour)}` });
      for (const p of line.points.filter(shown)) {
        const y = this.y(p.y);
        group.append(svg("rect", {
          class: line.column.provenance === "counted" || line.column.provenance === "measured" ? "bar" : "bar hollow",
          x: this.x(p.x) + left + i * width + 0.5, width: Math.max(1, width - 1), y: Math.min(y, zero), height: Math.max(0.5, Math.abs(zero - y)),
        }));
        this.drawSpan(group, p, this.x(p.x) + left + (i + 0.5) * width);
      }
      marks.append(group);
    });
  }

  // --- the reader's hand

  listen() {
    const node = this.element;
    const place = (e) => {
      const box = node.getBoundingClientRect(), scale = this.width / box.width;
      return [(e.clientX - box.left) * scale - kLeft, (e.clientY - box.top) * scale - kTop];
    };
    let start;
    node.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || e.pointerType === "touch") return;
      start = place(e);
      node.setPointerCapture(e.pointerId);
    });
    node.addEventListener("pointermove", (e) => {
      const at = place(e);
      if (start) this.drag(start, at);
      else this.hover(at);
    });
    node.addEventListener("pointerup", (e) => {
      if (start) this.drop(start, place(e));
      start = undefined;
    });
    node.addEventListener("pointerleave", () => { if (!start) this.leave(); });
    node.addEventListener("dblclick", () => this.reset());
    node.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      this.zoom(Math.exp(e.deltaY * 0.002), place(e));
    }, { passive: false });
    node.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (step) {
        e.preventDefault();
        this.step(step);
      } else if (e.key === "Escape") this.leave();
      else if (e.key === "+") this.zoom(0.7);
      else if (e.key === "-") this.zoom(1.4);
      else if (e.key === "0") this.reset();
    });
    node.addEventListener("blur", () => this.leave());
  }

  drag([x0, y0], [x1, y1]) {
    const { width, height } = this.shown;
    const clamp = (v, high) => Math.max(0, Math.min(v, high));
    const wide = this.data.x.numeric;
    const [a, b] = wide ? [clamp(Math.min(x0, x1), width), clamp(Math.max(x0, x1), width)] : [0, width];
    const [c, d] = [clamp(Math.min(y0, y1), height), clamp(Math.max(y0, y1), height)];
    for (const [k, v] of Object.entries({ x: a, y: c, width: b - a, height: d - c, visibility: "visible" })) this.selection.setAttribute(k, v);
    this.leave();
  }

  drop([x0, y0], [x1, y1]) {
    this.selection.setAttribute("visibility", "hidden");
    const wide = this.data.x.numeric;
    if (Math.abs(y1 - y0) < 6 || (wide && Math.abs(x1 - x0) < 6)) return;
    const span = (scale, a, b) => d3.extent([scale.invert(a), scale.invert(b)]);
    this.zoomed = { x: wide ? span(this.x, x0, x1) : undefined, y: span(this.y, y0, y1) };
    this.draw();
  }

  /// Shows `factor` times as much around a place.
  zoom(factor, at) {
    const { width, height } = this.shown;
    const [x, y] = at ?? [width / 2, height / 2];
    const span = (scale, centre, length) => [0, length].map((edge) => scale.invert(centre + (edge - centre) * factor)).sort((a, b) => a - b);
    this.zoomed = { x: this.data.x.numeric ? span(this.x, x, width) : undefined, y: span(this.y, y, height) };
    this.draw();
  }

  position(x) {
    return this.data.x.numeric ? this.x(x) : this.x(x) + this.x.bandwidth() / 2;
  }

  hover([x, y]) {
    const { width, height } = this.shown;
    if (x < -10 || x > width + 10 || y < -10 || y > height + 10) return this.leave();
    const nearest = d3.least(this.exactX, (v) => Math.abs(this.position(v) - x));
    if (nearest !== undefined) this.point(nearest, y);
  }

  step(by) {
    const at = this.exactX.indexOf(this.current);
    const next = this.exactX[Math.max(0, Math.min(this.exactX.length - 1, at < 0 ? 0 : at + by))];
    if (next !== undefined) this.point(next, 0);
  }

  /// Marks the values at `x` and lists them.
  point(x, pointer) {
    this.current = x;
    const { lines, references, shown, height } = this.shown;
    const here = lines.flatMap((l) => l.points.filter((p) => p.x === x && shown(p)).map((p) => ({ line: l, p })));
    here.sort((a, b) => b.p.y - a.p.y);
    const px = this.position(x);
    this.focus.replaceChildren(svg("line", { class: "cross", x1: px, x2: px, y1: 0, y2: height }));
    if (this.data.x.numeric)
      for (const { line, p } of here)
        this.focus.append(svg("circle", { cx: px, cy: this.y(p.y), r: 7, class: "ring", style: `color:${colour(line.colour)}` }));
    const entry = ({ column, colour: index, unit }, name, y, span) => h("tr", {},
      h("td", {}, h("span", { class: "swatch", style: `background:${colour(index)}` }), name),
      h("td", { class: "number" }, shortNumber(y)), h("td", { class: "unit" }, unit, span && ` (${shortNumber(span.low)}–${shortNumber(span.high)})`), h("td", { class: "origin" }, t(`provenance.${column.provenance}`)));
    const head = this.data.x.numeric ? `${this.data.x.label} = ${shortNumber(x)}${this.data.x.unit && ` ${this.data.x.unit}`}` : x;
    this.tip.replaceChildren(h("strong", {}, head), h("table", {}, h("tbody", {},
      here.slice(0, 14).map(({ line, p }) => entry(line, [line.name, p.detail].filter(Boolean).join(" · "), p.y, p.low !== undefined && p)),
      references.map((r) => entry(r, r.name, r.y)))));
    if (here.length > 14) this.tip.append(h("small", {}, t("plot.more", { count: here.length - 14 })));
    this.tip.hidden = false;
    const scale = this.element.getBoundingClientRect().width / this.width, tip = this.tip.offsetWidth;
    const at = (kLeft + px) * scale, gap = 14, room = this.element.getBoundingClientRect().width;
    let top = kTop + pointer;
    if (at + gap + tip < room) this.tip.style.left = `${at + gap}px`;
    else if (at - gap - tip > 0) this.tip.style.left = `${at - gap - tip}px`;
    else {
      // No room on either side: away from the pointer, above or below.
      this.tip.style.left = `${Math.max(0, Math.min(at - tip / 2, room - tip))}px`;
      top = pointer > height / 2 ? 0 : kHeight;
    }
    this.tip.style.top = `${Math.max(0, Math.min(top, kHeight - this.tip.offsetHeight))}px`;
  }

  leave() {
    this.focus?.replaceChildren();
    this.tip.hidden = true;
    this.current = undefined;
  }
}
