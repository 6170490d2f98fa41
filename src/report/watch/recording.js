// The recording as docs/watch.md describes it, made easy to ask.
import { Values } from "./values.js";

export const kBarrier = -1;
export const kWord = 4;  // bytes of a word, the unit of banks and of values

/// The numbers of the bits that are set.
export function lanesOf(mask) {
  const out = [];
  for (let lane = 0; lane < 32; ++lane) if ((mask >>> lane) & 1) out.push(lane);
  return out;
}

/// One launch. Warps are numbered through the grid: block · warps of a block + warp.
export class Launch {
  constructor(recording, data) {
    Object.assign(this, { recording, data, arrays: data.arrays, sites: data.sites, forms: data.forms, warps: data.warps });
    this.blocks = data.grid[0] * data.grid[1] * data.grid[2];
    this.threads = data.block[0] * data.block[1] * data.block[2];
    this.steps = data.steps.map(([site, phase, nth]) => ({ site: data.sites[site], phase, nth }));
    this.phases = 1 + Math.max(0, ...this.steps.map((s) => s.phase));
    for (const form of this.forms) {
      form.lanes = lanesOf(form.mask);
      form.metrics = recording.metrics[form.space] ?? [];
      form.places = form.texels ?? form.lanes.map((lane, k) => [lane, form.offsets[k]]);
    }
    const { begins, warp, form, at } = data.events;
    this.begins = begins;
    this.warp = Int32Array.from(warp);
    this.form = Int32Array.from(form);
    this.at = Float64Array.from(at);
    this.values = new Values(this, data.changes);
    this.findings = (data.findings ?? []).map((f) => ({ ...f, parties: f.parties.map((p) => ({ ...p, step: p.event < 0 ? undefined : this.stepOf(p.event) })) }));
  }

  /// The events of a step by warps that `accepts` takes.
  events(step, accepts) {
    const out = [];
    for (let i = this.begins[step]; i < this.begins[step + 1]; ++i) if (accepts(this.warp[i])) out.push(this.event(i));
    return out;
  }

  /// Bytes of an array's element as it is shown.
  unit = (array) => this.arrays[array]?.unit ?? kWord;

  /// The step that an event belongs to.
  stepOf(event) {
    let low = 0, end = this.begins.length - 1;
    while (low + 1 < end) {
      const middle = (low + end) >> 1;
      if (this.begins[middle] <= event) low = middle; else end = middle;
    }
    return low;
  }

  event(i) {
    const number = this.warp[i], barrier = this.form[i] === kBarrier;
    return { index: i, number, block: Math.floor(number / this.warps), warp: number % this.warps, barrier,
      form: barrier ? undefined : this.forms[this.form[i]], at: this.at[i], lanes: barrier ? lanesOf(this.at[i]) : this.forms[this.form[i]].lanes };
  }

  /// Calls `use(element, thread of the block, lane)` for each element of an event in its array, or for each `unit` bytes.
  eachElement(i, use, unit = this.unit(this.forms[this.form[i]].array)) {
    const form = this.forms[this.form[i]], at = this.at[i], base = (this.warp[i] % this.warps) * 32;
    for (const [lane, offset] of form.places) {
      const from = at + offset;
      for (let e = Math.floor(from / unit); e <= Math.floor((from + form.bytes - 1) / unit); ++e) use(e, base + lane, lane);
    }
  }

  threadPlace(thread) {
    const [x, y] = this.data.block;
    return [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))];
  }
  blockPlace(block) {
    const [x, y] = this.data.grid;
    return [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))];
  }
  threadName(thread) {
    return coordinateText(this.threadPlace(thread), this.data.block);
  }
  blockName(block) {
    return coordinateText(this.blockPlace(block), this.data.grid);
  }

  /// "A[3][5]", "in[17]"; of textures with slices or channels "volume[2][3][5]", "image[3][5].y".
  elementName(array, element) {
    const { columns, rows, channels = 1 } = array, row = Math.floor(element / columns), column = columns ? element % columns : element;
    const part = channels > 1 ? `.${"xyzw"[column % channels]}` : "";
    const places = [columns && rows && Math.floor(row / rows), columns && (rows ? row % rows : row), Math.floor(column / channels)];
    return array.name + places.slice(columns ? (rows ? 0 : 1) : 2).map((k) => `[${k}]`).join("") + part;
  }
}

/// "(1, 0)": as many coordinates as the extent has, one at least.
function coordinateText(coordinates, extent) {
  const count = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
  return `(${coordinates.slice(0, count).join(", ")})`;
}

/// "f32 loads from global memory" and such: one word for a colour and a message.
export const kindOf = (site, form) => (site.kind === "barrier" ? "barrier" : `${{ global: "global", shared: "shared", texture: "texture", texels: "texture" }[form?.space] ?? "other"}-${site.kind === "load" ? "load" : "store"}`);

/// The elements of a warp's access for which it waits: of a bank that has to give several words one after the other. None where the
/// access takes no more passes than it must.
export function conflicting(event, unit = kWord) {
  const { form } = event, at = form?.metrics.findIndex((m) => m.name === "bank_conflicts") ?? -1;
  if (at < 0 || !(form.cost[at] > 0) || !form.banks) return [];
  const words = new Map();
  for (const [, bank, word] of form.banks) words.set(bank, (words.get(bank) ?? new Set()).add(word));
  const parts = kWord / unit;
  return [...words.values()].filter((of) => of.size > 1).flatMap((of) => [...of].flatMap((word) => Array.from({ length: parts }, (_, k) => (Math.floor(event.at / kWord) + word) * parts + k)));
}
