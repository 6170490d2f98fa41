// How each origin of a number looks, in tables and plots: a sign, a kind of line, a form of point. Nothing relies on colour.
import { h, svg } from "./dom.js";
import { t } from "./messages.js";

export const kProvenances = ["measured", "published", "modelled", "counted", "theory", "input"];

const kDash = { measured: null, published: "1.5 4", modelled: "7 4", counted: null, theory: "9 3 2 3", input: null };
export const dashOf = (provenance) => kDash[provenance];

const kForms = {
  measured: "M0,-5L5,0L0,5L-5,0Z",
  published: "M-4,-4H4V4H-4Z",
  modelled: "M0,-5L5,0L0,5L-5,0Z",
  counted: "M-4,0A4,4 0 1,1 4,0A4,4 0 1,1 -4,0Z",
  theory: "M0,-5L4.6,3.6H-4.6Z",
  input: "M-3.5,0A3.5,3.5 0 1,1 3.5,0A3.5,3.5 0 1,1 -3.5,0Z",
};
const kHollow = new Set(["modelled", "published", "input", "theory"]);

/// A point of a plot, centred on 0,0; its colour is `color` of CSS.
export function pointForm(provenance, attributes = {}) {
  return svg("path", { d: kForms[provenance], class: kHollow.has(provenance) ? "point hollow" : "point", ...attributes });
}

/// The sign alone, for heads of tables and legends.
export function sign(provenance) {
  return svg("svg", { class: "sign", viewBox: "-7 -7 14 14", width: 12, height: 12, "aria-hidden": "true" },
    pointForm(provenance));
}

/// Sign and word.
export function badge(provenance) {
  return h("span", { class: "badge", title: t(`provenance.${provenance}.means`) }, sign(provenance),
    t(`provenance.${provenance}`));
}
