// From a plot as the study declares it to lines of points.
import { sharedFolder } from "./data.js";
import { metricName, readableUnit, t } from "./messages.js";

const kMostRows = 20_000;
const kMostLines = 8;  // colours
const kMostFacets = 12;

/// "time@published" → its columns with numbers.
function columnsOf(table, y) {
  const [tag, provenance] = y.split("@");
  return table.tagged(tag).filter((c) => c.numeric && (!provenance || c.provenance === provenance));
}

/// What x means: {label, unit, numeric, value(row): number or word, axes: names of the axes it uses}.
export function quantity(table, name) {
  const factors = name.split("*");
  const axes = factors.map((f) => table.axis(f));
  if (axes.every((a) => a?.numeric)) {
    const label = factors.length > 1 && name === "rx*ry" ? t("axis.results_per_thread") : factors.map((f) => t(`axis.${f}`)).join(" · ");
    return {
      label, unit: "", numeric: true, axes: factors,
      value: (row) => {
        const v = axes.reduce((product, a) => product * (a.number(row) ?? NaN), 1);
        return Number.isFinite(v) ? v : undefined;
      },
    };
  }
  if (axes.length === 1 && axes[0])
    return { label: t(`axis.${name}`), unit: "", numeric: false, axes: factors, value: (row) => axes[0].text(row) || undefined };
  const [column] = columnsOf(table, name);
  if (!column) return undefined;
  const { unit, factor } = column.shown;
  return { label: metricName(column.tag), unit, numeric: true, axes: [], value: (row) => (column.number(row) === undefined ? undefined : column.number(row) * factor) };
}

/// By the columns' units: the unit for people that all columns of it share, and what to multiply by.
function unitsOf(columns) {
  const sizes = new Map();
  for (const c of columns) sizes.set(c.unit, Math.max(sizes.get(c.unit) ?? 0, c.size));
  return new Map([...sizes].map(([unit, size]) => [unit, readableUnit(unit, size)]));
}

/// Between what a row's value lies, where that is known: {low, high}. A predicted time or rate has its band, a measured one the
/// quartiles of its runs.
function spansOf(table, column) {
  if (!["time", "gflops"].includes(column.tag)) return () => undefined;
  const of = (tag) => table.tagged(tag).find((c) => c.provenance === column.provenance && c.numeric);
  const [low, high] = column.provenance === "measured" ? [of("time_p25"), of("time_p75")] : [of("time_low"), of("time_high")];
  const time = table.tagged("time").find((c) => c.provenance === column.provenance && c.unit === low?.unit);
  if (!low || !high || !time) return () => undefined;
  return (row) => {
    const [a, b, t, v] = [low, high, time, column].map((c) => c.number(row));
    if (!(a > 0) || !(b > 0) || !(t > 0) || !Number.isFinite(v)) return undefined;
    return column.tag === "time" ? { low: (v * a) / t, high: (v * b) / t } : { low: (v * t) / b, high: (v * t) / a };
  };
}

const seen = (axis, rows) => {
  const values = new Map();
  for (const row of rows) {
    const text = axis.text(row);
    if (text !== "") values.set(text, (values.get(text) ?? 0) + 1);
  }
  return values;
};

/// Axes of these rows that neither x nor a line tells apart: the reader chooses. Rx and Ry are one choice.
function freeAxes(table, used) {
  const names = table.axes.map((a) => a.key).filter((k) => !["study", "device"].includes(k) && !used.has(k));
  const tile = table.tile && names.includes("rx") && names.includes("ry");
  return names.filter((k) => !(tile && k === "rx")).map((k) => (tile && k === "ry" ? "tile" : k)).map(table.axis);
}

function ordered(axis, values) {
  const list = [...values];
  return axis.numeric ? list.sort((a, b) => Number(a) - Number(b)) : list;
}

/// Whether the axis only says again where a row stands along x, as a block of 32 x `rows` does for `rows`: to choose one
/// of its values would leave one place.
function renames(axis, x, rows) {
  const place = new Map(), value = new Map();
  return rows.every((row) => {
    const at = x.value(row), text = axis.text(row);
    if (!place.has(text)) place.set(text, at);
    if (!value.has(at)) value.set(at, text);
    return place.get(text) === at && value.get(at) === text;
  });
}

/// The rows after the reader's choices, and what there was to choose: [{axis, values, chosen}]. Only lines that have
/// several values of an axis leave a choice: rows of the others, and rows without the axis, stay.
function choose(table, rows, x, lineAxes, used, wanted) {
  const choices = [];
  const lineOf = (row) => lineAxes.map((a) => table.axis(a).text(row)).join("\u0000");
  for (const axis of freeAxes(table, used)) {
    const lines = new Map();
    for (const row of rows) {
      const line = lineOf(row);
      if (!lines.has(line)) lines.set(line, []);
      lines.get(line).push(row);
    }
    const open = [...lines.values()].filter((of) => seen(axis, of).size > 1).flat();
    if (open.length === 0) continue;
    if (!["kernel", "gpu"].includes(axis.key) && renames(axis, x, open)) continue;
    const values = seen(axis, open);
    // Unless told: the value with most places along x, of those the largest, of words the first.
    const places = new Map([...values.keys()].map((v) => [v, new Set()]));
    for (const row of open) places.get(axis.text(row))?.add(x.value(row));
    const list = ordered(axis, values.keys());
    let chosen = wanted.get(axis.key);
    if (!values.has(chosen)) chosen = list.reduce((best, v) => (places.get(v).size > places.get(best).size || (axis.numeric && places.get(v).size === places.get(best).size) ? v : best));
    choices.push({ axis: axis.key, values: list, chosen });
    const dropped = new Set(open.filter((row) => axis.text(row) !== chosen && axis.text(row) !== ""));
    rows = rows.filter((row) => !dropped.has(row));
  }
  return { rows, choices };
}

function label(table, axes, row) {
  const folder = sharedFolder(table);
  return axes.map((a) => {
    const text = table.axis(a)?.text(row) ?? "";
    if (text === "") return "";
    if (a === "kernel") return text.slice(folder.length);
    return ["gpu", "device", "tile"].includes(a) ? text : `${t(`axis.${a}`)} ${text}`;
  }).filter(Boolean).join(" · ");
}

/// The figures that a plot becomes: itself, or, with more lines than there are colours, one for each value of the axis that leaves
/// few enough in each. [{plot, facet: {axis, value} or undefined, order: the names of all lines, for colours that agree}].
export function facetsOf(table, plot) {
  const data = seriesOf(table, plot);
  const whole = [{ plot }];
  const groupsOf = (d) => [...new Set([...d.lines, ...d.references].map((l) => l.group))];
  if (!data || groupsOf(data).length <= kMostLines) return whole;
  for (const axis of ["gpu", ...(plot.series ?? []).filter((a) => a !== "gpu").reverse()]) {
    if (!(plot.series ?? []).includes(axis) || axis === "tile") continue;
    const kept = plot.filter?.[axis];
    const values = table.axis(axis)?.values.filter((v) => v !== "" && (!kept || kept.includes(v))) ?? [];
    if (values.length < 2 || values.length > kMostFacets) continue;
    const facets = ordered(table.axis(axis), values).map((value) => ({
      plot: { ...plot, series: plot.series.filter((a) => a !== axis), filter: { ...plot.filter, [axis]: [value] } }, facet: { axis, value },
    }));
    const each = facets.map((f) => seriesOf(table, f.plot));
    const order = [...new Set(each.filter(Boolean).flatMap(groupsOf))];
    if (order.length <= kMostLines) return facets.map((f) => ({ ...f, order }));
  }
  return whole;
}

/// {lines, references, choices, x, y}: a line has name, group (lines of one group have one colour), column and points
/// {x, y, row}; a reference is a row without a place on x, {name, column, y, row}. Undefined if there is nothing to draw.
export function seriesOf(table, plot, wanted = new Map()) {
  const x = quantity(table, plot.x);
  const columns = plot.y.flatMap((y) => columnsOf(table, y));
  if (!x || columns.length === 0) return undefined;
  let rows = [];
  for (let row = 0; row < table.rows; ++row) {
    const kept = Object.entries(plot.filter ?? {}).every(([axis, values]) => !table.axis(axis) || values.includes(table.axis(axis).text(row)));
    if (kept && columns.some((c) => Number.isFinite(c.number(row)))) rows.push(row);
  }
  // More than a plot can show: every so many-th of them.
  const all = rows.length, step = Math.ceil(all / kMostRows);
  if (step > 1) rows = rows.filter((_, i) => i % step === 0);
  const placed = rows.filter((row) => x.value(row) !== undefined);
  if (placed.length === 0) return undefined;
  const wordy = (plot.series ?? []).filter((name) => table.axis(name) && seen(table.axis(name), rows).size > 1);
  const used = new Set([...x.axes, ...wordy.flatMap((a) => (a === "tile" ? ["rx", "ry", "tile"] : [a]))]);
  const chosen = choose(table, rows, x, wordy, used, wanted);
  rows = chosen.rows;

  const devices = table.axis("device");
  const key = (row, c, device) => [...wordy.map((a) => table.axis(a).text(row)), c.key, device ? devices.text(row) : ""].join("\u0000");
  const clash = new Set(), taken = new Map();
  for (const row of rows)
    for (const c of columns) {
      if (!devices?.varies || !Number.isFinite(c.number(row))) continue;
      const place = `${key(row, c)}\u0000${x.value(row)}`, other = taken.get(place);
      if (other !== undefined && other !== devices.text(row)) clash.add(key(row, c));
      taken.set(place, devices.text(row));
    }
  const lines = new Map(), references = [];
  const origins = new Set(columns.map((c) => c.provenance)), tags = new Set(columns.map((c) => c.tag));
  const spans = new Map(columns.map((c) => [c, spansOf(table, c)]));
  const readable = unitsOf(columns), units = new Set([...readable.values()].map((u) => u.unit));
  for (const row of rows)
    for (const c of columns) {
      const { unit, factor } = readable.get(c.unit);
      const y = c.number(row) * factor, at = x.value(row);
      if (!Number.isFinite(y)) continue;
      const device = clash.has(key(row, c));
      const axes = [...wordy, ...(device ? ["device"] : [])];
      const group = label(table, axes, row);
      const name = [group, tags.size > 1 && metricName(c.tag), units.size > 1 && unit, origins.size > 1 && t(`provenance.${c.provenance}`)]
        .filter(Boolean).join(" · ") || metricName(c.tag);
      if (at === undefined) {
        references.push({ name, group, column: c, unit, y, row });
        continue;
      }
      const k = key(row, c, device);
      if (!lines.has(k)) lines.set(k, { name, unit, group: tags.size > 1 ? `${group} ${c.tag}` : group, column: c, points: [] });
      const span = spans.get(c)(row);
      lines.get(k).points.push({ x: at, y, row, low: span && span.low * factor, high: span && span.high * factor, detail: x.axes.length > 1 && table.tile ? table.tile.text(row) : "" });
    }
  if (x.numeric) for (const line of lines.values()) line.points.sort((a, b) => a.x - b.x || a.row - b.row);
  return {
    thinned: step > 1 ? { shown: rows.length, count: all } : undefined,
    lines: [...lines.values()], references, choices: chosen.choices, x,
    y: { label: [...tags].map(metricName).join(", "), several: tags.size > 1, unit: [...units].join(", "), description: columns[0].description },
  };
}
