// The table of all rows: sorts, filters, chooses columns, copies as CSV. Only the rows in sight are in the document, so
// that a million of them is no trouble.
import { copy, h, save } from "./dom.js";
import { badge } from "./provenance.js";
import { columnChooser } from "./columns.js";
import { condition, select, sortRows } from "./filter.js";
import { optional, phraseText, shortNumber, t } from "./messages.js";
import { tableCsv } from "./csv.js";

const kAllAtOnce = 120;       // rows that are all in the document
const kTallest = 6e6;         // px: what browsers still scroll exactly
const kPrinted = 400;         // rows
const kShort = 10; // characters of a word that is not broken on paper
const kAcross = 7;            // metric columns side by side on paper

/// A cell's text for people, in the column's unit for people (shownUnit).
export function cellText(column, row) {
  const v = column.numeric ? column.number(row) : undefined;
  if (v === undefined) return wordsOf(column.tag, column.text(row));
  return column.kind === "axis" ? column.text(row) : shortNumber(v * (column.shown?.factor ?? 1));
}

/// "time_dram", and "lock_attempts, texture_units", in the reader's words; other texts as they are.
function wordsOf(tag, text) {
  const said = { binding: "metric", not_modelled: "unmodelled.short", missing_figures: "figure" }[tag];
  return said ? text.split(", ").filter(Boolean).map((what) => optional(`${said}.${what}`, what)).join(", ") : text;
}

function cell(column, row) {
  const text = cellText(column, row);
  if (text === "") return h("td", { class: "nothing" }, "–");
  const number = column.numeric && column.number(row) !== undefined;
  const title = column.kind === "metric"
    ? `${column.tag} = ${column.text(row)}${column.unit && " " + column.unit} (${t(`provenance.${column.provenance}`)})` : text;
  return h("td", { class: number ? "number" : text.length <= kShort ? "word short" : "word", title }, text);
}

/// Name, unit and provenance of a column.
export function columnHead(column) {
  if (column.kind === "axis") return [h("span", { class: "tag" }, t(`axis.${column.key}`))];
  const pieces = column.tag.split("_").flatMap((piece, i) => (i ? ["_", h("wbr"), piece] : [piece]));  // a narrow head breaks there
  return [h("span", { class: "tag" }, pieces),
    h("span", { class: "origin" }, column.unit && h("span", { class: "unit" }, column.shown?.unit ?? column.unit), badge(column.provenance))];
}

function bodyRow(table, columns, row) {
  const refused = table.refused.get(row);
  if (refused === undefined) return h("tr", {}, columns.map((c) => cell(c, row)));
  const axes = columns.filter((c) => c.kind === "axis");
  return h("tr", { class: "refused" }, axes.map((c) => cell(c, row)),
    h("td", { colspan: Math.max(1, columns.length - axes.length), class: "word", title: phraseText(refused) },
      t("table.refused", { why: phraseText(refused) })));
}

export class DataTable {
  /// `tags`: the metrics shown at first.
  constructor(table, tags, fileName) {
    this.table = table;
    this.fileName = fileName;
    this.main = tags.flatMap((tag) => table.tagged(tag));
    if (this.main.length === 0) this.main = table.columns.slice(0, 12);
    this.metrics = [...this.main];
    this.axes = table.axes.filter((a) => a.varies);
    if (this.axes.length === 0) this.axes = table.axes.slice(0, 3);
    this.filters = new Map();
    this.sort = undefined;
    this.only = undefined;
    this.search = "";
    this.build();
    this.update();
  }

  build() {
    this.count = h("span", { class: "count", role: "status" });
    this.chips = h("span", { class: "chips" });
    this.head = h("thead");
    this.body = h("tbody");
    this.element = h("table", { class: "data" }, this.head, this.body);
    this.scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": t("table.region"), onscroll: () => this.draw() },
      this.element);
    const searchBox = h("input", {
      type: "search", class: "search", placeholder: t("table.search"), "aria-label": t("table.search"),
      oninput: (e) => { this.search = e.target.value; this.update(); },
    });
    this.root = h("div", { class: "table-card" },
      h("div", { class: "toolbar" }, searchBox, this.chips, this.count, h("span", { class: "gap" }),
        columnChooser(this.table, this.main, () => this.metrics, (metrics) => { this.metrics = metrics; this.update(); }),
        h("button", { type: "button", class: "copy-csv", onclick: (e) => this.copyCsv(e.target) }, t("table.copy")),
        h("button", { type: "button", class: "save-csv", onclick: () => save(`${this.fileName}.csv`, "text/csv", this.csv()) }, t("table.save"))),
      this.scroller);
    this.printed = h("div", { class: "printed" });
    this.root.append(this.printed);
  }

  columns() {
    return [...this.axes, ...this.metrics];
  }

  csv() {
    return tableCsv(this.columns(), this.rows);
  }

  async copyCsv(button) {
    const words = button.textContent;
    button.textContent = t((await copy(this.csv())) ? "table.copied" : "table.not_copied");
    setTimeout(() => (button.textContent = words), 1500);
  }

  /// Shows these rows alone, with `label` on a chip that brings the others back.
  showOnly(rows, label) {
    const wanted = new Set(rows);
    this.only = { label, test: (row) => wanted.has(row) };
    this.update();
    this.root.scrollIntoView({ behavior: "smooth", block: "start" });
  }

  /// After any change of what is shown.
  update() {
    const columns = this.columns();
    const conditions = [];
    if (this.only) conditions.push(this.only.test);
    for (const c of columns) {
      const test = condition(this.filters.get(c.key) ?? "", c);
      if (test) conditions.push(test);
    }
    const searched = [...new Set([...this.table.axes, ...columns])];  // also what is the same in all rows
    for (const word of this.search.toLowerCase().split(/\s+/).filter(Boolean)) {
      conditions.push((row) => searched.some((c) => c.text(row).toLowerCase().includes(word))
        || (this.table.refused.get(row) ?? "").toLowerCase().includes(word));
    }
    this.rows = select(this.table.rows, conditions);
    const by = this.sort && columns.find((c) => c.key === this.sort.key);
    if (by) sortRows(this.rows, by, this.sort.direction);
    this.count.textContent = this.rows.length === this.table.rows ? t("table.rows", { count: this.table.rows })
      : t("table.rows_of", { shown: this.rows.length, count: this.table.rows });
    this.chips.replaceChildren();
    if (this.only)
      this.chips.append(h("button", { type: "button", class: "chip", onclick: () => { this.only = undefined; this.update(); } },
        `${this.only.label} ✕`));
    this.drawHead(columns);
    this.scroller.scrollTop = 0;
    this.from = this.to = -1;
    this.draw();
  }

  drawHead(columns) {
    const shape = columns.map((c) => c.key).join();
    if (shape !== this.shape) {
      this.shape = shape;
      const filters = columns.map((c) => h("td", {}, h("input", {
        type: "text", value: this.filters.get(c.key) ?? "", placeholder: c.numeric ? t("table.filter_number") : t("table.filter_word"),
        "aria-label": t("table.filter_of", { name: c.tag }), title: t("table.filter_help"), "data-filter": c.tag,
        oninput: (e) => { this.filters.set(c.key, e.target.value); this.update(); },
      })));
      this.heads = columns.map((c) => h("th", { scope: "col", class: c.kind === "axis" ? "axis" : "metric", title: c.description },
        h("button", { type: "button", class: "head", "data-sort": c.tag, onclick: () => this.sortBy(c.key) }, columnHead(c))));
      this.head.replaceChildren(h("tr", { class: "names" }, this.heads), h("tr", { class: "filters" }, filters));
    }
    columns.forEach((c, i) => {
      const on = this.sort?.key === c.key;
      this.heads[i].setAttribute("aria-sort", on ? (this.sort.direction > 0 ? "ascending" : "descending") : "none");
    });
  }

  sortBy(key) {
    if (this.sort?.key !== key) this.sort = { key, direction: 1 };
    else if (this.sort.direction > 0) this.sort = { key, direction: -1 };
    else this.sort = undefined;
    this.update();
  }

  /// Puts the rows in sight into the document.
  draw() {
    const columns = this.columns(), total = this.rows.length;
    const height = this.rowHeight ?? 30, view = this.scroller.clientHeight || 600;
    let from = 0, to = total, before = 0, after = 0;
    if (total > kAllAtOnce) {
      const visible = Math.ceil(view / height) + 1, extra = 20;
      const whole = Math.min(total * height, kTallest);
      const part = Math.min(1, this.scroller.scrollTop / Math.max(1, whole - view));
      const first = whole < kTallest ? Math.floor(this.scroller.scrollTop / height) : Math.round(part * (total - visible + 1));
      from = Math.max(0, Math.min(first, total) - extra);
      to = Math.min(total, first + visible + extra);
      before = whole < kTallest ? from * height : Math.max(0, this.scroller.scrollTop - (first - from) * height);
      after = Math.max(0, whole - before - (to - from) * height);
    }
    if (from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const spacer = (px) => px > 0 && h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: columns.length, style: `height:${px}px` }));
    const rows = Array.from(this.rows.subarray(from, to), (row) => bodyRow(this.table, columns, row));
    this.body.replaceChildren(...[spacer(before), ...rows, spacer(after)].filter(Boolean));
    if (total === 0) this.body.append(h("tr", {}, h("td", { colspan: columns.length, class: "nothing" }, t("table.empty"))));
    if (!this.rowHeight && rows.length > 0) {
      const measured = rows[0].getBoundingClientRect().height;
      if (measured > 0) this.rowHeight = measured;
    }
  }

  /// For paper: all rows up to a limit, the metrics in blocks that fit across.
  print() {
    const rows = this.rows.subarray(0, kPrinted);
    this.printed.replaceChildren();
    const blocks = Math.max(1, Math.ceil(this.metrics.length / kAcross));
    const across = Math.ceil(this.metrics.length / blocks);
    for (let b = 0; b < blocks; ++b) {
      const columns = [...this.axes, ...this.metrics.slice(b * across, (b + 1) * across)];
      this.printed.append(h("table", { class: "data" },
        h("thead", {}, h("tr", {}, columns.map((c) => h("th", { class: c.kind === "axis" ? "axis" : "metric" }, columnHead(c))))),
        h("tbody", {}, Array.from(rows, (row) => bodyRow(this.table, columns, row)))));
    }
    if (rows.length < this.rows.length)
      this.printed.append(h("p", { class: "remark" }, t("table.printed", { shown: rows.length, count: this.rows.length })));
  }
}
