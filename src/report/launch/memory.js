// The memory chart: what moves between the SMs, L1 and shared memory, L2 and DRAM.
import { svg } from "./dom.js";
import { t } from "./messages.js";
import { bytes, count, percent } from "./words.js";

const kMemoryHeight = 250;

function box(x, y, width, height, name, lines, kind) {
  return svg("g", { class: `box ${kind}` }, svg("rect", { x, y, width, height, rx: 7 }), svg("text", { class: "box-name", x: x + width / 2, y: y + 22 }, name),
    lines.map((l, k) => svg("text", { class: "box-line", x: x + width / 2, y: y + 42 + 17 * k }, l)));
}

/// An arrow with its label; as thick as `share` of the widest.
function arrow(from, to, y, label, share) {
  const right = to > from, thick = 1.5 + 7 * Math.sqrt(share), head = 7 + thick / 2, tip = right ? to - 2 : to + 2, base = right ? tip - head : tip + head;
  return svg("g", { class: right ? "flow written" : "flow read" }, svg("line", { x1: from, y1: y, x2: base, y2: y, "stroke-width": thick }),
    svg("path", { d: `M${tip} ${y} L${base} ${y - head * 0.7} L${base} ${y + head * 0.7} Z` }),
    svg("text", { class: "flow-label", x: (from + to) / 2, y: y - thick / 2 - 5 }, label));
}

export function memoryChart(m) {
  const of = (name) => m.families[name] ?? { requests: 0, bytes: 0, wavefronts: 0, conflicts: 0 };
  const shared = ["shared_load", "shared_store", "shared_atomic", "async_copy"].map(of);
  const sum = (key) => shared.reduce((s, f) => s + f[key], 0);
  const wide = m.cached && m.modelled, read = m.l1_bytes_read, written = m.l1_bytes_written;
  const most = Math.max(read, written, m.dram_bytes_read, m.dram_bytes_written, m.l2_bytes_read ?? 0, m.l2_bytes_written ?? 0, 1);
  const rate = (v) => (v === null || v === undefined ? "" : t("launch.hit_rate", { rate: percent(v) }));
  const root = svg("svg", { class: "memory", viewBox: `0 0 860 ${kMemoryHeight}`, role: "img", "aria-label": t("launch.memory_label") });
  const flow = (x1, x2, inBytes, outBytes) => [inBytes > 0 && arrow(x2, x1, 62, bytes(inBytes), inBytes / most), outBytes > 0 && arrow(x1, x2, 108, bytes(outBytes), outBytes / most)].filter(Boolean);
  root.append(box(4, 20, 120, 210, "SMs", [t("launch.loads", { amount: count(of("global_load").requests) }), t("launch.stores", { amount: count(of("global_store").requests) }),
    of("global_atomic").requests > 0 && t("launch.atomics", { amount: count(of("global_atomic").requests) }), t("launch.by_warps")].filter(Boolean), "sm"));
  root.append(box(238, 20, 140, 120, wide ? "L1" : "L1 / L2", wide ? [rate(m.l1_hit_rate)] : [m.cached ? t("launch.not_modelled_here") : t("launch.no_cache")], "l1"));
  if (wide) root.append(box(492, 20, 140, 120, "L2", [rate(m.l2_hit_rate)], "l2"));
  root.append(box(736, 20, 120, 210, "DRAM", [], "dram"));
  root.append(...flow(124, 238, read, written));
  if (wide) root.append(...flow(378, 492, m.l2_bytes_read, m.l2_bytes_written));
  root.append(...flow(wide ? 632 : 378, 736, m.dram_bytes_read, m.dram_bytes_written));
  if (sum("wavefronts") > 0) {
    const bad = sum("conflicts") > 0;
    root.append(box(238, 160, 394, 70, t("launch.shared"), [t(bad ? "launch.shared_bad" : "launch.shared_good", { requests: count(sum("requests")), passes: count(sum("wavefronts")), conflicts: count(sum("conflicts")) })], bad ? "shared bad" : "shared"));
    root.append(arrow(238, 124, 184, bytes(of("shared_load").bytes), of("shared_load").bytes / most || 0), arrow(124, 238, 212, bytes(of("shared_store").bytes), of("shared_store").bytes / most || 0));
  }
  return root;
}
