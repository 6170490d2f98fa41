// The source with each line's counters, hot lines coloured.
import { h } from "./dom.js";
import { t } from "./messages.js";
import { count, digits } from "./words.js";

/// What a line can show: its words launch.line.KEY, its number.
const kColumns = [
  { key: "instructions", of: (v) => v.warp_instructions },
  { key: "lanes", of: (v) => (v.warp_instructions ? v.thread_instructions / v.warp_instructions : undefined), cold: true },
  { key: "sectors", of: (v) => ratio(v, ["global_load", "global_store", "global_atomic"], "sectors"), weigh: (v) => sum(v, ["global_load", "global_store", "global_atomic"], "sectors") },
  { key: "passes", of: (v) => ratio(v, kShared, "wavefronts"), weigh: (v) => sum(v, kShared, "wavefronts") },
  { key: "conflicts", of: (v) => sum(v, kShared, "bank_conflicts") || undefined, bad: true },
];
const kShared = ["shared_load", "shared_store", "shared_atomic", "async_copy"];
const sum = (v, families, what) => families.reduce((s, f) => s + (v[`${f}_${what}`] ?? 0), 0);
function ratio(v, families, what) {
  const requests = sum(v, families, "requests");
  return requests > 0 ? sum(v, families, what) / requests : undefined;
}

export function sourceView(file) {
  const ran = file.lines.filter((l) => l.values);
  const columns = kColumns.filter((c) => ran.some((l) => c.of(l.values) !== undefined));
  const most = columns.map((c) => Math.max(...ran.map((l) => (c.weigh ?? c.of)(l.values) ?? 0), 1e-12));
  let last = 0;
  const rows = [];
  for (const l of file.lines) {
    if (last && l.line > last + 1) rows.push(h("tr", { class: "cut" }, h("td", { colspan: columns.length + 2 }, "⋯")));
    last = l.line;
    rows.push(h("tr", {}, h("td", { class: "no" }, l.line), h("td", { class: "text" }, h("code", {}, l.text || " ")), columns.map((c, k) => {
      const v = l.values && c.of(l.values);
      if (v === undefined) return h("td", { class: "n" });
      const heat = c.cold ? 0 : ((c.weigh ?? c.of)(l.values) ?? 0) / most[k];
      const style = `--heat:${Math.round(100 * heat)}%`;
      return h("td", { class: c.bad ? "n heat bad" : "n heat", style, title: `${t(`launch.line.${c.key}.about`)}: ${v}` }, Number.isInteger(v) ? count(v) : digits(v));
    })));
  }
  return h("div", { class: "source-scroll" }, h("table", { class: "heat-table" }, h("thead", {}, h("tr", {}, h("th", {}), h("th", { class: "text" }, file.file), columns.map((c) => h("th", { class: "n", title: t(`launch.line.${c.key}.about`) }, t(`launch.line.${c.key}`))))), h("tbody", {}, rows)));
}
