// What the GPU makes of the accesses: the counters of src/counters, for this step, so far, and in all.
import { aboutText, optional, shortNumber, t, unitWord } from "./messages.js";
import { h } from "./dom.js";

/// What the language calls a counter.
export const costName = (metric) => optional(`watch.metric.${metric.name}`, metric.name.replaceAll("_", " "));

export function costTable(launch, scope, step, spaces) {
  const last = launch.steps.length, bodies = [];
  for (const space of spaces) {
    const metrics = launch.recording.metrics[space] ?? [], all = scope.sums(space, 0, last);
    if (!all.some((n) => n > 0)) continue;
    const now = scope.sums(space, step, step + 1), soFar = scope.sums(space, 0, step + 1);
    bodies.push(h("tbody", { "data-space": space }, h("tr", { class: "space" }, h("th", { colspan: 4, scope: "rowgroup" }, t(`watch.space.${space}`))),
      metrics.map((m, k) => h("tr", { title: aboutText(m.description), "data-metric": m.name, class: now[k] > 0 ? "busy" : "" }, h("th", { scope: "row" }, costName(m), " ", !m.name.includes(m.unit) && h("span", { class: "soft" }, unitWord(m.unit, 2))),
        [now[k], soFar[k], all[k]].map((n) => h("td", { class: "number" }, shortNumber(n)))))));
  }
  return h("table", { class: "costs" }, h("thead", {}, h("tr", {}, h("th", {}), ["watch.this_step", "watch.so_far", "watch.in_all"].map((key) => h("th", { class: "number", scope: "col" }, t(key))))), bodies);
}

/// One warp's access, lane by lane.
export function laneTable(launch, event) {
  if (!event || event.barrier) return undefined;
  const { form } = event, array = launch.arrays[form.array];
  // Where the texels of a CUDA array lie is not published.
  const unit = launch.unit(form.array), placed = array?.space !== "texels", name = (element) => launch.elementName(array, element);
  const rows = form.lanes.map((lane) => {
    const starts = form.places.filter(([l]) => l === lane).map(([, offset]) => event.at + offset), thread = event.warp * 32 + lane;
    const what = array ? starts.map((from) => [Math.floor(from / unit), Math.floor((from + form.bytes - 1) / unit)]).map(([first, last]) => name(first) + (last > first ? ` … ${name(last)}` : "")).join(", ") : "";
    return h("tr", {}, h("td", { class: "number" }, lane), h("td", {}, launch.threadName(thread)), h("td", {}, what), h("td", { class: "number" }, placed ? `0x${(starts[0] + (array?.address ?? 0)).toString(16)}` : "–"));
  });
  return h("table", { class: "lanes" }, h("thead", {}, h("tr", {}, ["watch.lane", "watch.thread", "watch.element", "watch.address"].map((key) => h("th", {}, t(key))))), h("tbody", {}, rows));
}
