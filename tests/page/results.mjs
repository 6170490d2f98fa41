// Result files for the tests of the page, and a reader of CSV.
import { closeSync, openSync, writeSync } from "node:fs";

/// Fields of CSV lines (RFC 4180).
export function parseCsv(text) {
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    lines.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "") break;
    if (end !== ",") lines.push([]);
  }
  return lines.filter((l) => l.length > 1 || l[0] !== "");
}

/// Names with markup, every kind of number, refusals, nothing.
export function hostileResults() {
  const names = ["plain", "<script>window.owned = 1</script>", "</script><script>window.owned = 2</script>",
    "<img src=x onerror='window.owned = 3'>", "\"'`&amp;<!--", "]]>", "--><b>", "a,b;c\n\"d\"", "příliš 日本語 \u202e\u200b", "{best} {0}",
    "constructor", "__proto__", " ", "=1+2"];
  const number = { nan: "nan", inf: "inf", minus: "-inf", tiny: 5e-324, huge: 1.7e308, zero: 0, long: 9007199254740993n };
  const rows = names.map((name, i) => ({
    axes: { study: "x", kernel: `${i} ${name}`, gpu: name, n: String(i * i), block: String(i % 3) },
    values: [
      ...Object.entries(number).map(([tag, value]) => ({ tag, value: tag === "long" ? 9007199254740992 + 2 * i : value, unit: name, provenance: "counted", description: name })),
      { tag: "gflops", value: i % 2 ? "nan" : i, unit: "<i>", provenance: "modelled", description: name },
      { tag: `tag ${name}`, value: name, unit: "", provenance: "input", description: "" },
      { tag: "time", value: i - 3, unit: "ms", provenance: "measured", description: "" },
      { tag: "binding", value: name, unit: "", provenance: "modelled", description: "" },
    ],
    ...(i % 5 === 4 ? { refused: name } : {}),
  }));
  return { title: "<script>window.owned = 4</script>&lt;", rows, notes: names };
}

/// A CSV file as `study --out` writes them, with `count` rows of one value.
export function manyRows(file, count) {
  const handle = openSync(file, "w");
  writeSync(handle, "study,kernel,gpu,device,n,block,rx,ry,r,k,metric,value,unit,provenance\n");
  for (let row = 0; row < count; row += 10_000)
    writeSync(handle, Array.from({ length: Math.min(10_000, count - row) }, (_, i) =>
      `many,,,engine,${row + i},,,,,,flop,${(row + i) * 3},flop,counted\n`).join(""));
  closeSync(handle);
}
