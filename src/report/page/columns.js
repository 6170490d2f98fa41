// Which metrics the table shows.
import { badge, kProvenances } from "./provenance.js";
import { h } from "./dom.js";
import { t } from "./messages.js";

/// A button that opens the list of all metrics. `get` gives those shown now, `set` takes the new ones.
export function columnChooser(table, main, get, set) {
  const boxes = new Map();
  const choose = (columns) => {
    set(columns);
    const shown = new Set(columns);
    for (const [column, box] of boxes) box.checked = shown.has(column);
  };
  const item = (column) => {
    const box = h("input", {
      type: "checkbox", "data-column": column.tag,
      onchange: () => set(table.columns.filter((c) => boxes.get(c).checked)),
    });
    box.checked = get().includes(column);
    boxes.set(column, box);
    return h("label", { class: "column", title: column.description, "data-words": `${column.tag} ${column.description}`.toLowerCase() }, box,
      h("span", { class: "tag" }, column.tag), column.unit && h("span", { class: "unit" }, column.unit),
      h("span", { class: "about" }, column.description));
  };
  const groups = kProvenances.map((p) => {
    const columns = table.columns.filter((c) => c.provenance === p);
    return columns.length > 0 && h("fieldset", {}, h("legend", {}, badge(p),
      h("button", { type: "button", class: "link", onclick: () => choose([...new Set([...get(), ...columns])]) }, t("columns.add"))),
      columns.map(item));
  });
  const list = h("div", { class: "columns" }, groups);
  const filter = (e) => {
    const word = e.target.value.toLowerCase();
    for (const label of list.querySelectorAll("label.column")) label.hidden = !label.dataset.words.includes(word);
  };
  const panel = h("details", { class: "chooser" }, h("summary", { class: "button" }, t("columns.choose")),
    h("div", { class: "panel" },
      h("div", { class: "toolbar" }, h("input", { type: "search", placeholder: t("columns.search"), "aria-label": t("columns.search"), oninput: filter }),
        h("button", { type: "button", onclick: () => choose(main) }, t("columns.main")),
        h("button", { type: "button", onclick: () => choose(table.columns) }, t("columns.all"))),
      list));
  document.addEventListener("click", (e) => { if (panel.open && !panel.contains(e.target)) panel.open = false; });
  panel.addEventListener("keydown", (e) => { if (e.key === "Escape") panel.open = false; });
  return panel;
}
