// The page of launches: for each, on each GPU, what limits it and where.
import { bankPictures } from "./banks.js";
import { h } from "./dom.js";
import { memoryChart } from "./memory.js";
import { occupancy } from "./occupancy.js";
import { roofline } from "./roofline.js";
import { sentence } from "./said.js";
import { sharedFamilies, sharedSum } from "./shared.js";
import { sourceView } from "./source.js";
import { aboutText, currentLanguage, optional, phraseText, setLanguage, setMessages, t } from "./messages.js";
import { languageChoice, themeButton } from "./chrome.js";
import { count, digits, partName, percent, time } from "./words.js";

const data = JSON.parse(document.getElementById("data").textContent);
setMessages(JSON.parse(document.getElementById("messages").textContent));
const root = document.getElementById("launch");
/// t(), also where a time is called t.
const say = (key, values) => t(key, values);
// The first GPU that can run it.
let chosen = 0, gpu = Math.max(0, data.launches[0].gpus.findIndex((g) => g.view.time));

function verdict(of) {
  const v = of.view, t = v.time;
  if (v.refused) return h("p", { class: "verdict" }, phraseText(v.refused));
  const cards = [
    [say("launch.time"), time(t.total), of.band ? say(`launch.band${t.total < of.band[0] ? ".short" : t.total > of.band[1] ? ".long" : ""}`, { low: time(of.band[0], t.total), high: time(of.band[1], t.total) }) : t.unmodelled.length ? say("launch.too_short") : say("provenance.modelled")],
    [say("launch.limited_by"), partName(t.binding), say("launch.most_time")],
    [say("launch.occupancy"), percent(v.occupancy.percent), say("launch.warps_of", { warps: v.occupancy.warps, most: v.occupancy.most_warps })],
  ];
  const conflicts = sharedSum(v.memory, "conflicts"), passes = sharedFamilies(v.memory).map((f) => f.wavefronts / f.requests);
  if (passes.length) cards.push([say("launch.conflicts"), conflicts > 0 ? say("launch.fold", { times: digits(Math.max(...passes)) }) : say("launch.none"), conflicts > 0 ? say("launch.more_passes", { passes: count(conflicts) }) : say("launch.in_shared")]);
  return h("div", { class: "cards" }, cards.map(([name, value, more]) => h("div", { class: name === say("launch.conflicts") && conflicts > 0 ? "card bad" : "card" }, h("h3", {}, name), h("p", { class: "value" }, value), h("p", { class: "remark" }, more))));
}

function timeParts(t) {
  const most = Math.max(t.total, ...t.parts.map((p) => p.ms), 1e-12);
  const bar = (p) => h("tr", { title: aboutText(p.about) }, h("td", {}, partName(p.tag)), h("td", { class: "bar-cell" }, h("span", { class: `bar-of ${p.kind}${p.tag === t.binding ? " binds" : ""}`, style: `width:${Math.max(0.4, (100 * p.ms) / most)}%` })), h("td", { class: "n" }, time(p.ms)));
  const of = (kind) => t.parts.filter((p) => p.kind === kind && p.ms >= 0.001 * most).sort((a, b) => b.ms - a.ms);
  return h("div", {}, h("p", { class: "remark" }, say("launch.parts_about")), h("table", { class: "parts" }, of("alone").map(bar), h("tr", { class: "rule" }, h("td", { colspan: 3 })), of("more").map(bar),
    h("tr", { class: "sum" }, h("td", {}, say("launch.whole")), h("td", { class: "bar-cell" }, h("span", { class: "bar-of whole", style: `width:${(100 * t.total) / most}%` })), h("td", { class: "n" }, time(t.total)))),
    t.unmodelled.length > 0 && h("p", { class: "warning" }, say("launch.unmodelled", { what: t.unmodelled.map((u) => optional(`unmodelled.short.${u}`, u)).join(", ") })),
    t.missing.length > 0 && h("p", { class: "remark" }, say("launch.missing", { what: t.missing.map((f) => optional(`figure.${f}`, f)).join(", ") })));
}

const valueTable = (values) => h("details", {}, h("summary", { class: "button" }, say("launch.all_counters", { count: values.length })), h("div", { class: "source-scroll" }, h("table", { class: "values" },
  values.map((v) => h("tr", {}, h("td", {}, h("code", {}, v.tag)), h("td", { class: "n" }, typeof v.value === "number" ? v.value.toLocaleString(currentLanguage(), { maximumSignificantDigits: 6 }) : String(v.value)), h("td", {}, v.unit), h("td", { class: "hint" }, optional(`provenance.${v.from}`, v.from)), h("td", { class: "hint" }, aboutText(v.about)))))));

/// Whether the gain of what was tried is smaller than the uncertainty of the prediction.
const unsure = (of) => {
  const tried = of.view.sentences.find((s) => s.message === "said.tried.faster")?.with;
  return tried && of.band && of.band[1] * (tried.time.ms / tried.before.ms) >= of.band[0];
};

const section = (title, ...content) => h("section", {}, h("h2", {}, title), ...content);

function show(of) {
  const v = of.view, figure = v.time && v.roofline;
  return [verdict(of), section(say("launch.what_limits"), h("ul", { class: "sentences" }, v.sentences.map((s) => h("li", { class: s.message?.startsWith("said.tried") ? "tried" : "", "data-message": s.message ?? "" }, sentence(s))), unsure(of) && h("li", {}, say("launch.tried_unsure")))),
    v.padding?.length > 0 && section(say("launch.padding"), h("p", { class: "remark" }, say("launch.padding_about")), v.padding.map(bankPictures)),
    section(say("launch.memory"), h("div", { class: "scroll" }, memoryChart(v.memory))),
    v.time && section(say("launch.time"), timeParts(v.time)),
    figure && section(say("roofline.title"), roofline(v.roofline)),
    v.occupancy && section(say("launch.occupancy"), occupancy(v.occupancy)),
    v.files.length > 0 && section(say("launch.source"), v.files.map(sourceView)),
    section(say("launch.counters"), valueTable(v.values))].filter(Boolean);
}

function list() {
  if (data.launches.length < 2) return [];
  const ms = data.launches.map((l) => l.gpus[gpu]?.view.time?.total), most = Math.max(...ms.filter((v) => v !== undefined), 1e-12);
  return [h("h2", {}, say("launch.launches", { count: data.launches.length })), h("div", { class: "launch-list" }, h("table", {}, h("thead", {}, h("tr", {}, ["#", say("axis.kernel"), say("launch.grid"), say("launch.block"), say("launch.time"), "", say("launch.limited_by")].map((t) => h("th", {}, t)))), h("tbody", {}, data.launches.map((l, k) => h("tr", { class: k === chosen ? "chosen" : "", onclick: () => { chosen = k; draw(); } },
    h("td", { class: "n" }, k + 1), h("td", { class: "text" }, h("button", { type: "button", class: "link", "aria-pressed": String(k === chosen) }, l.kernel)), h("td", {}, l.grid), h("td", {}, l.block), h("td", { class: "n" }, ms[k] === undefined ? "–" : time(ms[k])),
    h("td", { class: "bar-cell" }, h("span", { class: "bar-of alone", style: `width:${(100 * (ms[k] ?? 0)) / most}%` })), h("td", {}, l.gpus[gpu]?.view.time ? partName(l.gpus[gpu].view.time.binding) : "")))))), data.left_out > 0 && h("p", { class: "hint" }, say("launch.left_out", { count: data.left_out }))].filter(Boolean);
}

function draw() {
  const l = data.launches[chosen];
  gpu = Math.min(gpu, l.gpus.length - 1);
  root.replaceChildren(h("header", {}, h("div", { class: "bar" }, h("span", { class: "house" }, "Warpwright"), h("span", { class: "gap" }), languageChoice((language) => { setLanguage(language); document.documentElement.lang = currentLanguage(); draw(); }), themeButton(), h("button", { type: "button", class: "print", onclick: () => print() }, say("page.print"))), h("h1", {}, l.kernel),
    h("p", { class: "about" }, say("watch.shape", { grid: l.grid, block: l.block }), data.command ? [" · ", h("code", {}, data.command)] : "")),
    h("div", { class: "tabs", role: "tablist" }, l.gpus.map((g, k) => h("button", { type: "button", role: "tab", "aria-selected": String(k === gpu), onclick: () => { gpu = k; draw(); } }, h("strong", {}, g.view.name), ` ${g.view.time ? time(g.view.time.total) : say("launch.refused")}`))),
    ...list(), ...show(l.gpus[gpu]), h("footer", {}, `${data.program} · ${say("launch.footer", { gpu: l.gpus[gpu].view.name })} ${data.note ?? ""}`));
  document.title = `${l.kernel} · Warpwright`;
}
/// What is folded on the screen is printed whole.
function unfold(open) {
  for (const folded of root.querySelectorAll("details")) folded.open = open;
}
addEventListener("beforeprint", () => unfold(true));
addEventListener("afterprint", () => unfold(false));
setLanguage(document.documentElement.lang);
draw();
