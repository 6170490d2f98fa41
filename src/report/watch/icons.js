// The player's signs: drawn, because not every font has them.
import { svg } from "./dom.js";

const kSigns = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11h-3zM9 2.5h3v11h-3z",
  back: "M11 3v10l-7-5z",
  forward: "M5 3v10l7-5z",
  first: "M3 3h2v10h-2zM13 3v10l-7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  "phase-back": "M8 3v10l-6-5zM14 3v10l-6-5z",
  "phase-forward": "M2 3v10l6-5zM8 3v10l6-5z",
};

export const icon = (name) => svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: kSigns[name] }));
