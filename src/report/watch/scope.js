// What of a launch is looked at: the grid, a block, a warp or a thread; and what that part touches.
import { kBarrier, kindOf } from "./recording.js";

export const kScopes = ["grid", "block", "warp", "thread"];

export class Scope {
  constructor(launch) {
    Object.assign(this, { launch, kind: "block", block: 0, thread: 0, colour: "thread" });
    this.refresh();
  }

  get warp() {
    return Math.floor(this.thread / 32);
  }
  get lane() {
    return this.thread % 32;
  }

  change(values) {
    Object.assign(this, values);
    this.refresh();
  }

  accepts = (number) => {
    if (this.kind === "grid") return true;
    if (Math.floor(number / this.launch.warps) !== this.block) return false;
    return this.kind === "block" || number % this.launch.warps === this.warp;
  };

  /// Whether a thread of a warp that is accepted is looked at.
  shows = (thread) => this.kind !== "thread" || thread === this.thread;

  /// Finds the steps that the scope has, their kinds and main costs, and when it touches each element first.
  refresh() {
    const { launch } = this, { steps, begins, warp, form } = launch;
    this.steps = [];
    this.costs = [];
    this.kinds = [];
    this.first = launch.arrays.map((a, i) => new Int32Array(Math.ceil(a.bytes / launch.unit(i))).fill(steps.length));
    for (let step = 0; step < steps.length; ++step) {
      let cost = 0, seen = false, kind = "barrier";
      for (let i = begins[step]; i < begins[step + 1]; ++i) {
        if (!this.accepts(warp[i])) continue;
        if (form[i] === kBarrier) {
          seen = true;
          continue;
        }
        const f = launch.forms[form[i]];
        if (this.kind === "thread" && !f.lanes.includes(this.lane)) continue;
        seen = true;
        kind = kindOf(steps[step].site, f);
        f.metrics.forEach((m, k) => { if (m.main) cost += f.cost[k]; });
        const first = this.first[f.array];
        // A block's shared memory is its own.
        if (first && (f.space !== "shared" || Math.floor(warp[i] / launch.warps) === this.block))
          launch.eachElement(i, (e, thread) => { if (this.shows(thread) && step < first[e]) first[e] = step; });
      }
      if (!seen) continue;
      this.steps.push(step);
      this.costs.push(cost);
      this.kinds.push(kind);
    }
  }

  /// The place among `steps` of this step, or of the next one there is.
  placeOf(step) {
    const at = this.steps.findIndex((s) => s >= step);
    return at < 0 ? Math.max(0, this.steps.length - 1) : at;
  }

  /// Sums of a space's metrics over the steps from `from` to before `to`: [metric] → number.
  sums(space, from, to) {
    const { launch } = this, out = (launch.recording.metrics[space] ?? []).map(() => 0);
    for (let i = launch.begins[from]; i < launch.begins[to]; ++i) {
      if (launch.form[i] === kBarrier || !this.accepts(launch.warp[i])) continue;
      const f = launch.forms[launch.form[i]];
      if (f.space === space && (this.kind !== "thread" || f.lanes.includes(this.lane))) f.cost.forEach((c, k) => { out[k] += c; });
    }
    return out;
  }
}
