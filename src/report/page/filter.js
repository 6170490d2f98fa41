// Which rows to show, and in what order.

const kComparisons = {
  ">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  "=": (a, b) => a === b, "!=": (a, b) => a !== b,
};
const number = (text) => (text.trim() === "" ? NaN : Number(text.trim().replace(",", ".").replaceAll(/[\s_]/g, "")));

/// What a filter cell means: ">100", "<=5", "=16", "!=engine", "100..200", or part of the text. Undefined: no filter.
export function condition(text, column) {
  text = text.trim();
  if (text === "") return undefined;
  // In the unit that the table shows.
  const of = (row) => (column.number(row) === undefined ? undefined : column.number(row) * (column.shown?.factor ?? 1));
  const range = /^(.+?)\.\.(.+)$/.exec(text);
  if (range && column.numeric && !Number.isNaN(number(range[1])) && !Number.isNaN(number(range[2]))) {
    const low = number(range[1]), high = number(range[2]);
    return (row) => of(row) >= low && of(row) <= high;
  }
  const comparison = /^(>=|<=|!=|>|<|=)(.*)$/.exec(text);
  if (comparison) {
    const [, sign, rest] = comparison, value = number(rest), compare = kComparisons[sign];
    if (column.numeric && !Number.isNaN(value))
      return (row) => of(row) !== undefined && compare(of(row), value);
    if (sign === "=" || sign === "!=") return (row) => compare(column.text(row), rest.trim());
  }
  const part = text.toLowerCase();
  return (row) => column.text(row).toLowerCase().includes(part);
}

/// The rows of the table that meet all conditions, ascending.
export function select(count, conditions) {
  const rows = new Uint32Array(count);
  let used = 0;
  for (let row = 0; row < count; ++row) {
    let good = true;
    for (let i = 0; good && i < conditions.length; ++i) good = conditions[i](row);
    if (good) rows[used++] = row;
  }
  return rows.subarray(0, used);
}

/// Sorts in place by a column, 1 up or -1 down; rows without a value, and NaN, come last either way.
export function sortRows(rows, column, direction) {
  const missing = (v) => v === undefined || v === "" || Number.isNaN(v);
  const key = column.numeric ? column.number : column.text;
  const keys = new Map();
  for (const row of rows) keys.set(row, key(row));
  const compare = column.numeric ? (a, b) => a - b : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return rows.sort((a, b) => {
    const x = keys.get(a), y = keys.get(b);
    if (missing(x) || missing(y)) return missing(x) - missing(y) || a - b;
    return (x === y ? 0 : direction * compare(x, y)) || a - b;
  });
}
