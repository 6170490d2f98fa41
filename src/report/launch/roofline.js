// The roofline: what the launch reaches, under the roof of each level of memory.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";
import { digits, wordOf } from "./words.js";

const kRoofWidth = 640, kRoofHeight = 360, kRoofLeft = 76, kRoofRight = 16, kRoofTop = 14, kRoofBottom = 42;

export function roofline(r) {
  const top = Math.max(...r.roofs.map((f) => f.rate), r.rate, 1e-9);
  const points = r.levels.map((l) => ({ ...l, x: r.work / l.bytes }));
  const ridges = r.levels.map((l) => top / l.bandwidth);
  const xs = [...points.map((p) => p.x), ...ridges], x0 = Math.log10(Math.min(...xs)) - 0.5, x1 = Math.log10(Math.max(...xs)) + 0.7;
  const y1 = Math.log10(top) + 0.3, y0 = Math.min(Math.log10(Math.max(r.rate, top * 1e-7)) - 0.6, y1 - 2);
  const x = (v) => kRoofLeft + ((Math.log10(v) - x0) / (x1 - x0)) * (kRoofWidth - kRoofLeft - kRoofRight);
  const y = (v) => kRoofTop + ((y1 - Math.log10(v)) / (y1 - y0)) * (kRoofHeight - kRoofTop - kRoofBottom);
  const root = svg("svg", { class: "roofline", viewBox: `0 0 ${kRoofWidth} ${kRoofHeight}`, role: "img", "aria-label": "Roofline" });
  for (let k = Math.ceil(x0); k <= x1; ++k) root.append(svg("line", { class: "grid", x1: x(10 ** k), x2: x(10 ** k), y1: kRoofTop, y2: kRoofHeight - kRoofBottom }), svg("text", { class: "tick mid", x: x(10 ** k), y: kRoofHeight - kRoofBottom + 16 }, digits(10 ** k)));
  for (let k = Math.ceil(y0); k <= y1; ++k) root.append(svg("line", { class: "grid", y1: y(10 ** k), y2: y(10 ** k), x1: kRoofLeft, x2: kRoofWidth - kRoofRight }), svg("text", { class: "tick end", x: kRoofLeft - 6, y: y(10 ** k) + 4 }, digits(10 ** k)));
  root.append(svg("text", { class: "label mid", x: (kRoofLeft + kRoofWidth) / 2, y: kRoofHeight - 6 }, wordOf(r.per_byte)), svg("text", { class: "label", x: 14, y: kRoofHeight / 2, transform: `rotate(-90 14 ${kRoofHeight / 2})`, "text-anchor": "middle" }, wordOf(r.unit)));
  const left = 10 ** x0, floor = 10 ** y0;
  r.levels.forEach((l, k) => {
    const from = Math.max(left, floor / l.bandwidth), to = top / l.bandwidth;
    if (to > from) root.append(svg("line", { class: `roof c${k}`, x1: x(from), y1: y(from * l.bandwidth), x2: x(to), y2: y(top) }));
  });
  r.roofs.forEach((f) => root.append(svg("line", { class: "roof peak", x1: x(Math.min(...r.levels.map((l) => f.rate / l.bandwidth), 10 ** x1)), x2: kRoofWidth - kRoofRight, y1: y(f.rate), y2: y(f.rate) }),
    svg("text", { class: "tick end", x: kRoofWidth - kRoofRight - 2, y: y(f.rate) - 5 }, `${wordOf(f.name)} ${digits(f.rate)} ${wordOf(r.unit)}`)));
  points.forEach((p, k) => root.append(svg("line", { class: `drop c${k}`, x1: x(p.x), x2: x(p.x), y1: y(r.rate), y2: y(Math.min(top, p.x * p.bandwidth)) }),
    svg("circle", { class: `point c${k}`, cx: x(p.x), cy: y(r.rate), r: 6 }, svg("title", {}, `${wordOf(p.name)}: ${digits(p.x)} ${wordOf(r.per_byte)}, ${digits(r.rate)} / ${digits(Math.min(top, p.x * p.bandwidth))} ${wordOf(r.unit)}`))));
  const legend = h("ul", { class: "legend" }, points.map((p, k) => h("li", {}, h("i", { class: `c${k}` }), `${wordOf(p.name)}: ${digits(p.bandwidth)} GB/s; ${digits(p.x)} ${wordOf(r.per_byte)}, `,
    h("strong", {}, t("roofline.of_roof", { percent: digits(100 * r.rate / Math.min(top, p.x * p.bandwidth)) })))));
  return h("div", {}, root, legend);
}
