// All steps of a scope side by side: a bar each, as high as its cost, coloured by what it is; barriers are lines.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";

export const kKinds = ["global-load", "global-store", "shared-load", "shared-store", "texture-load", "texture-store", "other-load", "other-store"];
const kHeight = 44;

export class Timeline {
  constructor(seek) {
    this.seek = seek;
    this.svg = svg("svg", { class: "timeline", preserveAspectRatio: "none", "aria-hidden": "true" });
    const go = (e) => {
      const box = this.svg.getBoundingClientRect();
      seek(Math.min(this.count - 1, Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * this.count))));
    };
    this.svg.addEventListener("pointerdown", (e) => { this.svg.setPointerCapture(e.pointerId); go(e); });
    this.svg.addEventListener("pointermove", (e) => e.buttons && go(e));
    this.range = h("input", { type: "range", class: "scrub", min: 0, step: 1, "aria-label": t("watch.step"), oninput: (e) => seek(Number(e.target.value)) });
    this.legend = h("p", { class: "kinds" });
    this.root = h("div", { class: "time" }, this.svg, this.range, this.legend);
  }

  draw(scope) {
    const { kinds, costs } = scope, count = kinds.length, most = Math.max(1, ...costs);
    this.count = count;
    this.range.max = Math.max(0, count - 1);
    this.svg.setAttribute("viewBox", `0 0 ${Math.max(1, count)} ${kHeight}`);
    const bars = Object.fromEntries(kKinds.map((k) => [k, ""]));
    let barriers = "";
    kinds.forEach((kind, i) => {
      if (kind === "barrier") {
        barriers += `M${i + 0.5} 0V${kHeight}`;
        return;
      }
      const height = Math.max(3, (costs[i] / most) * (kHeight - 4)), gap = count > 300 ? 0 : 0.08;
      bars[kind] += `M${i + gap} ${kHeight}v${-height}h${1 - 2 * gap}v${height}z`;
    });
    this.cursor = svg("rect", { class: "cursor", y: 0, width: 1, height: kHeight });
    this.svg.replaceChildren(svg("path", { class: "barriers", d: barriers }), ...kKinds.map((k) => svg("path", { class: `kind ${k}`, d: bars[k] })), this.cursor);
    const seen = kKinds.filter((k) => kinds.includes(k));
    this.legend.replaceChildren(...seen.map((k) => h("span", { class: "key" }, h("i", { class: `kind ${k}` }), t(`watch.kind.${k}`))),
      kinds.includes("barrier") ? h("span", { class: "key" }, h("i", { class: "kind barrier" }), t("watch.kind.barrier")) : "", h("span", { class: "soft" }, t("watch.height")));
  }

  place(i) {
    this.range.value = i;
    this.cursor.setAttribute("x", i);
  }
}
