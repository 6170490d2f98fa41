// An array as a picture: its elements in rows, those that are touched in the colours of who touches them, the pieces of
// memory that move for it, and faintly what was touched before.
import { h, svg } from "./dom.js";
import { conflicting } from "./recording.js";
import { t } from "./messages.js";

const kLine = 32;         // elements of a line of a vector, 128 bytes; long vectors have several of these in a line
const kShortVector = 256; // elements
const kMostSlices = 4;    // colours in one cell
const kSmallestText = 17; // px of a cell that holds a number, and of one that holds ×n
const kSmallestMany = 20;
const kDigit = 6;         // px
const kMostSingle = 4000;  // that are elements of the picture each: a browser takes 80 us for one
const kSmallestValue = 32; // px of a cell that has its value below its number

const kLargest = 42;      // px

const cellSize = (columns, room) => (columns * 5 > room ? room / columns : Math.min(kLargest, Math.floor(room / columns)));

/// Who touches which element: [{element, by: [{event, thread}]}] of the events in one array.
export function touched(launch, scope, events, arrayIndex) {
  const found = new Map();
  for (const event of events) {
    if (event.barrier || event.form.array !== arrayIndex) continue;
    launch.eachElement(event.index, (element, thread) => {
      if (!scope.shows(thread)) return;
      if (!found.has(element)) found.set(element, []);
      found.get(element).push({ event, thread });
    });
  }
  return found;
}

/// The passes that the conflicts of these accesses take, beyond what they must.
const conflictsOf = (events, index) => events.filter((e) => !e.barrier && e.form.array === index).reduce((sum, { form }) => sum + (form.cost[form.metrics.findIndex((m) => m.name === "bank_conflicts")] ?? 0), 0);

/// The different colours of those who touch an element, and what to write on it.
export function look(by, colours) {
  const all = new Map();
  for (const { event, thread } of by) {
    const c = colours(event, thread);
    if (!all.has(c.label)) all.set(c.label, c);
  }
  const list = [...all.values()];
  const few = list.length <= kMostSlices ? list : Array.from({ length: kMostSlices }, (_, k) => list[Math.floor((k * (list.length - 1)) / (kMostSlices - 1))]);
  return { fills: few.map((c) => c.fill), ink: list.length === 1 ? list[0].ink : undefined, label: list.length === 1 ? String(list[0].label) : `×${list.length}` };
}

/// A cell in one colour or several, with its label if there is room.
export function cell(x, y, width, height, { fills, ink, label }, attributes, middle = 0.5) {
  const part = width / fills.length, parts = fills.map((fill, k) => svg("rect", { x: x + k * part, y, width: part, height, style: `fill:${fill}` }));
  const text = Math.min(width, height) >= (ink ? kSmallestText : kSmallestMany) && String(label).length * kDigit <= width && svg("text", { x: x + width / 2, y: y + height * middle, class: ink ? "in-cell" : "in-cell many", style: ink && `fill:${ink}` }, label);
  return svg("g", { class: "touched", ...attributes }, parts, text);
}

function vectorColumns(count) {
  if (count <= kShortVector) return Math.min(kLine / 2, count);  // room for values
  let columns = Math.min(kLine, count);
  while (count / columns > 2 * columns) columns *= 2;
  return columns;
}

export class ArrayPicture {
  /// `room`: {global, shared, vector}, px that a picture may be wide.
  constructor(launch, index, room, onPoint) {
    const array = launch.arrays[index];
    Object.assign(this, { launch, index, array });
    this.unit = launch.unit(index);
    this.count = Math.ceil(array.bytes / this.unit);
    this.columns = array.columns || vectorColumns(this.count);
    this.rows = Math.ceil(this.count / this.columns);
    this.size = cellSize(this.columns, !array.columns ? room.vector : array.space === "shared" ? room.shared : room.global);
    const width = this.columns * this.size, height = this.rows * this.size;
    this.ground = svg("g");
    this.layer = svg("g");
    this.svg = svg("svg", { class: "array", viewBox: `-1 -1 ${width + 2} ${height + 2}`, style: `width:${width + 2}px`, "data-array": array.name, role: "img" }, this.ground, this.layer);
    this.svg.addEventListener("pointermove", (e) => onPoint(this, this.elementAt(e), e));
    this.svg.addEventListener("pointerleave", () => onPoint(null));
    this.note = h("span", { class: "note" });
    const channels = array.channels ?? 1, slices = array.rows ? `${Math.ceil(this.rows / array.rows)} × ` : "";
    const size = `${array.columns ? `${slices}${array.rows || Math.ceil(array.elements / array.columns)} × ${array.columns / channels}` : array.elements / channels}${channels > 1 ? ` · ${"xyzw".slice(0, channels)}` : ""}`;
    this.root = h("figure", { class: `picture ${array.space}`, "data-name": array.name },
      h("figcaption", {}, h("b", {}, array.name), " ", h("span", { class: "soft" }, `${size} · ${t(`watch.space.${array.space}`)}`), " ", this.note), this.svg);
    this.grid();
  }

  x = (element) => (element % this.columns) * this.size;
  y = (element) => Math.floor(element / this.columns) * this.size;

  elementAt(pointer) {
    const box = this.svg.getBoundingClientRect(), scale = (this.columns * this.size + 2) / box.width;
    const column = Math.floor(((pointer.clientX - box.left) * scale - 1) / this.size), row = Math.floor(((pointer.clientY - box.top) * scale - 1) / this.size);
    const element = row * this.columns + column;
    return column >= 0 && column < this.columns && row >= 0 && element < this.count ? element : undefined;
  }

  /// A path of the cells of elements, which ascend; neighbours in a row are one piece.
  cells(elements) {
    let d = "";
    for (let i = 0; i < elements.length;) {
      const from = elements[i], end = from - (from % this.columns) + this.columns;
      let next = i + 1;
      while (next < elements.length && elements[next] === from + next - i && elements[next] < end) ++next;
      d += `M${this.x(from)} ${this.y(from)}h${(next - i) * this.size}v${this.size}h${(i - next) * this.size}z`;
      i = next;
    }
    return d;
  }

  grid() {
    const { columns, rows, size, count } = this, width = columns * size, full = Math.floor(count / columns) * size, rest = count % columns;
    let lines = "";
    if (size >= 5) {
      for (let c = 1; c < columns; ++c) lines += `M${c * size} 0V${full + (c < rest ? size : 0)}`;
      for (let r = 1; r < rows; ++r) lines += `M0 ${r * size}H${width}`;
    }
    const outline = `M0 0H${width}V${full}${rest ? `H${rest * size}v${size}` : ""}H0z`;
    const slack = [];
    for (let e = this.array.elements; e < count; ++e) slack.push(e);
    this.ground.append(svg("path", { class: "paper", d: outline }), slack.length && svg("path", { class: "slack", d: this.cells(slack) }), svg("path", { class: "lines", d: lines }), svg("path", { class: "outline", d: outline }));
    this.trail = svg("path", { class: "trail" });
    this.ahead = svg("path", { class: "ahead" });
    this.ground.insertBefore(this.trail, this.ground.lastChild);
    this.ground.insertBefore(this.ahead, this.trail);
  }

  /// The pieces that move for the events: {first element, words}, each once.
  pieces(events) {
    const out = new Map();
    for (const event of events) {
      if (event.barrier || event.form.array !== this.index) continue;
      for (const [offset, bytes] of event.form.pieces ?? []) out.set(event.at + offset, { from: (event.at + offset) / this.unit, words: bytes / this.unit });
    }
    return [...out.values()];
  }

  drawPieces(pieces) {
    const parts = [];
    for (const { from, words } of pieces) {
      let e = Math.max(0, from);
      const end = Math.min(this.count, from + words);
      while (e < end) {
        const run = Math.min(end - e, this.columns - (e % this.columns));
        parts.push(svg("rect", { class: "piece", x: this.x(e), y: this.y(e), width: run * this.size, height: this.size, "data-from": e, "data-words": run }));
        e += run;
      }
    }
    return parts;
  }

  /// Many cells: one path for each colour; a cell of several colours takes the first.
  crowd(found, colours) {
    const byFill = new Map();
    for (const [element, by] of found) {
      const [fill] = look(by, colours).fills;
      if (!byFill.has(fill)) byFill.set(fill, []);
      byFill.get(fill).push(element);
    }
    return [...byFill].map(([fill, elements]) => svg("path", { class: "touched", d: this.cells(elements.sort((a, b) => a - b)), style: `fill:${fill}` }));
  }

  /// Few cells: each with its colours, its label, and who touches it.
  single(found, colours) {
    return found.map(([element, by]) =>
      cell(this.x(element), this.y(element), this.size, this.size, look(by, colours), { "data-element": element, "data-threads": [...new Set(by.map((b) => b.thread))].join(" ") }, this.showsValues ? 0.32 : 0.5));
  }

  get showsValues() {
    return this.size >= kSmallestValue;
  }

  /// What the cells hold after the step, where there is room.
  drawValues(step, scope) {
    if (!this.showsValues) return;
    for (let e = 0; e < this.count; ++e) {
      const value = this.launch.values.text(this.index, scope.block, e, step);
      if (value?.short === undefined) continue;
      const label = this.found.get(e);
      this.layer.append(svg("text", { class: label ? "value on-colour" : "value", x: this.x(e) + this.size / 2, y: this.y(e) + this.size * 0.74, "data-value-of": e }, value.short));
    }
  }

  /// What a finding is about: the elements that one of its sides touches in this step.
  drawRaces(step) {
    for (const finding of this.launch.findings)
      for (const p of finding.parties) {
        if (p.step !== step || p.array !== this.index) continue;
        for (let e = Math.floor(p.from / this.unit); e <= Math.floor((p.from + p.bytes - 1) / this.unit); ++e)
          this.layer.append(svg("rect", { class: `race ${finding.severity}`, x: this.x(e) - 1, y: this.y(e) - 1, width: this.size + 2, height: this.size + 2, "data-race": e }));
      }
  }

  draw(step, scope, events, colours) {
    const first = scope.first[this.index], before = [], later = [];
    for (let e = 0; e < this.count; ++e) {
      if (first[e] < step) before.push(e);
      else if (first[e] < this.launch.steps.length) later.push(e);
    }
    this.trail.setAttribute("d", this.cells(before));
    this.ahead.setAttribute("d", this.cells(later));
    const own = this.array.space === "shared" ? events.filter((e) => e.block === scope.block) : events;
    this.found = touched(this.launch, scope, own, this.index);
    const found = [...this.found].filter(([e]) => e >= 0 && e < this.count);
    const cells = found.length > kMostSingle ? this.crowd(found, colours) : this.single(found, colours);
    const pieces = this.array.space !== "shared" ? this.pieces(own) : [];
    this.layer.replaceChildren(...this.drawPieces(pieces), ...cells, ...this.drawPieces(pieces).map((r) => (r.setAttribute("class", "piece edge"), r)));
    const slow = this.array.space === "shared" ? new Set(own.filter((e) => !e.barrier && e.form.array === this.index).flatMap((e) => conflicting(e, this.unit))) : new Set();
    for (const e of slow) if (this.found.has(e)) this.layer.append(svg("rect", { class: "conflict", x: this.x(e) + 1, y: this.y(e) + 1, width: this.size - 2, height: this.size - 2 }));
    this.drawRaces(step);
    this.drawValues(step, scope);
    this.root.classList.toggle("busy", found.length > 0);
    this.note.textContent = found.length ? t(own[0].form.kind === "load" ? "watch.reads" : "watch.writes", { count: found.length }) : "";
    const waits = this.array.space === "shared" ? conflictsOf(own, this.index) : 0;
    if (waits > 0) this.note.append(" ", h("b", { class: "conflict-note" }, t("watch.conflicts", { count: waits })));
    this.svg.setAttribute("aria-label", `${this.array.name}: ${this.note.textContent || t("watch.idle")}`);
  }
}
