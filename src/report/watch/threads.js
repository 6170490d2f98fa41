// Choosing a block of the grid and a thread of the block by pointing at them; the threads are the legend of the colours.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";

const kMostCells = 1024, kRoom = 230, kWideRoom = 352; // px

/// Cells of a grid of `size` [x, y, z]: `of(i)` says {fill, ink, label, class, name}; `choose(i)` is called on a click.
function cells(size, room, of, choose, name) {
  const [x, y, z] = size, rows = y * z, columns = rows === 1 && x > 32 ? 32 : x, lines = rows === 1 ? Math.ceil(x / columns) : rows;
  const cell = Math.max(5, Math.min(26, Math.floor((columns > 16 ? kWideRoom : room) / columns)));
  const all = [];
  for (let i = 0; i < x * rows; ++i) {
    const look = of(i), px = (i % columns) * cell, py = Math.floor(i / columns) * cell;
    all.push(svg("g", { class: `choice ${look.class ?? ""}`, "data-index": i, onclick: () => choose(i) }, svg("title", {}, look.name),
      svg("rect", { x: px + 0.5, y: py + 0.5, width: cell - 1, height: cell - 1, rx: 2, style: look.fill && `fill:${look.fill}` }),
      cell >= 17 && svg("text", { x: px + cell / 2, y: py + cell / 2, class: "in-cell", style: look.ink && `fill:${look.ink}` }, look.label ?? i)));
  }
  const width = columns * cell, height = lines * cell;
  return svg("svg", { class: "array choices-picture", viewBox: `0 0 ${width} ${height}`, style: `width:${width}px`, role: "img", "aria-label": name }, all);
}

/// The block's threads: those that are active in the events full, the others hollow.
export function threadMap(launch, scope, events, colours, choose) {
  const active = new Set(events.filter((e) => e.block === scope.block).flatMap((e) => e.lanes.map((lane) => e.warp * 32 + lane)));
  const shown = { block: scope.block };
  if (launch.threads > kMostCells) return h("p", {}, launch.threads);
  return cells(launch.data.block, kRoom, (thread) => {
    const c = colours({ ...shown, warp: Math.floor(thread / 32) }, thread), on = active.has(thread) && (scope.kind !== "thread" || thread === scope.thread);
    const outside = scope.kind === "warp" && Math.floor(thread / 32) !== scope.warp;
    return { fill: on ? c.fill : undefined, ink: on ? c.ink : undefined, label: thread, class: `${on ? "on" : "off"}${thread === scope.thread ? " chosen" : ""}${outside ? " outside" : ""}`,
      name: t("watch.thread_name", { thread: launch.threadName(thread), warp: Math.floor(thread / 32), lane: thread % 32 }) };
  }, choose, t("watch.threads"));
}

/// The grid's blocks.
export function blockMap(launch, scope, colours, choose) {
  if (launch.blocks === 1) return undefined;
  if (launch.blocks > kMostCells)
    return h("input", { type: "number", min: 0, max: launch.blocks - 1, value: scope.block, "aria-label": t("watch.block"), onchange: (e) => choose(Math.min(launch.blocks - 1, Math.max(0, Math.floor(Number(e.target.value)) || 0))) });
  return cells(launch.data.grid, kRoom, (block) => {
    const c = scope.colour === "block" ? colours({ block, warp: 0 }, 0) : {};
    return { fill: c.fill, ink: c.ink, label: block, class: `${c.fill ? "on" : "off"}${block === scope.block ? " chosen" : ""}`, name: t("watch.block_name", { block: launch.blockName(block) }) };
  }, choose, t("watch.blocks"));
}
