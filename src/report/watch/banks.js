// Shared memory by banks: where its words lie, and in which pass each bank gives which word.
import { cell, look } from "./arrays.js";
import { h, svg } from "./dom.js";
import { kWord, lanesOf } from "./recording.js";
import { t } from "./messages.js";

const kCell = 19, kRow = 17, kLeft = 46, kMostPasses = 64;

/// Bank numbers above, row labels at the left.
function frame(banks, rows, label) {
  const parts = [];
  for (let b = 0; b < banks; ++b) parts.push(svg("text", { class: "bank-name", x: kLeft + (b + 0.5) * kCell, y: 10 }, b));
  for (let r = 0; r < rows; ++r) parts.push(svg("text", { class: "row-name", x: kLeft - 5, y: 16 + (r + 0.5) * kRow }, label(r)));
  return parts;
}

const at = (bank, row) => [kLeft + bank * kCell, 16 + row * kRow];

function picture(banks, rows, name, ...content) {
  const width = kLeft + banks * kCell + 2, height = 18 + rows * kRow;
  return svg("svg", { class: "array bank-picture", viewBox: `0 0 ${width} ${height}`, style: `width:${width}px`, role: "img", "aria-label": name }, content);
}

/// The block's shared memory, a row for each word of all banks.
export function bankMap(launch, scope, events, colours) {
  const banks = launch.recording.gpu.banks, words = Math.ceil(launch.data.sharedBytes / kWord), rows = Math.ceil(words / banks);
  const shared = launch.arrays.map((a, index) => ({ a, index })).filter(({ a }) => a.space === "shared");
  const ground = [], front = [];
  shared.forEach(({ a }, k) => {
    const first = Math.floor(a.address / kWord), count = Math.ceil(a.bytes / kWord);
    let d = "", edges = "";
    for (let w = first; w < first + count; ++w) {
      const [x, y] = at(w % banks, Math.floor(w / banks));
      d += `M${x} ${y}h${kCell}v${kRow}h${-kCell}z`;
      if (a.columns && ((w - first) * kWord) % (a.columns * a.unit) === 0) edges += `M${x} ${y}v${kRow}`;
    }
    ground.push(svg("path", { class: `region region-${k % 2}`, d }));
    front.push(svg("path", { class: "row-edge", d: edges }));
    const [x, y] = at(first % banks, Math.floor(first / banks));
    front.push(svg("text", { class: "region-name", x: x + 4, y: y + 13 }, a.name));
  });
  const byWord = new Map();
  for (const event of events) {
    if (event.barrier || event.form.space !== "shared" || event.block !== scope.block) continue;
    const base = (launch.arrays[event.form.array]?.address ?? 0) / kWord;
    launch.eachElement(event.index, (element, thread) => {
      if (!scope.shows(thread)) return;
      const word = Math.floor(base + element);
      if (!byWord.has(word)) byWord.set(word, []);
      byWord.get(word).push({ event, thread });
    }, kWord);
  }
  const cells = [...byWord].map(([word, by]) => cell(...at(word % banks, Math.floor(word / banks)), kCell, kRow, look(by, colours), { "data-word": word, "data-threads": [...new Set(by.map((b) => b.thread))].join(" ") }));
  return picture(banks, rows, t("watch.banks"), frame(banks, rows, (r) => r * banks), ground, cells, front);
}

/// The passes of one warp's access; undefined where it has none.
export function bankPasses(launch, event, colours) {
  if (!event || event.barrier || !event.form.banks) return undefined;
  const { form } = event, banks = launch.recording.gpu.banks;
  const passes = 1 + Math.max(...form.banks.map(([pass]) => pass)), rows = Math.min(passes, kMostPasses);
  const base = launch.arrays[form.array]?.address ?? 0, first = Math.floor((base + event.at) / kWord);
  const cells = form.banks.filter(([pass]) => pass < rows).map(([pass, bank, word, mask]) => {
    const [x, y] = at(bank, pass), by = lanesOf(mask).map((lane) => ({ event, thread: event.warp * 32 + lane }));
    const array = launch.arrays[form.array], element = ((first + word - Math.floor(base / kWord)) * kWord) / launch.unit(form.array);
    const who = `${array ? launch.elementName(array, element) : `${(first + word) * kWord}`}: ${by.map((b) => b.thread).join(", ")}`;
    const shown = cell(x, y, kCell, kRow, look(by, colours), { "data-pass": pass, "data-bank": bank, "data-word": first + word, "data-lanes": lanesOf(mask).join(" ") });
    shown.append(svg("title", {}, t("watch.gives", { bank, what: who })));
    return shown;
  });
  let lines = "";
  for (let r = 0; r <= rows; ++r) lines += `M${kLeft} ${16 + r * kRow}h${banks * kCell}`;
  for (let b = 0; b <= banks; ++b) lines += `M${kLeft + b * kCell} 16v${rows * kRow}`;
  return h("div", { class: "passes" }, picture(banks, rows, t("watch.passes"), frame(banks, rows, (r) => r + 1), svg("path", { class: "lines", d: lines }), cells),
    passes > rows && h("p", { class: "hint" }, t("watch.more_passes", { count: passes - rows })));
}
