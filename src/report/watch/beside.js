// Two recordings beside each other, at the same step or in the same phase, with the costs of both above.
import { h } from "./dom.js";
import { makePlayer } from "./player.js";
import { costName } from "./costs.js";
import { comparedCosts, placeInPhase } from "./together.js";
import { aboutText, shortNumber, t, unitWord } from "./messages.js";

const kTogether = ["step", "phase", "alone"];

/// How many steps of its phase lie before a player's place.
const inPhase = (player) => player.scope.steps.slice(0, player.place).filter((s) => player.launch.steps[s].phase === player.phase).length;

/// {root, build, title, about, actions} as the page wants them.
export function beside(recordings) {
  let together = "phase", leading = false;
  const bar = h("div", { class: "beside-bar" }), costs = h("div", { class: "scroll" }), panes = recordings.map(() => h("div", {}));
  const players = recordings.map((recording, k) => makePlayer(h("div", { class: "player-root" }), recording, { narrow: true, moved: () => follow(k) }));
  const root = h("div", {}, bar, costs, h("div", { class: "beside-both" }, panes));

  /// The other one goes where this one is.
  function follow(k) {
    if (leading) return;
    leading = true;
    const from = players[k], to = players[1 - k];
    if (together !== "alone") {
      const { kind, colour } = from.scope;
      if (to.scope.kind !== kind || to.scope.colour !== colour) to.change({ kind, colour });
      const block = Math.min(from.scope.block, to.launch.blocks - 1), thread = Math.min(from.scope.thread, to.launch.threads - 1);
      if (to.scope.block !== block || to.scope.thread !== thread) to.change({ block, thread });
      const last = from.place > 0 && from.place === from.scope.steps.length - 1;
      to.seek(last ? Infinity : together === "step" ? from.place : placeInPhase(to.scope, from.phase, inPhase(from)));
    }
    leading = false;
    showCosts();
  }

  function showCosts() {
    let last;
    const rows = comparedCosts(players).flatMap(({ space, metric, values }) => {
      const out = [];
      if (space !== last) out.push(h("tr", { class: "space" }, h("th", { colspan: 7, scope: "rowgroup" }, t(`watch.space.${space}`))));
      last = space;
      out.push(h("tr", { title: aboutText(metric.description), "data-metric": `${space}_${metric.name}` }, h("th", { scope: "row" }, costName(metric), " ", !metric.name.includes(metric.unit) && h("span", { class: "soft" }, unitWord(metric.unit, 2))),
        values.flatMap((of, k) => of.map((n, i) => h("td", { class: [i === 0 && k === 1 && "second", i === 2 && n < values[1 - k][2] && "less"].filter(Boolean).join(" ") }, shortNumber(n))))));
      return out;
    });
    costs.replaceChildren(h("table", { class: "compared" }, h("thead", {}, h("tr", {}, h("th", {}), recordings.map((r, k) => h("th", { colspan: 3, scope: "colgroup", class: k ? "second" : "" }, r.title))),
      h("tr", {}, h("th", {}), recordings.flatMap((_, k) => ["watch.this_step", "watch.so_far", "watch.in_all"].map((key, i) => h("th", { scope: "col", class: k && !i ? "second" : "" }, t(key)))))), h("tbody", {}, rows)));
  }

  function build() {
    bar.replaceChildren(h("div", { class: "choice-row", role: "group", "aria-label": t("watch.together") }, h("span", { class: "soft" }, t("watch.together")),
      kTogether.map((how) => h("button", { type: "button", "data-value": how, "aria-pressed": String(how === together), onclick: () => { together = how; build(); follow(0); } }, t(`watch.together.${how}`)))));
    players.forEach((player, k) => {
      panes[k].replaceChildren(h("h2", {}, recordings[k].title), h("p", { class: "soft" }, player.about()), player.root);
      player.build();
    });
    showCosts();
  }

  return { root, build, actions: players[0].actions, title: () => t("watch.beside", { count: 2 }), about: () => recordings.map((r) => r.title).join(" · ") };
}
