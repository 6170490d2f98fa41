// The roofline of each GPU with the study's rows under the roofs of its levels of memory.
import { axisNumber, shortNumber, t } from "./messages.js";
import { h, svg } from "./dom.js";
import { pointForm } from "./provenance.js";
import { rowName } from "./data.js";

const kWide = 560, kHigh = 330, kSides = { left: 58, right: 14, top: 18, bottom: 42 };
const kSector = 32, kBankBytes = 4;  // bytes
const kMostPoints = 400, kMostGpus = 8;
const kLevels = [["dram", 0], ["l2", 4], ["l1", 2]];  // name, colour of its roof

/// The first column of this tag with numbers, as row → number.
function reading(table, tag, provenance) {
  const of = table?.tagged(tag).filter((c) => c.numeric && (!provenance || c.provenance === provenance)) ?? [];
  return (row) => { for (const c of of) { const v = c.number(row); if (Number.isFinite(v)) return v; } return undefined; };
}

/// By GPU: roofs in 10^9 work items per second, bandwidths in GB/s. Those of which a figure is missing are left out.
function roofsOf(extras) {
  const table = extras.find((e) => e.title === "gpu_figures") ?? extras.find((e) => e.title === "gpus");
  const gpus = table?.axis("gpu");
  if (!gpus) return new Map();
  const at = (tag) => reading(table, tag);
  const out = new Map();
  for (let row = 0; row < table.rows; ++row) {
    const of = (tag) => at(tag)(row), clock = of("boost_clock") / 1000, sms = of("sm_count"), all = clock * sms;
    out.set(gpus.text(row), {
      levels: { dram: of("dram_bandwidth_measured") ?? of("dram_bandwidth"), l2: of("l2_bandwidth") * clock, l1: kBankBytes * of("smem_banks") * all },
      flop: { fp32: 2 * of("fp32") * all || of("peak_fp32"), fp64: 2 * of("fp64") * all, tensor: 2 * of("tensor_fp16") * all },
      instructions: of("warp_schedulers") * (of("issue_per_scheduler") ?? 1) * all,
    });
  }
  return out;
}

/// The rows that have a time, by GPU: {row, work, rate in 10^9/s, bytes: by level}. By floating-point operations where any row has
/// some, else by warp instructions.
function pointsOf(table, roofs) {
  const gpu = table.axis("gpu"), flop = reading(table, "flop"), instructions = reading(table, "warp_instructions"), [time] = table.tagged("time").filter((c) => c.provenance === "modelled" && c.unit === "ms");
  const read = reading(table, "dram_bytes_read"), written = reading(table, "dram_bytes_written"), l2Read = reading(table, "l2_read_sectors", "modelled"), l2Written = reading(table, "l2_write_sectors", "modelled");
  const double = reading(table, "flop_f64"), tensor = reading(table, "flop_tensor"), shared = reading(table, "time_shared", "modelled"), l1 = reading(table, "time_l1", "modelled"), left = table.tagged("not_modelled")[0];
  const by = new Map();
  if (!gpu || !time) return { by };
  let flops = false;
  for (let row = 0; row < table.rows && !flops; ++row) flops = flop(row) > 0 && time.number(row) > 0;
  for (let row = 0; row < table.rows; ++row) {
    const work = (flops ? flop : instructions)(row), ms = time.number(row), of = roofs.get(gpu.text(row));
    if (!(work > 0) || !(ms > 0) || !of || left?.has(row)) continue;
    const bytes = { dram: (read(row) ?? 0) + (written(row) ?? 0), l2: kSector * ((l2Read(row) ?? 0) + (l2Written(row) ?? 0)), l1: ((shared(row) ?? 0) + (l1(row) ?? 0)) * 1e6 * of.levels.l1 };
    if (!by.has(gpu.text(row))) by.set(gpu.text(row), []);
    by.get(gpu.text(row)).push({ row, work, rate: work / (ms * 1e6), bytes, fp64: double(row) > 0, tensor: tensor(row) > 0 });
  }
  return { by, flops };
}

/// One GPU's figure. `shown`: names of levels whose points are drawn; `colourOf(row)`.
function rooflineFigure(table, name, of, points, flops, shown, colourOf) {
  const levels = kLevels.filter(([level]) => of.levels[level] > 0 && points.some((p) => p.bytes[level] > 0));
  const roofs = (flops ? [["fp32", of.flop.fp32], ...["fp64", "tensor"].filter((kind) => points.some((p) => p[kind])).map((kind) => [kind, of.flop[kind]])] : [["issue", of.instructions]]).filter(([, rate]) => rate > 0);
  const top = Math.max(...roofs.map(([, rate]) => rate), ...points.map((p) => p.rate));
  const xs = points.flatMap((p) => levels.filter(([l]) => shown.has(l) && p.bytes[l] > 0).map(([l]) => p.work / p.bytes[l])).concat(levels.map(([l]) => top / of.levels[l]));
  const x0 = Math.log10(Math.min(...xs)) - 0.5, x1 = Math.log10(Math.max(...xs)) + 0.5;
  const y1 = Math.log10(top) + 0.25, y0 = Math.min(Math.log10(Math.min(...points.map((p) => p.rate))) - 0.3, y1 - 2);
  const { left, right, top: above, bottom } = kSides;
  const x = (v) => left + ((Math.log10(v) - x0) / (x1 - x0)) * (kWide - left - right), y = (v) => above + ((y1 - Math.log10(v)) / (y1 - y0)) * (kHigh - above - bottom);
  const words = (px, py, text, kind, anchor) => svg("text", { x: px, y: py, class: kind, "text-anchor": anchor }, text);
  const unit = flops ? "GFlop/s" : t("roofline.instructions_unit"), perByte = flops ? "flop/byte" : t("roofline.per_byte");
  const root = svg("svg", { class: "chart roofline-figure", viewBox: `0 0 ${kWide} ${kHigh}`, role: "img", "aria-label": `${t("roofline.title")}, ${name}` });
  for (let k = Math.ceil(x0); k <= x1; ++k) root.append(svg("line", { class: "grid", x1: x(10 ** k), x2: x(10 ** k), y1: above, y2: kHigh - bottom }), words(x(10 ** k), kHigh - bottom + 16, axisNumber(10 ** k), "tick", "middle"));
  for (let k = Math.ceil(y0); k <= y1; ++k) root.append(svg("line", { class: "grid", y1: y(10 ** k), y2: y(10 ** k), x1: left, x2: kWide - right }), words(left - 7, y(10 ** k) + 4, axisNumber(10 ** k), "tick", "end"));
  root.append(words((left + kWide) / 2, kHigh - 8, perByte, "label", "middle"));
  const side = words(0, 0, unit, "label", "middle");
  side.setAttribute("transform", `translate(14,${kHigh / 2}) rotate(-90)`);
  root.append(side);
  const floor = 10 ** y0, begin = 10 ** x0;
  for (const [level, colour] of levels) {
    const rate = of.levels[level], from = Math.max(begin, floor / rate), to = top / rate;
    if (to <= from) continue;
    const angle = (Math.atan2(y(to * rate) - y(from * rate), x(to) - x(from)) * 180) / Math.PI, at = 10 ** (0.9 * Math.log10(from) + 0.1 * Math.log10(to));
    const label = words(0, 0, `${level === "l1" ? "L1" : t(`roofline.${level}`)}, ${shortNumber(Number(rate.toPrecision(3)))} GB/s`, "tick roof-name", "start");
    label.setAttribute("transform", `translate(${x(at)},${y(at * rate)}) rotate(${angle}) translate(0,-5)`);
    root.append(svg("g", { style: `color:var(--c${colour})` }, svg("line", { class: "roof-line", x1: x(from), y1: y(from * rate), x2: x(to), y2: y(top) }), label));
  }
  for (const [roof, rate] of roofs) {
    const start = Math.min(...levels.map(([l]) => rate / of.levels[l]), 10 ** x1);
    root.append(svg("line", { class: "roof-line peak", x1: x(Math.max(start, begin)), x2: kWide - right, y1: y(rate), y2: y(rate) }), words(kWide - right - 2, y(rate) - 5, `${t(`roofline.roof.${roof}`)}, ${shortNumber(Number(rate.toPrecision(3)))} ${unit}`, "tick", "end"));
  }
  const tip = h("div", { class: "tip", role: "status", hidden: true }), marks = svg("g", {}), focus = svg("g", { class: "focus" });
  const spots = [];
  for (const p of points)
    for (const [level] of levels) {
      if (!shown.has(level) || !(p.bytes[level] > 0)) continue;
      const px = x(p.work / p.bytes[level]), py = y(p.rate);
      spots.push({ p, px, py });
      marks.append(svg("g", { style: `color:${colourOf(p.row)}` }, shown.size > 1 ? svg("path", { class: "point", d: level === "dram" ? "M0,-5L5,0L0,5L-5,0Z" : level === "l2" ? "M-4,-4H4V4H-4Z" : "M0,-5L4.6,3.6H-4.6Z", transform: `translate(${px},${py})` }) : pointForm("modelled", { transform: `translate(${px},${py})` })));
    }
  root.append(focus, marks);
  const leave = () => { tip.hidden = true; focus.replaceChildren(); };
  const point = ({ p, px, py }) => {
    const places = levels.filter(([l]) => p.bytes[l] > 0).map(([l, colour]) => ({ l, colour, at: p.work / p.bytes[l], most: Math.min(top, (p.work / p.bytes[l]) * of.levels[l]) }));
    focus.replaceChildren(...places.map(({ colour, at, most }) => svg("g", { style: `color:var(--c${colour})` }, svg("line", { class: "drop-line", x1: x(at), x2: x(at), y1: y(p.rate), y2: y(most) }), svg("circle", { class: "ring", cx: x(at), cy: y(p.rate), r: 8 }))));
    tip.replaceChildren(h("strong", {}, rowName(table, p.row, ["gpu"])), h("table", {}, h("tbody", {}, h("tr", {}, h("td", { colspan: 3 }, `${shortNumber(Number(p.rate.toPrecision(4)))} ${unit}`)),
      places.map(({ l, colour, at, most }) => h("tr", {}, h("td", {}, h("span", { class: "swatch", style: `background:var(--c${colour})` }), t(`roofline.${l}`)), h("td", { class: "number" }, `${shortNumber(Number(at.toPrecision(3)))} ${perByte}`), h("td", {}, t("roofline.of_roof", { percent: Number(((100 * p.rate) / most).toPrecision(3)) })))))));
    tip.hidden = false;
    const box = root.getBoundingClientRect(), scale = box.width / kWide, room = box.width;
    const at = px * scale;
    tip.style.left = `${Math.max(0, at + 14 + tip.offsetWidth < room ? at + 14 : at - 14 - tip.offsetWidth)}px`;
    tip.style.top = `${Math.max(0, Math.min(py * scale + 10, box.height - tip.offsetHeight))}px`;
  };
  root.addEventListener("pointermove", (e) => {
    const box = root.getBoundingClientRect(), scale = kWide / box.width, mx = (e.clientX - box.left) * scale, my = (e.clientY - box.top) * scale;
    const near = spots.reduce((best, s) => { const d = (s.px - mx) ** 2 + (s.py - my) ** 2; return d < best.d ? { d, s } : best; }, { d: 900 });
    if (near.s) point(near.s);
    else leave();
  });
  root.addEventListener("pointerleave", leave);
  return h("div", { class: "facet" }, h("h4", {}, name), h("div", { class: "chart-box" }, root, tip));
}

/// The card, or undefined where no row has a time on a GPU with known figures.
export function rooflineCard(table, extras, number) {
  const roofs = roofsOf(extras), { by, flops } = pointsOf(table, roofs);
  if (by.size === 0) return undefined;
  const kernels = table.axis("kernel")?.values.filter((v) => v !== "") ?? [];
  const used = kernels.filter((k) => [...by.values()].flat().some((p) => table.axis("kernel").text(p.row) === k));
  const colourOf = (row) => { const at = used.indexOf(table.axis("kernel")?.text(row) ?? ""); return at >= 0 && at < 8 ? `var(--c${at})` : "var(--soft)"; };
  const most = Math.max(...[...by.values()].map((p) => p.length));
  const shown = new Set(most <= 8 ? ["dram", "l2", "l1"] : ["dram"]);
  const place = h("div", { class: by.size > 1 ? "facets" : "" });
  const draw = () => place.replaceChildren(...[...by].slice(0, kMostGpus).map(([name, points]) => {
    const step = Math.ceil(points.length / kMostPoints);
    return rooflineFigure(table, name, roofs.get(name), points.filter((_, i) => i % step === 0), flops, shown, colourOf);
  }));
  const toggles = kLevels.filter(([level]) => [...by.values()].flat().some((p) => p.bytes[level] > 0)).map(([level]) => {
    const button = h("button", { type: "button", "aria-pressed": String(shown.has(level)), onclick: () => {
      if (shown.has(level) && shown.size > 1) shown.delete(level);
      else shown.add(level);
      for (const [b, l] of buttons) b.setAttribute("aria-pressed", String(shown.has(l)));
      draw();
    } }, `${{ dram: "◆", l2: "■", l1: "▲" }[level]} ${t(`roofline.${level}`)}`);
    return [button, level];
  });
  const buttons = toggles;
  const folder = kernels.length > 0 && kernels.every((k) => k.startsWith(kernels[0].slice(0, kernels[0].indexOf("/") + 1))) ? kernels[0].slice(0, kernels[0].indexOf("/") + 1) : "";
  const legend = used.length > 1 && h("ul", { class: "legend" }, used.slice(0, 8).map((k, i) => h("li", {}, h("span", { class: "swatch", style: `background:var(--c${i})` }), k.slice(folder.length))), used.length > 8 && h("li", {}, h("span", { class: "swatch", style: "background:var(--soft)" }), t("plot.more", { count: used.length - 8 })));
  draw();
  return h("figure", { class: "plot wide rooflines" }, h("div", { class: "plot-head" }, h("figcaption", {}, h("b", {}, `${t("plot.figure", { number })} `), t("roofline.title")), h("div", { class: "tools" }, buttons.map(([b]) => b))), place, legend,
    h("p", { class: "remark" }, t(flops ? "roofline.about" : "roofline.about.instructions"), by.size > kMostGpus && ` ${t("plot.more", { count: by.size - kMostGpus })}`));
}
