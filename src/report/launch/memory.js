// The memory chart: what moves between the SMs, L1 and shared memory, L2 and DRAM. Side by side on a wide page, one
// below the other on a telephone; the style sheet shows the one that fits.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";
import { sharedSum } from "./shared.js";
import { bytes, count, percent } from "./words.js";

const kWideHeight = 250, kTallWidth = 360, kTallGap = 52;

function box(x, y, width, height, name, lines, kind) {
  return svg("g", { class: `box ${kind}` }, svg("rect", { x, y, width, height, rx: 7 }), svg("text", { class: "box-name", x: x + width / 2, y: y + 22 }, name),
    lines.map((l, k) => svg("text", { class: "box-line", x: x + width / 2, y: y + 42 + 17 * k }, l)));
}

/// An arrow with its label; as thick as `share` of the widest.
function arrow(from, to, y, label, share) {
  const right = to > from, { thick, head } = sizes(share), tip = right ? to - 2 : to + 2, base = right ? tip - head : tip + head;
  return svg("g", { class: right ? "flow written" : "flow read" }, svg("line", { x1: from, y1: y, x2: base, y2: y, "stroke-width": thick }),
    svg("path", { d: `M${tip} ${y} L${base} ${y - head * 0.7} L${base} ${y + head * 0.7} Z` }),
    svg("text", { class: "flow-label", x: (from + to) / 2, y: y - thick / 2 - 5 }, label));
}

/// The same from above to below, or back.
function upright(from, to, x, label, share, kind) {
  const { thick, head } = sizes(share), down = to > from, tip = down ? to - 2 : to + 2, base = down ? tip - head : tip + head;
  return svg("g", { class: `flow ${kind}` }, svg("line", { x1: x, y1: from, x2: x, y2: base, "stroke-width": thick }),
    svg("path", { d: `M${x} ${tip} L${x - head * 0.7} ${base} L${x + head * 0.7} ${base} Z` }),
    svg("text", { class: "flow-label beside", x: x + head * 0.7 + 5, y: (from + to) / 2 + 4 }, label));
}

function sizes(share) {
  const thick = 1.5 + 7 * Math.sqrt(share);
  return { thick, head: 7 + thick / 2 };
}

/// What both charts show: the SMs' requests, the levels outward with what moves on their way to the SMs, shared memory.
function facts(m) {
  const of = (name) => m.families[name] ?? { requests: 0, bytes: 0, wavefronts: 0, conflicts: 0 };
  const sum = (key) => sharedSum(m, key);
  const cached = m.cached && m.modelled, rate = (v) => (v === null || v === undefined ? [] : [t("launch.hit_rate", { rate: percent(v) })]);
  const most = Math.max(m.l1_bytes_read, m.l1_bytes_written, m.dram_bytes_read, m.dram_bytes_written, m.l2_bytes_read ?? 0, m.l2_bytes_written ?? 0, 1);
  const level = (kind, name, lines, read, written) => ({ kind, name, lines, read, written });
  const requests = sum("requests"), passes = sum("wavefronts"), local = of("local_load").requests + of("local_store").requests, conflicts = sum("conflicts"), bad = conflicts > 0;
  return {
    requests: [t("launch.loads", { amount: count(of("global_load").requests) }), t("launch.stores", { amount: count(of("global_store").requests) }),
      of("global_atomic").requests > 0 && t("launch.atomics", { amount: count(of("global_atomic").requests) }),
      local > 0 && t("launch.local", { amount: count(local) })].filter(Boolean),
    levels: [cached ? level("l1", "L1", rate(m.l1_hit_rate), m.l1_bytes_read, m.l1_bytes_written) : level("l1", "L1 / L2", [t(m.cached ? "launch.not_modelled_here" : "launch.no_cache")], m.l1_bytes_read, m.l1_bytes_written),
      cached && level("l2", "L2", rate(m.l2_hit_rate), m.l2_bytes_read, m.l2_bytes_written), level("dram", "DRAM", [], m.dram_bytes_read, m.dram_bytes_written)].filter(Boolean),
    shared: passes > 0 && { kind: bad ? "shared bad" : "shared", read: of("shared_load").bytes, written: of("shared_store").bytes, text: t(bad ? "launch.shared_bad" : "launch.shared_good", { requests: count(requests), passes: count(passes), conflicts: count(conflicts) }) },
    share: (amount) => Math.min(1, amount / most),
  };
}

function wide(f) {
  const root = svg("svg", { class: "memory wide", viewBox: `0 0 860 ${kWideHeight}`, role: "img", "aria-label": t("launch.memory_label") });
  root.append(box(4, 20, 120, 210, "SMs", [...f.requests, t("launch.by_warps")], "sm"));
  const places = f.levels.length > 2 ? [[238, 140], [492, 140], [736, 120]] : [[238, 140], [736, 120]];
  let inner = 124;
  f.levels.forEach((level, k) => {
    const [x, width] = places[k];
    root.append(box(x, 20, width, level.kind === "dram" ? 210 : 120, level.name, level.lines, level.kind));
    if (level.read > 0) root.append(arrow(x, inner, 62, bytes(level.read), f.share(level.read)));
    if (level.written > 0) root.append(arrow(inner, x, 108, bytes(level.written), f.share(level.written)));
    inner = x + width;
  });
  const s = f.shared;
  if (s) root.append(box(238, 160, 394, 70, t("launch.shared"), [s.text], s.kind));
  if (s?.read > 0) root.append(arrow(238, 124, 184, bytes(s.read), f.share(s.read)));
  if (s?.written > 0) root.append(arrow(124, 238, 212, bytes(s.written), f.share(s.written)));
  return root;
}

function tall(f) {
  const parts = [];
  let y = 2;
  const place = (name, lines, kind) => {
    const height = lines.length ? 33 + 17 * lines.length : 34;
    parts.push(box(2, y, kTallWidth - 4, height, name, lines, kind));
    y += height;
  };
  /// Towards the SMs, which stand above or (`below`) under what moves.
  const flows = (read, written, below) => {
    const above = y + 2, under = y + kTallGap - 2;
    if (read > 0) parts.push(upright(below ? above : under, below ? under : above, kTallWidth * 0.22, bytes(read), f.share(read), "read"));
    if (written > 0) parts.push(upright(below ? under : above, below ? above : under, kTallWidth * 0.62, bytes(written), f.share(written), "written"));
    y += kTallGap;
  };
  if (f.shared) {
    place(t("launch.shared"), inTwo(f.shared.text), f.shared.kind);
    flows(f.shared.read, f.shared.written, true);
  }
  place("SMs", [`${f.requests.join(", ")} ${t("launch.by_warps")}`], "sm");
  for (const level of f.levels) {
    flows(level.read, level.written, false);
    place(level.name, level.lines, level.kind);
  }
  return svg("svg", { class: "memory tall", viewBox: `0 0 ${kTallWidth} ${y + 2}`, role: "img", "aria-label": t("launch.memory_label") }, parts);
}

/// The last part of a list on a line of its own.
function inTwo(text) {
  const at = text.lastIndexOf(", ") + 1;
  return [text.slice(0, at), text.slice(at + 1)];
}

export function memoryChart(m) {
  const f = facts(m);
  return h("div", {}, wide(f), tall(f), m.l2_parts > 1 && h("p", { class: "remark" }, t("launch.l2_parts")));
}
