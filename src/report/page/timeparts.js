// What each row's predicted time is made of: a bar of parts that add up, with the band at its end.
import { h } from "./dom.js";
import { metricName, readableUnit, shortNumber, t } from "./messages.js";
import { rowName } from "./data.js";

const kMostBars = 24, kLongest = 8;  // a bar is cut where it is so many times the shortest
const kOnTop = [["time_latency", "c1"], ["time_barriers", "c6"], ["time_tail", "c7"], ["time_launch", "launch"]];
/// Colours by what a resource is: memory, caches, arithmetic, issue.
const kResources = { time_dram: "c0", time_l2: "c4", time_l2_port: "c4", time_shared: "c2", time_l1: "c2", time_l1_tags: "c2", time_data_path: "c2", time_constant: "c2", time_atomics: "c0",
  time_fp32: "c5", time_fp64: "c5", time_int: "c5", time_sfu: "c5", time_tensor: "c5", time_tensor_power: "c5", time_issue: "c3", time_load_store: "c3", time_blocks: "c3" };
const kGroups = [["memory", "c0"], ["l2", "c4"], ["data_path", "c2"], ["arithmetic", "c5"], ["issue", "c3"]];

/// {row, total, parts: [{tag, ms, colour}], low, high} of each row with a predicted time.
function barsOf(table) {
  const column = (tag) => table.tagged(tag).find((c) => c.numeric && c.provenance === "modelled" && c.unit === "ms");
  const time = column("time"), low = column("time_low"), high = column("time_high"), left = table.tagged("not_modelled")[0];
  if (!time) return [];
  const onTop = kOnTop.map(([tag, colour]) => [column(tag), colour]).filter(([c]) => c), alone = Object.entries(kResources).map(([tag, colour]) => [column(tag), colour]).filter(([c]) => c);
  const out = [];
  for (let row = 0; row < table.rows; ++row) {
    const total = time.number(row);
    if (!(total > 0)) continue;
    const more = onTop.map(([c, colour]) => ({ tag: c.tag, ms: c.number(row) ?? 0, colour })).filter((p) => p.ms > 0);
    const busy = Math.max(0, total - more.reduce((s, p) => s + p.ms, 0));
    const [resource, colour] = alone.reduce((best, a) => ((a[0].number(row) ?? 0) > (best[0]?.number(row) ?? 0) ? a : best), [undefined, "c0"]);
    out.push({ row, total, short: left?.has(row), parts: [...(busy > 0 && resource ? [{ tag: resource.tag, ms: busy, colour }] : []), ...more], low: low?.number(row), high: high?.number(row) });
  }
  return out;
}

export function partsCard(table, extras, number) {
  const all = barsOf(table);
  if (all.length < 2) return undefined;
  const chosen = new Map(), place = h("div", { class: "time-bars" }), menus = h("div", { class: "choices" });
  const open = ["gpu", "n"].map(table.axis).filter((a) => a?.varies);
  const valuesOf = (axis) => { const list = [...new Set(all.map((b) => axis.text(b.row)))].filter((v) => v !== ""); return axis.numeric ? list.sort((a, b) => a - b) : list; };
  for (const axis of open) chosen.set(axis.key, axis.numeric ? valuesOf(axis).at(-1) : valuesOf(axis)[0]);
  const remark = h("p", { class: "remark" }), legend = h("ul", { class: "legend" });
  const draw = () => {
    menus.replaceChildren(...open.filter((a) => valuesOf(a).length > 1).map((axis) => h("label", {}, `${t(`axis.${axis.key}`)} `, h("select", { "data-axis": axis.key, onchange: (e) => { chosen.set(axis.key, e.target.value); draw(); } },
      valuesOf(axis).map((v) => h("option", { value: v, selected: v === chosen.get(axis.key) }, v))))));
    const fitting = all.filter((b) => open.every((a) => a.text(b.row) === chosen.get(a.key))).sort((a, b) => a.total - b.total), bars = fitting.slice(0, kMostBars);
    const near = bars.filter((b) => b.total <= kLongest * bars[0].total), cut = near.length < bars.length;
    const most = Math.max(...near.map((b) => Math.max(b.total, b.high ?? 0)), 1e-12), { unit, factor } = readableUnit("ms", most);
    const words = (ms) => `${shortNumber(Number((ms * factor).toPrecision(4)))}\u00a0${unit}`, width = (ms) => `${(100 * ms) / most}%`;
    place.replaceChildren(...bars.map((b) => {
      const about = b.parts.map((p) => `${metricName(p.tag)}: ${words(p.ms)}`).join("\n");
      return h("div", { class: "time-row", title: about }, h("span", { class: "time-name" }, rowName(table, b.row, open.map((a) => a.key))),
        h("span", { class: b.total > most ? "time-bar cut" : "time-bar" }, b.parts.map((p) => h("i", { style: `width:${width(p.ms * Math.min(1, most / b.total))};background:var(--${p.colour})` })),
          b.low > 0 && b.high > 0 && b.total <= most && h("i", { class: "band", style: `left:${width(b.low)};width:${width(Math.min(b.high, most) - b.low)}` })),
        h("span", { class: "time-total" }, words(b.total), b.short && " +"), h("span", { class: "time-binds" }, b.parts.length > 0 ? metricName(b.parts.reduce((x, p) => (p.ms > x.ms ? p : x)).tag) : ""));
    }));
    const seen = new Set(bars.flatMap((b) => b.parts.map((p) => p.colour)));
    legend.replaceChildren(...[...kGroups.map(([g, c]) => [t(`parts.${g}`), c]), ...kOnTop.map(([tag, c]) => [metricName(tag), c])].filter(([, c]) => seen.has(c)).map(([name, c]) => h("li", {}, h("span", { class: "swatch", style: `background:var(--${c})` }), name)),
      ...(bars.some((b) => b.high > 0) ? [h("li", {}, h("span", { class: "swatch band" }), t("plot.band"))] : []), h("li", { class: "origins" }, unit));
    remark.textContent = [t("parts.about"), bars.length < fitting.length && t("parts.most", { shown: bars.length, count: fitting.length }), cut && t("parts.cut"), bars.some((b) => b.short) && t("parts.short")].filter(Boolean).join(" ");
  };
  draw();
  return h("figure", { class: "plot wide" }, h("figcaption", {}, h("b", {}, `${t("plot.figure", { number })} `), t("parts.title")), menus, place, legend, remark);
}
