// The source with each line's counters, hot lines coloured.
import { h } from "./dom.js";
import { count, digits } from "./words.js";

/// What a line can show: title, its number, a second text.
const kColumns = [
  { title: "instructions", about: "PTX instructions by warps", of: (v) => v.warp_instructions },
  { title: "lanes", about: "active lanes of 32, in the mean", of: (v) => (v.warp_instructions ? v.thread_instructions / v.warp_instructions : undefined), cold: true },
  { title: "sectors/request", about: "32-byte sectors of a global access; 4 is what 32 neighbouring floats need", of: (v) => ratio(v, ["global_load", "global_store", "global_atomic"], "sectors"), weigh: (v) => sum(v, ["global_load", "global_store", "global_atomic"], "sectors") },
  { title: "passes/request", about: "passes through the banks of shared memory", of: (v) => ratio(v, kShared, "wavefronts"), weigh: (v) => sum(v, kShared, "wavefronts") },
  { title: "conflicts", about: "passes for bank conflicts", of: (v) => sum(v, kShared, "bank_conflicts") || undefined, bad: true },
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
      return h("td", { class: c.bad ? "n heat bad" : "n heat", style, title: `${c.about}: ${v}` }, Number.isInteger(v) ? count(v) : digits(v));
    })));
  }
  return h("div", { class: "source-scroll" }, h("table", { class: "heat-table" }, h("thead", {}, h("tr", {}, h("th", {}), h("th", { class: "text" }, file.file), columns.map((c) => h("th", { class: "n", title: c.about }, c.title)))), h("tbody", {}, rows)));
}
