// The source with each line's counters, hot lines coloured.
import { h } from "./dom.js";
import { t } from "./messages.js";
import { count, digits } from "./words.js";

/// What a line can show: its words launch.line.KEY, its number.
const kColumns = [
  { key: "instructions", of: (v) => v.warp_instructions },
  { key: "lanes", of: (v) => (v.warp_instructions ? v.thread_instructions / v.warp_instructions : undefined), cold: true },
  { key: "sectors", of: (v) => ratio(v, kGlobal, "sectors"), weigh: (v) => sum(v, kGlobal, "sectors") },
  // Compute capability 1.x has no sectors.
  { key: "transactions", of: (v) => (has(v, kGlobal, "sectors") ? undefined : ratio(v, kGlobal, "transactions")), weigh: (v) => sum(v, kGlobal, "transactions") },
  { key: "passes", of: (v) => ratio(v, kShared, "wavefronts"), weigh: (v) => sum(v, kShared, "wavefronts") },
  { key: "conflicts", of: (v) => sum(v, kShared, "bank_conflicts") || undefined, bad: true },
];
const kGlobal = ["global_load", "global_store", "global_atomic"];
const kShared = ["shared_load", "shared_store", "shared_atomic", "async_copy"];
const sum = (v, families, what) => families.reduce((s, f) => s + (v[`${f}_${what}`] ?? 0), 0);
const has = (v, families, what) => families.some((f) => `${f}_${what}` in v);
function ratio(v, families, what) {
  const requests = sum(v, families, "requests");
  return requests > 0 && has(v, families, what) ? sum(v, families, what) / requests : undefined;
}

/// The cells of a line, or of an instruction, whose columns are as hot as `most` says.
const cells = (values, columns, most) => columns.map((c, k) => {
  const v = values && c.of(values);
  if (v === undefined) return h("td", { class: "n" });
  const heat = c.cold ? 0 : ((c.weigh ?? c.of)(values) ?? 0) / most[k];
  return h("td", { class: c.bad ? "n heat bad" : "n heat", style: `--heat:${Math.round(100 * heat)}%`, title: `${t(`launch.line.${c.key}.about`)}: ${v}` }, Number.isInteger(v) ? count(v) : digits(v));
});

/// The PTX of a line, below it: made when the reader first wants to see it.
function ptxRows(line, columns, most) {
  return line.ptx.map(([at, text, values]) => h("tr", { class: "ptx" }, h("td", { class: "no", title: t("launch.ptx_line", { line: at }) }, at), h("td", { class: "text" }, h("code", {}, text)), cells(values, columns, most)));
}

export function sourceView(file) {
  const ran = file.lines.filter((l) => l.values);
  const columns = kColumns.filter((c) => ran.some((l) => c.of(l.values) !== undefined));
  const most = columns.map((c) => Math.max(...ran.map((l) => (c.weigh ?? c.of)(l.values) ?? 0), 1e-12));
  let last = 0;
  const rows = [], openers = [];
  for (const l of file.lines) {
    if (last && l.line > last + 1) rows.push(h("tr", { class: "cut" }, h("td", { colspan: columns.length + 2 }, "⋯")));
    last = l.line;
    const opener = l.ptx && h("button", { type: "button", class: "opener", "aria-expanded": "false", title: t("launch.ptx_of", { count: l.ptx.length }) }, l.line);
    const row = h("tr", {}, h("td", { class: "no" }, opener || l.line), h("td", { class: "text" }, h("code", {}, l.text || " ")), cells(l.values, columns, most));
    rows.push(row);
    if (!opener) continue;
    let below;
    const toggle = (open) => {
      opener.setAttribute("aria-expanded", String(open));
      if (open && !below) row.after(...(below = ptxRows(l, columns, most)));
      for (const one of below ?? []) one.hidden = !open;
    };
    opener.addEventListener("click", () => toggle(opener.getAttribute("aria-expanded") === "false"));
    openers.push(toggle);
  }
  let all = false;
  const everything = openers.length > 0 && h("button", { type: "button", class: "all-ptx", "aria-pressed": "false", onclick: (e) => {
    all = !all;
    e.currentTarget.setAttribute("aria-pressed", String(all));
    openers.forEach((toggle) => toggle(all));
  } }, t("launch.show_ptx"));
  return h("div", {}, everything && h("p", { class: "hint" }, everything, " ", t("launch.ptx_about")),
    h("div", { class: "source-scroll" }, h("table", { class: "heat-table" }, h("thead", {}, h("tr", {}, h("th", {}), h("th", { class: "text" }, file.file), columns.map((c) => h("th", { class: "n", title: t(`launch.line.${c.key}.about`) }, t(`launch.line.${c.key}`))))), h("tbody", {}, rows))));
}
