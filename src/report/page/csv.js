// CSV as RFC 4180 has it.

const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/// The rows, in this order, with these columns (axes and metrics): a line each, heads first. A metric's head says its
/// unit and provenance.
export function tableCsv(columns, rows) {
  const head = (c) => (c.kind === "axis" ? c.tag : `${c.tag} [${[c.unit, c.provenance].filter(Boolean).join("; ")}]`);
  const lines = [columns.map((c) => field(head(c))).join(",")];
  for (const row of rows) lines.push(columns.map((c) => field(c.text(row))).join(","));
  return lines.join("\n") + "\n";
}
