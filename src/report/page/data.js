// The page's data: what each row has of each axis and metric.
import { aboutText, addMessage, hasMessage, readableUnit, t } from "./messages.js";

const kWords = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/// Rows → entry, for the three ways in which page_data.cpp writes a column; undefined where a row has none.
function reader(column) {
  if ("all" in column) return () => column.all;
  if (column.at) {
    const entries = new Map(column.at.map((row, i) => [row, column.is[i]]));
    return (row) => entries.get(row);
  }
  return (row) => column.dense[row] ?? undefined;
}

/// The number that an entry of the data stands for; undefined for words.
export const asNumber = (entry) =>
  typeof entry === "number" ? entry : Array.isArray(entry) ? Number(entry[0]) : kWords[entry];

/// A number as it stands in results.csv, or one that reads back the same; words as they are.
const asText = (entry) => (entry === undefined ? "" : Array.isArray(entry) ? entry[0] : String(entry));

const kNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function readAxis(axis) {
  if (axis.label && !(axis.label === axis.name && hasMessage(`axis.${axis.name}`))) addMessage(`axis.${axis.name}`, axis.unit ? `${axis.label}, ${axis.unit}` : axis.label);
  const code = reader(axis);
  const filled = axis.values.filter((v) => v !== "");
  const numeric = filled.length > 0 && filled.every((v) => kNumber.test(v));
  const numbers = axis.values.map((v) => (numeric && v !== "" ? Number(v) : undefined));
  return {
    kind: "axis", key: axis.name, tag: axis.name, unit: "", numeric, values: axis.values,
    varies: axis.values.length > 1, known: filled.length, code,
    text: (row) => axis.values[code(row)],
    number: (row) => numbers[code(row)],
  };
}

/// Rx and Ry as one axis of words, "2×3".
function tileAxis(rx, ry) {
  const values = [], index = new Map();
  const text = (row) => (rx.text(row) && ry.text(row) ? `${rx.text(row)}×${ry.text(row)}` : "");
  const code = (row) => index.get(text(row));
  return {
    kind: "axis", key: "tile", tag: "tile", unit: "", numeric: false, values, varies: rx.varies || ry.varies, code,
    text, number: () => undefined,
    add(row) {
      const it = text(row);
      if (!index.has(it)) index.set(it, values.push(it) - 1);
    },
  };
}

function readColumn(column, i, rows) {
  const entry = reader(column);
  let numeric = false, words = false;
  for (let row = 0; row < rows && !(numeric && words); ++row) {
    const e = entry(row);
    if (e === undefined) continue;
    if (asNumber(e) === undefined) words = true;
    else numeric = true;
  }
  let size = 0;
  if (numeric) for (let row = 0; row < rows; ++row) {
    const v = Math.abs(asNumber(entry(row)) ?? 0);
    if (Number.isFinite(v) && v > size) size = v;
  }
  return {
    size, shown: readableUnit(column.unit, size),  // the unit for people: of the column's largest number
    kind: "metric", key: `c${i}`, tag: column.tag, unit: column.unit, provenance: column.provenance,
    get description() { return aboutText(column.description); }, numeric, words,
    has: (row) => entry(row) !== undefined,
    number: (row) => asNumber(entry(row)),
    text: (row) => asText(entry(row)),
  };
}

/// {title, rows, axes, tile, columns, refused, notes}: axes and columns have key, tag, unit, numeric, text(row) and
/// number(row), which is undefined for words and where there is nothing.
export function readTable(data) {
  const axes = data.axes.map(readAxis);
  const columns = data.columns.map((c, i) => readColumn(c, i, data.rows));
  const axis = (name) => axes.find((a) => a.key === name);
  let tile;
  if (axis("rx") && axis("ry")) {
    tile = tileAxis(axis("rx"), axis("ry"));
    for (let row = 0; row < data.rows; ++row) tile.add(row);
  }
  return {
    title: data.title, rows: data.rows, axes, tile, columns, notes: data.notes, refused: new Map(data.refused),
    axis: (name) => axis(name) ?? (name === "tile" ? tile : undefined),  // a study may have an axis of that name
    tagged: (tag) => columns.filter((c) => c.tag === tag),
  };
}

/// The folder that all kernels are in ("matmul/"), which need not be said each time; "" when there are several.
export function sharedFolder(table) {
  const names = table.axis("kernel")?.values.filter((v) => v !== "") ?? [];
  const folder = names[0]?.slice(0, names[0].indexOf("/") + 1) ?? "";
  return folder && names.every((n) => n.startsWith(folder)) ? folder : "";
}

/// A row by the axes that vary: "tiled · n 352 · block 16 · tile 2×2"; axes in `without` are known already. The device is
/// named where several could be meant.
export function rowName(table, row, without = []) {
  const words = [];
  const devices = table.axis("device")?.values.filter((v) => v !== "host" && v !== "") ?? [];
  for (const axis of table.axes) {
    if (axis.key === "study" || axis.key === "ry" || (axis.known < 2 && axis.key !== "kernel") || axis.text(row) === "" || without.includes(axis.key)) continue;
    if (axis.key === "kernel") words.push(axis.text(row).slice(sharedFolder(table).length));
    else if (axis.key === "rx" && table.tile) words.push(`${t("axis.tile")} ${table.tile.text(row)}`);
    else if (axis.key === "gpu") words.push(axis.text(row));
    else if (axis.key === "device") words.push(devices.length > 1 ? axis.text(row) : "");
    else words.push(`${t(`axis.${axis.key}`)} ${axis.text(row)}`);
  }
  return words.filter(Boolean).join(" · ") || t("row.only", { number: row + 1 });
}
