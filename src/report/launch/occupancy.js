// What an SM holds, what limits it, and where that changes.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";
import { digits, percent, wordOf } from "./words.js";

const kStepsWidth = 300, kStepsHeight = 120, kStepsLeft = 34, kStepsBottom = 20;

function chart(c) {
  const reach = c.steps.filter((s) => s[2] > 0).at(-1)?.[1] ?? c.steps.at(-1)?.[1] ?? 1, end = Math.min(reach, Math.max(c.value * 4, 64));
  const x = (v) => kStepsLeft + (Math.min(v, end) / end) * (kStepsWidth - kStepsLeft - 6), y = (p) => 8 + (1 - p / 100) * (kStepsHeight - kStepsBottom - 8);
  const root = svg("svg", { class: "steps", viewBox: `0 0 ${kStepsWidth} ${kStepsHeight}`, role: "img", "aria-label": `${t("launch.occupancy")}: ${wordOf(c.title)}` });
  for (const p of [0, 50, 100]) root.append(svg("line", { class: "grid", x1: kStepsLeft, x2: kStepsWidth - 6, y1: y(p), y2: y(p) }), svg("text", { class: "tick end", x: kStepsLeft - 4, y: y(p) + 4 }, p));
  let path = "";
  for (const [first, last, p] of c.steps) if (first <= end) path += `${path ? "L" : "M"}${x(first)} ${y(p)}L${x(last)} ${y(p)}`;
  root.append(svg("path", { class: "line", d: path }));
  const here = c.steps.find((s) => s[0] <= c.value && c.value <= s[1]);
  if (here) root.append(svg("circle", { class: "here", cx: x(c.value), cy: y(here[2]), r: 5 }, svg("title", {}, `${c.value}: ${percent(here[2])}`)));
  root.append(svg("text", { class: "tick", x: kStepsLeft, y: kStepsHeight - 5 }, "0"), svg("text", { class: "tick end", x: kStepsWidth - 6, y: kStepsHeight - 5 }, digits(end)));
  const near = [c.steps.filter((s) => here && s[1] < here[0] && s[2] !== here[2] && s[2] > 0).at(-1), c.steps.find((s) => here && s[0] > here[1] && s[2] !== here[2])];
  const next = near.filter(Boolean).map((s) => `${s[1] < c.value ? s[1] : s[0]}: ${s[2] > 0 ? percent(s[2]) : t("launch.cannot")}`).join(", ");
  return h("figure", { class: "steps-figure" }, h("figcaption", {}, `${wordOf(c.title)}: `, h("strong", {}, digits(c.value)), here ? ` → ${percent(here[2])}` : ""), root, next ? h("p", { class: "hint" }, t("launch.cliffs", { places: next })) : undefined);
}

export const occupancy = (o) => h("div", {},
  h("p", {}, t("launch.holds", { blocks: o.blocks, warps: o.warps, most: o.most_warps, percent: percent(o.percent), achieved: percent(o.achieved), registers: o.registers, from: o.registers_from })),
  h("table", { class: "limits" }, o.limits.map((l) => h("tr", { class: l.binds ? "binds" : "" }, h("td", {}, wordOf(l.name)), h("td", { class: "n" }, t("launch.blocks", { count: l.blocks })), h("td", {}, l.binds ? `← ${t("launch.limits")}` : "")))),
  h("div", { class: "charts" }, o.charts.map(chart)));
