// The worst access of a shared array, bank by bank: as it is, and with longer rows.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";

const kCell = 17;

/// Rows of `banks` words; the cells that lanes go to are coloured by how many lanes share the bank.
function picture({ lanes, words, passes }, banks, columns, label) {
  const unique = [...new Set(words)], fair = Math.ceil(unique.length / banks);  // of each bank, were they spread evenly
  const inBank = new Map();
  for (const w of unique) inBank.set(w % banks, (inBank.get(w % banks) ?? 0) + 1);
  const first = Math.floor(Math.min(...words) / banks), last = Math.min(first + 40, Math.floor(Math.max(...words) / banks));
  const height = (last - first + 1) * kCell, width = banks * kCell;
  const root = svg("svg", { class: "banks", viewBox: `0 0 ${width + 2} ${height + 18}`, role: "img", "aria-label": label, style: `max-width:${width + 2}px` });
  for (let b = 0; b < banks; b += 4) root.append(svg("text", { class: "name", x: b * kCell + kCell / 2 + 1, y: 11 }, b));
  for (let row = first; row <= last; ++row)
    for (let b = 0; b < banks; ++b) {
      const word = row * banks + b;
      const slack = word % columns.all >= columns.own;
      root.append(svg("rect", { class: slack ? "cell slack" : "cell", x: b * kCell + 1, y: (row - first) * kCell + 16, width: kCell, height: kCell }));
    }
  words.forEach((w, k) => {
    const lane = lanes[k], row = Math.floor(w / banks) - first, b = w % banks;
    if (row > last - first) return;
    const x = b * kCell + 1, y = row * kCell + 16;
    root.append(svg("rect", { class: inBank.get(b) > fair ? "hit bad" : "hit", x, y, width: kCell, height: kCell }, svg("title", {}, t("launch.lane_bank", { lane, word: w, bank: b }))));
    root.append(svg("text", { class: "lane", x: x + kCell / 2, y: y + kCell / 2 }, lane));
  });
  return h("figure", { class: "bank-figure" }, h("figcaption", {}, label, h("strong", {}, ` ${t("launch.passes", { count: passes })}`)), h("div", { class: "scroll" }, root));
}

export const bankPictures = (padding) => h("div", { class: "pair" },
  picture(padding.banks_before, padding.banks, { own: padding.columns, all: padding.columns }, t("launch.as_it_is", { array: padding.array, words: padding.columns })),
  picture(padding.banks_after, padding.banks, { own: padding.columns, all: padding.columns + padding.words }, t("launch.tried_rows", { words: padding.columns + padding.words })));
