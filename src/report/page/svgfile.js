// A chart as an SVG file of its own: colours and fonts as attributes, title and legend inside, light whatever the page is.
import { dashOf, pointForm } from "./provenance.js";
import { svg } from "./dom.js";
import { t } from "./messages.js";

const kKept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "fill-opacity", "font-size", "font-weight", "text-anchor"];
const kAbove = 46, kLine = 18;

/// Writes what style sheets say into the elements themselves.
function freeze(node) {
  const style = getComputedStyle(node);
  for (const name of kKept) {
    const value = style.getPropertyValue(name);
    if (value && value !== "none" || name === "fill") node.setAttribute(name, value.replaceAll("px", ""));
  }
  node.removeAttribute("style");
  node.removeAttribute("class");
  for (const child of node.children) freeze(child);
}

export function standalone(chart, title, subtitle, lines) {
  const width = Number(chart.getAttribute("width")), height = Number(chart.getAttribute("height"));
  const whole = svg("svg", { xmlns: "http://www.w3.org/2000/svg", class: "chart", viewBox: `0 0 ${width} ${height + kAbove + lines.length * kLine + 14}`,
    width, height: height + kAbove + lines.length * kLine + 14 });
  whole.append(svg("rect", { class: "paper", width: "100%", height: "100%" }),
    svg("text", { class: "label title", x: 12, y: 22 }, title), svg("text", { class: "tick", x: 12, y: 38 }, subtitle));
  const copy = svg("g", { transform: `translate(0,${kAbove})` });
  for (const child of chart.childNodes) copy.append(child.cloneNode(true));
  copy.querySelector(".focus")?.remove();
  copy.querySelector(".selection")?.remove();
  whole.append(copy);
  lines.forEach((l, i) => whole.append(svg("g", { transform: `translate(30,${kAbove + height + 8 + i * kLine})`, style: `color:var(--c${l.colour % 8})` },
    svg("path", { class: "curve", d: "M-15,0H15", "stroke-dasharray": dashOf(l.column.provenance) }), pointForm(l.column.provenance),
    svg("text", { class: "tick", x: 24, y: 4 }, `${l.name} (${t(`provenance.${l.column.provenance}`)})`))));
  // In the document, and light, while the styles are read.
  const root = document.documentElement, theme = root.dataset.theme;
  root.dataset.theme = "light";
  const stage = document.createElement("div");
  stage.className = "offscreen";
  stage.append(whole);
  document.body.append(stage);
  const viewBox = whole.getAttribute("viewBox");
  freeze(whole);
  whole.setAttribute("viewBox", viewBox);
  whole.setAttribute("font-family", "system-ui, sans-serif");
  const text = new XMLSerializer().serializeToString(whole);
  stage.remove();
  if (theme === undefined) delete root.dataset.theme;
  else root.dataset.theme = theme;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}
