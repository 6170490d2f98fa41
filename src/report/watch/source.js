// The kernel's source with the line that runs.
import { h } from "./dom.js";

export class SourceView {
  constructor(sources) {
    this.sources = new Map(sources.map((s) => [s.file, s.text.split("\n")]));
    this.name = h("code", { class: "file" });
    this.body = h("ol", { class: "source", tabindex: 0 });
    this.root = h("div", { class: "source-box" }, this.name, this.body);
  }

  show(site) {
    const lines = this.sources.get(site.file);
    this.root.hidden = !lines;
    if (!lines) return;
    if (this.file !== site.file) {
      this.file = site.file;
      this.body.replaceChildren(...lines.map((line) => h("li", {}, h("code", {}, line || " "))));
    }
    this.name.textContent = `${site.file}:${site.line} · ${site.text}`;
    this.body.querySelector(".now")?.classList.remove("now");
    const now = this.body.children[site.line - 1];
    if (!now) return;
    now.classList.add("now");
    this.body.scrollTop = now.offsetTop - this.body.clientHeight / 2;
  }
}
