// The page of launches: for each, on each GPU, what limits it and where.
import { bankPictures } from "./banks.js";
import { h } from "./dom.js";
import { memoryChart } from "./memory.js";
import { occupancy } from "./occupancy.js";
import { roofline } from "./roofline.js";
import { sourceView } from "./source.js";
import { setMessages } from "./messages.js";
import { themeButton } from "./chrome.js";
import { count, digits, kParts, kUnmodelled, percent, time } from "./words.js";

const data = JSON.parse(document.getElementById("data").textContent);
setMessages(JSON.parse(document.getElementById("messages").textContent));
const root = document.getElementById("launch");
let chosen = 0, gpu = 0;

const band = (of) => (of.band ? ` (${time(of.band[0])} to ${time(of.band[1])})` : "");

function verdict(of) {
  const v = of.view, t = v.time;
  if (v.refused) return h("p", { class: "verdict" }, v.refused);
  const cards = [
    ["Time", time(t.total), of.band ? `${time(of.band[0])} to ${time(of.band[1])} is where 8 of 10 such times lie` : t.unmodelled.length ? "too short, see below" : "modelled"],
    ["Limited by", kParts[t.binding] ?? t.binding, "takes the most time"],
    ["Occupancy", percent(v.occupancy.percent), `${v.occupancy.warps} of ${v.occupancy.most_warps} warps of an SM`],
  ];
  const conflicts = Object.values(v.memory.families).reduce((s, f) => s + (f.conflicts ?? 0), 0);
  const passes = ["shared_load", "shared_store"].map((f) => v.memory.families[f]).filter((f) => f?.requests > 0).map((f) => f.wavefronts / f.requests);
  if (passes.length) cards.push(["Bank conflicts", conflicts > 0 ? `${digits(Math.max(...passes))}-fold` : "none", conflicts > 0 ? `${count(conflicts)} passes more than needed` : "in shared memory"]);
  return h("div", { class: "cards" }, cards.map(([name, value, more]) => h("div", { class: name === "Bank conflicts" && conflicts > 0 ? "card bad" : "card" }, h("h3", {}, name), h("p", { class: "value" }, value), h("p", { class: "hint" }, more))));
}

function timeParts(t) {
  const most = Math.max(t.total, ...t.parts.map((p) => p.ms), 1e-12);
  const bar = (p) => h("tr", { title: p.about }, h("td", {}, kParts[p.tag] ?? p.tag), h("td", { class: "bar-cell" }, h("span", { class: `bar-of ${p.kind}${p.tag === t.binding ? " binds" : ""}`, style: `width:${Math.max(0.4, (100 * p.ms) / most)}%` })), h("td", { class: "n" }, time(p.ms)));
  const of = (kind) => t.parts.filter((p) => p.kind === kind && p.ms >= 0.001 * most).sort((a, b) => b.ms - a.ms);
  return h("div", {}, h("p", { class: "hint" }, "Each resource alone: they work side by side, the longest counts. Below them what comes on top."), h("table", { class: "parts" }, of("alone").map(bar), h("tr", { class: "rule" }, h("td", { colspan: 3 })), of("more").map(bar),
    h("tr", { class: "sum" }, h("td", {}, "whole launch"), h("td", { class: "bar-cell" }, h("span", { class: "bar-of whole", style: `width:${(100 * t.total) / most}%` })), h("td", { class: "n" }, time(t.total)))),
    t.unmodelled.length > 0 && h("p", { class: "warning" }, `Not modelled, so that these times are too short: ${t.unmodelled.map((u) => kUnmodelled[u] ?? u).join(", ")}.`),
    t.missing.length > 0 && h("p", { class: "hint" }, `Figures of this GPU that nobody has published or measured: ${t.missing.join(", ")}.`));
}

const valueTable = (values) => h("details", {}, h("summary", { class: "button" }, `All ${values.length} counters`), h("div", { class: "source-scroll" }, h("table", { class: "values" },
  values.map((v) => h("tr", {}, h("td", {}, h("code", {}, v.tag)), h("td", { class: "n" }, typeof v.value === "number" ? v.value.toLocaleString("en", { maximumSignificantDigits: 6 }) : String(v.value)), h("td", {}, v.unit), h("td", { class: "hint" }, v.from), h("td", { class: "hint" }, v.about))))));

const section = (title, ...content) => h("section", {}, h("h2", {}, title), ...content);

/// Bytes between backquotes are code.
const sentence = (text) => text.split("`").map((part, k) => (k % 2 ? h("code", {}, part) : part));

function show(of) {
  const v = of.view, figure = v.time && v.roofline;
  return [verdict(of), section("What limits it", h("ul", { class: "sentences" }, v.sentences.map((s) => h("li", { class: s.startsWith("Tried") ? "tried" : "" }, sentence(s))))),
    v.padding?.length > 0 && section("Bank conflicts, and what longer rows give", h("p", { class: "hint" }, "Columns are the banks of shared memory, numbers are lanes of the warp. Lanes in one column and different rows wait for each other."), v.padding.map(bankPictures)),
    section("Memory", h("div", { class: "scroll" }, memoryChart(v.memory))),
    v.time && section("Time", timeParts(v.time)),
    figure && section("Roofline", roofline(v.roofline)),
    v.occupancy && section("Occupancy", occupancy(v.occupancy)),
    v.files.length > 0 && section("Source, line by line", v.files.map(sourceView)),
    section("Counters", valueTable(v.values))].filter(Boolean);
}

function list() {
  if (data.launches.length < 2) return [];
  const ms = data.launches.map((l) => l.gpus[gpu]?.view.time?.total), most = Math.max(...ms.filter((v) => v !== undefined), 1e-12);
  return [h("h2", {}, `${data.launches.length} launches`), h("div", { class: "launch-list" }, h("table", {}, h("thead", {}, h("tr", {}, ["#", "kernel", "grid", "block", "time", "", "limited by"].map((t) => h("th", {}, t)))), h("tbody", {}, data.launches.map((l, k) => h("tr", { class: k === chosen ? "chosen" : "", onclick: () => { chosen = k; draw(); } },
    h("td", { class: "n" }, k + 1), h("td", { class: "text" }, h("button", { type: "button", class: "link", "aria-pressed": String(k === chosen) }, l.kernel)), h("td", {}, l.grid), h("td", {}, l.block), h("td", { class: "n" }, ms[k] === undefined ? "–" : time(ms[k])),
    h("td", { class: "bar-cell" }, h("span", { class: "bar-of alone", style: `width:${(100 * (ms[k] ?? 0)) / most}%` })), h("td", {}, kParts[l.gpus[gpu]?.view.time?.binding] ?? "")))))), data.left_out > 0 && h("p", { class: "hint" }, `${data.left_out} more launches are in results.json.`)].filter(Boolean);
}

function draw() {
  const l = data.launches[chosen];
  gpu = Math.min(gpu, l.gpus.length - 1);
  root.replaceChildren(h("header", {}, h("div", { class: "bar" }, h("span", { class: "house" }, "Warpwright"), h("span", { class: "gap" }), themeButton()), h("h1", {}, l.kernel),
    h("p", { class: "about" }, `grid ${l.grid}, block ${l.block}`, data.command ? [" · ", h("code", {}, data.command)] : "")),
    h("div", { class: "tabs", role: "tablist" }, l.gpus.map((g, k) => h("button", { type: "button", role: "tab", "aria-selected": String(k === gpu), onclick: () => { gpu = k; draw(); } }, h("strong", {}, g.view.name), ` ${g.view.time ? time(g.view.time.total) : "refused"}`))),
    ...list(), ...show(l.gpus[gpu]), h("footer", {}, `${data.program} · counters are counted by running the kernel on the CPU; caches, occupancy and times are modelled for ${l.gpus[gpu].view.name}. ${data.note ?? ""}`));
  document.title = `${l.kernel} · Warpwright`;
}
draw();
