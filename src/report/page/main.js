// The page: reads the data, builds the sections, and again when the reader wants another language.
import { DataTable } from "./table.js";
import { PlotCard } from "./plotcard.js";
import { currentLanguage, optional, setLanguage, setMessages, t, phraseText } from "./messages.js";
import { languageChoice, themeButton } from "./chrome.js";
import { badge, kProvenances } from "./provenance.js";
import { explorer } from "./explore.js";
import { factLists, figures } from "./facts.js";
import { facetsOf } from "./series.js";
import { h } from "./dom.js";
import { partsCard } from "./timeparts.js";
import { readTable } from "./data.js";
import { rooflineCard } from "./rooflines.js";
import { thoughts, verdictCards } from "./sentences.js";

const data = JSON.parse(document.getElementById("data").textContent);
setMessages(JSON.parse(document.getElementById("messages").textContent));
const table = readTable(data);
const extras = data.extras.map(readTable);

/// Whether the rows were verified against references of the study's own.
const ownReferences = data.columns.some((c) => c.tag === "verified" && c.description.includes("tolerance of the reference"));

const section = (id, ...content) => h("section", { id }, h("h2", {}, t(`section.${id}`)), ...content);

/// Words of a built-in study in the reader's language; a user's may have the same name.
const builtIn = (what, words) => (data.builtIn ? optional(`${what}.${data.study}`, words) : words);

function header() {
  const fact = (name) => data.facts.find((f) => f.name === name)?.text;
  const about = [data.study, fact("date"), fact("version")].filter(Boolean);
  return h("header", {}, h("div", { class: "bar" }, h("span", { class: "house" }, "Warpwright"), h("span", { class: "gap" }), languageChoice(build), themeButton(),
    h("button", { type: "button", class: "print", onclick: () => print() }, t("page.print"))),
  h("h1", {}, builtIn("study", data.title || data.study)), h("p", { class: "about" }, about.map((a, i) => [i > 0 && " · ", h("span", {}, a)])), data.text && h("p", { class: "abstract" }, builtIn("text", data.text)));
}

let current;

function build(language) {
  setLanguage(language);
  document.documentElement.lang = currentLanguage();
  const results = new DataTable(table, data.headline, data.study || "results");
  const onlyRows = (rows) => results.showOnly(rows, t("conclusion.chip", { count: rows.length }));
  const sentences = (list) => thoughts(table, list, onlyRows);
  const cards = [];
  let number = 0;
  const drawn = data.plots.map((plot) => facetsOf(table, plot).map((f) => new PlotCard(table, f.plot, 0, f)).filter((card) => !card.empty));
  // A study of one size has nothing to show against the size, when another figure says more.
  const lines = drawn.some((facets) => facets.some((card) => !card.flat));
  for (const facets of drawn.map((list) => list.filter((card) => !lines || !card.flat))) {
    if (facets.length > 0) ++number;
    for (const card of facets) card.renumber(number);
    cards.push(...facets);
  }
  for (const make of [rooflineCard, partsCard]) {
    const card = make(table, extras, number + 1);
    if (card) cards.push({ root: card, chart: undefined }), ++number;
  }
  const own = table.rows > 0 && explorer(table, data.plots[0]);
  const shared = table.axes.filter((a) => !a.varies && a.key !== "study").map((a) => `${t(`axis.${a.key}`)} ${a.text(0)}`).join(", ");
  const sections = [
    data.verdict.length > 0 && section("verdict", verdictCards(table, data.verdict, onlyRows)),
    data.conclusions.length > 0 && section("conclusions", sentences(data.conclusions)),
    (data.facts.length > 0 || extras.length > 0) && section("run", h("div", { class: "fact-groups" }, factLists(data.facts)), extras.map(figures)),
    data.verification.length > 0 && section("verification", sentences(data.verification), table.columns.some((c) => c.tag === "verified") && h("p", {}, t(ownReferences ? "verification.method.own" : "verification.method"))),
    (cards.length > 0 || own) && section("plots", h("p", { class: "hint" }, t("plot.help")), h("div", { class: "plots" }, cards.map((c) => c.root)), own),
    section("results", shared && h("p", { class: "remark" }, t("table.shared", { axes: shared })), results.root,
      data.notes.length > 0 && h("div", { class: "notes" }, h("h3", {}, t("section.notes")), h("ul", {}, data.notes.map((n) => h("li", {}, phraseText(n)))))),
    section("provenance", h("dl", { class: "provenances" }, kProvenances.map((p) => [h("dt", {}, badge(p)), h("dd", {}, t(`provenance.${p}.means`))]))),
    data.listings.length > 0 && section("listings", data.listings.map((l) => h("details", { class: "listing" }, h("summary", {}, l.name), l.watch && h("p", {}, h("a", { class: "watch", href: l.watch }, t("listing.watch"))), h("pre", {}, l.text)))),
  ].filter(Boolean);
  const contents = h("nav", { "aria-label": t("page.contents") }, sections.map((s) => h("a", { href: `#${s.id}` }, t(`section.${s.id}`))));
  document.getElementById("report").replaceChildren(header(), contents, ...sections, h("footer", {}, t("page.footer")));
  current = { results, cards };
  results.draw();
}

const kPaper = 430; // px: two figures side by side

function forPaper() {
  current.results.print();
  for (const card of current.cards) card.chart?.fix(kPaper);
}

function forScreen() {
  for (const card of current.cards) card.chart?.fix();
}

addEventListener("beforeprint", forPaper);
addEventListener("afterprint", forScreen);
matchMedia("print").addEventListener("change", (e) => (e.matches ? forPaper() : forScreen()));
build(data.language);
