// A recording that can be played: everything about one kernel, below its title.
import { ArrayPicture } from "./arrays.js";
import { bankMap, bankPasses } from "./banks.js";
import { blockMap, threadMap } from "./threads.js";
import { colouring } from "./colour.js";
import { costTable, laneTable } from "./costs.js";
import { currentLanguage, phraseText, t } from "./messages.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { kScopes, Scope } from "./scope.js";
import { Launch } from "./recording.js";
import { SourceView } from "./source.js";
import { Timeline } from "./timeline.js";

const kSpeeds = [1, 2, 4, 8, 16];
const kAside = 440, kWide = 992; // px: the column at the right, and from which width on it is there

/// Fills `root`. `narrow`: the page has other kernels beside this one. `moved(player)` is called after each step to another place, or
/// another choice of what is looked at.
export function makePlayer(root, recording, { narrow = false, moved = () => {} } = {}) {
  const launches = recording.launches.map((l) => new Launch(recording, l));

  let launch = launches[0], scope = new Scope(launch), place = 0, speed = 2, timer, view;

  const step = () => scope.steps[place] ?? 0;
  const playing = () => timer !== undefined;

  function showPlaying(on) {
    view.play.replaceChildren(icon(on ? "pause" : "play"));
    for (const name of ["aria-label", "title"]) view.play.setAttribute(name, t(on ? "watch.pause" : "watch.play"));
  }

  function pause() {
    clearInterval(timer);
    timer = undefined;
    showPlaying(false);
  }

  function play() {
    if (place >= scope.steps.length - 1) seek(0);
    clearInterval(timer);
    timer = setInterval(() => (place < scope.steps.length - 1 ? seek(place + 1) : pause()), 1000 / speed);
    showPlaying(true);
  }

  const toggle = () => (playing() ? pause() : play());

  function seek(to) {
    place = Math.min(scope.steps.length - 1, Math.max(0, to));
    draw();
    moved(self);
  }

  /// To the first step behind the next barrier, or the last one before.
  function seekPhase(direction) {
    const phase = launch.steps[step()].phase;
    if (direction > 0) {
      const next = scope.steps.findIndex((s) => launch.steps[s].phase > phase);
      seek(next < 0 ? scope.steps.length - 1 : next);
    } else {
      const first = scope.steps.findIndex((s) => launch.steps[s].phase === phase);
      seek(first < place ? first : scope.steps.findIndex((s) => launch.steps[s].phase === launch.steps[scope.steps[Math.max(0, first - 1)]].phase));
    }
  }

  function change(values) {
    const at = step();
    if (values.kind && !values.colour) values.colour = values.kind === "grid" ? "block" : scope.colour === "block" ? "thread" : scope.colour;
    scope.change(values);
    place = scope.placeOf(at);
    drawScope();
    draw();
    moved(self);
  }

  const button = (name, key, onclick) => h("button", { type: "button", class: name, title: t(key), "aria-label": t(key), onclick }, icon(name));

  function player() {
    view.play = button("play", "watch.play", toggle);
    view.where = h("output", { class: "where", "aria-live": "polite" });
    const speeds = h("select", { "aria-label": t("watch.speed"), onchange: (e) => { speed = Number(e.target.value); if (playing()) play(); } },
      kSpeeds.map((s) => h("option", { value: s, selected: s === speed }, t("watch.per_second", { count: s }))));
    view.timeline = new Timeline((i) => { if (playing()) pause(); seek(i); });
    return h("section", { class: "player", "aria-label": t("watch.player") },
      h("div", { class: "controls" }, button("first", "watch.first", () => seek(0)), button("phase-back", "watch.phase_back", () => seekPhase(-1)), button("back", "watch.back", () => seek(place - 1)), view.play,
        button("forward", "watch.forward", () => seek(place + 1)), button("phase-forward", "watch.phase_forward", () => seekPhase(1)), button("last", "watch.last", () => seek(Infinity)), speeds, view.where),
      view.timeline.root);
  }

  /// Buttons of which one is pressed.
  function choice(name, values, current, label, choose) {
    return h("div", { class: `choice-row ${name}`, role: "group", "aria-label": t(`watch.${name}`) }, h("span", { class: "soft" }, t(`watch.${name}`)),
      values.map((v) => h("button", { type: "button", "data-value": v, "aria-pressed": String(v === current), onclick: () => choose(v) }, label(v))));
  }

  function drawScope() {
    view.timeline.draw(scope);
    view.choices.replaceChildren(
      launches.length > 1 ? choice("launch", launches.map((_, i) => i), launches.indexOf(launch), (i) => i + 1, (i) => { launch = launches[i]; scope = new Scope(launch); place = 0; build(); }) : "",
      choice("scope", kScopes, scope.kind, (v) => t(`watch.scope.${v}`), (kind) => change({ kind })),
      choice("colours", ["thread", "warp", "block"], scope.colour, (v) => t(`watch.scope.${v}`), (colour) => change({ colour })),
      launch.warps > 1 ? h("label", { class: "choice-row" }, h("span", { class: "soft" }, t("watch.warp")), h("input", { class: "warp", type: "number", min: 0, max: launch.warps - 1, value: scope.warp, onchange: (e) => change({ thread: 32 * Math.min(launch.warps - 1, Math.max(0, Math.floor(Number(e.target.value)) || 0)) }) })) : "");
  }

  /// Where the wider access stands that this one is a part of: {event, place}.
  function leaderOf(event) {
    const at = launch.steps[step()];
    const first = launch.steps.findIndex((s) => s.phase === at.phase && s.nth === at.nth && s.site === launch.sites[at.site.leader]);
    const found = first < 0 ? undefined : launch.events(first, (number) => number === event.number)[0];
    return found && { event: found, place: scope.placeOf(first) };
  }

  /// The event whose banks and lanes are shown: the chosen warp's, else the first of the block.
  function chosenEvent(events) {
    const own = events.filter((e) => e.block === scope.block);
    return own.find((e) => e.warp === scope.warp) ?? own[0];
  }

  function describe(events) {
    const at = launch.steps[step()], { site } = at, event = chosenEvent(events);
    const values = { step: place + 1, steps: scope.steps.length, phase: at.phase + 1, phases: launch.phases };
    view.where.textContent = t("watch.where", values);
    const array = event && !event.barrier ? launch.arrays[event.form.array] : undefined;
    const fetches = event?.form?.space === "texture" || (event?.form?.space === "texels" && site.text.startsWith("t"));  // tex, tld4; not suld
    const most = fetches ? Math.max(...events.flatMap((e) => e.lanes.map((lane) => e.form.places.filter(([l]) => l === lane).length))) : 0;
    const what = site.kind === "barrier" ? t("watch.waits") : fetches ? t("watch.fetches", { count: most, array: array?.name ?? t(`watch.space.${event.form.space}`) }) : t(site.kind === "load" ? "watch.loads" : site.kind === "store" ? "watch.stores" : "watch.updates", { bytes: event?.form.bytes ?? 0, array: array?.name ?? t(`watch.space.${event?.form.space ?? "global"}`) });
    const warps = new Set(events.map((e) => e.number)).size;
    view.sentence.replaceChildren(h("b", {}, what), " ", site.kind === "barrier" ? "" : t("watch.by_warps", { count: warps, threads: events.reduce((n, e) => n + e.lanes.length, 0) }), ...partOf(event), event?.form?.space === "texels" ? h("span", { class: "soft" }, " ", t("watch.no_layout")) : "");
  }

  /// What the GPU's compiler makes of neighbouring accesses, in words.
  function partOf(event) {
    if (!event || event.barrier || event.form.space !== "shared" || event.form.issued === event.form.bytes) return [];
    if (event.form.issued > 0) return [" ", h("span", { class: "joined" }, t("watch.joined", { bytes: event.form.issued }))];
    const leader = leaderOf(event);
    return leader ? [" ", h("button", { type: "button", class: "link joined", onclick: () => seek(leader.place) }, t("watch.absorbed", { bytes: leader.event.form.issued, step: leader.place + 1 }))] : [];
  }

  function draw() {
    const now = step(), events = launch.events(now, scope.accepts).filter((e) => scope.kind !== "thread" || e.lanes.includes(scope.lane));
    const colours = colouring(scope), event = chosenEvent(events);
    view.timeline.place(place);
    view.root.dataset.step = now;
    view.root.dataset.phase = launch.steps[now].phase;
    describe(events);
    view.source.show(launch.steps[now].site);
    for (const picture of view.pictures) picture.draw(now, scope, events, colours);
    const blocks = blockMap(launch, scope, colours, (block) => change({ block }));
    view.maps.replaceChildren(h("div", { class: "map threads" }, h("h3", {}, t("watch.threads")), threadMap(launch, scope, events, colours, (thread) => change({ thread }))),
      blocks ? h("div", { class: "map blocks" }, h("h3", {}, t("watch.blocks")), blocks) : "");
    view.costs.replaceChildren(costTable(launch, scope, now, Object.keys(recording.metrics)));
    if (view.banks) {
      const issuing = event && !event.barrier && event.form.issued === 0 ? leaderOf(event)?.event : event;
      const passes = bankPasses(launch, issuing, colouring({ ...scope, launch, kind: "warp", colour: "thread" }));
      view.banks.replaceChildren(h("h3", {}, t("watch.bank_map", { block: launch.blockName(scope.block) })), bankMap(launch, scope, events, colours),
        h("h3", {}, passes ? t("watch.passes_of", { warp: event.warp }) : t("watch.passes"), passes ? partOf(event) : ""), passes ?? h("p", { class: "hint" }, t("watch.no_passes")));
    }
    const lanes = laneTable(launch, event);
    view.lanes.replaceChildren(h("summary", {}, t("watch.lane_by_lane", { warp: event?.warp ?? scope.warp })), lanes ?? h("p", { class: "hint" }, t("watch.waits")));
  }

  /// Says what is under the pointer.
  function point(picture, element, pointer) {
    if (!picture || element === undefined) {
      view.tip.hidden = true;
      return;
    }
    const { array } = picture, by = picture.found.get(element) ?? [];
    const first = scope.first[picture.index][element], value = launch.values.text(picture.index, scope.block, element, step());
    const who = [...new Set(by.map((b) => `${launch.threadName(b.thread)}${scope.kind === "grid" ? ` ${t("watch.of_block", { block: launch.blockName(b.event.block) })}` : ""}`))];
    view.tip.replaceChildren(h("b", {}, element >= array.elements ? t("watch.slack", { array: array.name }) : launch.elementName(array, element)), array.space === "texels" ? "" : ` · 0x${(array.address + launch.unit(picture.index) * element).toString(16)}`, h("br"),
      ...(value ? [h("span", { class: "tip-value" }, `= ${value.full} (${array.type})`), h("br")] : []),
      who.length ? t("watch.touched_by", { count: who.length, threads: who.slice(0, 8).join(" ") + (who.length > 8 ? " …" : "") }) : first < launch.steps.length ? t("watch.first_touched", { step: scope.steps.indexOf(first) + 1 }) : t("watch.never"));
    view.tip.hidden = false;
    const room = view.tip.offsetWidth + 20;
    view.tip.style.left = `${Math.max(4, Math.min(pointer.clientX + 14, innerWidth - room))}px`;
    view.tip.style.top = `${pointer.clientY + 16}px`;
  }

  /// What the checks found wrong, each side a way to its step.
  function findings() {
    if (!launch.findings.length) return "";
    const side = (p) => {
      if (p.step === undefined) return h("li", {}, phraseText(p.what));
      const { block, warp } = launch.event(p.event);
      return h("li", {}, h("button", { type: "button", class: "link", onclick: () => { change({ kind: scope.kind === "grid" ? "grid" : "block", block, thread: 32 * warp }); seek(scope.placeOf(p.step)); } },
        t("watch.side", { what: phraseText(p.what), array: launch.arrays[p.array] ? launch.elementName(launch.arrays[p.array], Math.floor(p.from / launch.unit(p.array))) : "", step: scope.placeOf(p.step) + 1 })));
    };
    return h("section", { class: "findings", "aria-label": t("watch.findings") }, launch.findings.map((f) => h("div", { class: `finding ${f.severity}` },
      h("p", {}, h("b", {}, phraseText(f.message))), h("ul", {}, f.parties.map(side)), f.more.map((line) => h("p", { class: "soft" }, phraseText(line))))));
  }

  /// What it is: GPU, grid and block, and the axes that the kernel has.
  function about() {
    const { config, gpu } = recording;
    const axes = Object.entries(config).filter(([, v]) => v > 0).map(([k, v]) => `${t(`axis.${k}`)} = ${v}`).join(", ");
    const size = (extent) => (extent[2] > 1 ? extent : extent[1] > 1 ? extent.slice(0, 2) : extent.slice(0, 1)).join(" × ");
    return `${axes && `${axes} · `}${gpu.name}, cc ${gpu.capability} · ${t("watch.shape", { grid: size(launch.data.grid), block: size(launch.data.block) })} · ${t("watch.warps", { count: launch.warps })}`;
  }


  /// The widest that the pictures of global and of shared arrays may be (two stand side by side), and of vectors.
  function roomFor(width) {
    const all = Math.max(280, !narrow && innerWidth > kWide ? width - kAside - 80 : width - 32);
    const matrices = launch.arrays.filter((a) => a.space !== "shared" && a.columns).length;
    return { global: matrices > 1 ? (all - 30) / 2 : Math.min(all, 560), shared: Math.min(300, (all - 30) / 2), vector: Math.min(all, 560) };
  }

  function build() {
    if (timer !== undefined) clearInterval(timer);
    timer = undefined;
    const shared = launch.data.sharedBytes > 0, main = root, room = roomFor(main.clientWidth);
    view = { root: main, pictures: launch.arrays.map((_, i) => new ArrayPicture(launch, i, room, point)), choices: h("div", { class: "choices-bar" }), maps: h("div", { class: "maps" }), costs: h("div", { class: "cost-box" }), lanes: view?.lanes ?? h("details", { class: "lane-box" }),
      sentence: h("p", { class: "sentence" }), source: new SourceView(recording.sources), tip: h("div", { class: "tip", hidden: true, role: "tooltip" }), banks: shared ? h("div", { class: "banks" }) : undefined };
    const of = (space) => view.pictures.filter((p) => p.array.space === space || (space === "global" && p.array.space === "texels")).map((p) => p.root);
    const names = launch.arrays.filter((a) => a.space === "global" && a.columns).map((a) => a.name).join("");
    const product = recording.problem === "matmul" && names === "abc";
    main.replaceChildren(player(), view.choices, findings(), view.sentence,
      h("div", { class: "stage" },
        h("div", { class: "pictures" }, h("div", { class: product ? "arrays product" : "arrays" }, product && h("div", { class: "corner" }, h("p", { class: "hint" }, t("watch.legend"))), of("global")),
          !product && h("p", { class: "hint" }, t("watch.legend")),
          shared && h("section", { class: "shared-part" }, h("h2", {}, t("watch.shared", { bytes: launch.data.sharedBytes })), h("div", { class: "arrays" }, of("shared")), h("div", { class: "scroll" }, view.banks))),
        h("aside", {}, view.maps, view.source.root, view.costs, view.lanes)),
      view.tip);
    drawScope();
    draw();
  }

  const turn = (value, by, count) => (value + by + count) % count;
  const actions = {
    " ": toggle, ArrowRight: () => seek(place + 1), ArrowLeft: () => seek(place - 1), PageDown: () => seekPhase(1), PageUp: () => seekPhase(-1), Home: () => seek(0), End: () => seek(Infinity),
    g: () => change({ kind: "grid" }), b: () => change({ kind: "block" }), w: () => change({ kind: "warp" }), t: () => change({ kind: "thread" }),
    "]": () => change({ thread: turn(scope.thread, 1, launch.threads) }), "[": () => change({ thread: turn(scope.thread, -1, launch.threads) }),
    "}": () => change({ thread: 32 * turn(scope.warp, 1, launch.warps) }), "{": () => change({ thread: 32 * turn(scope.warp, -1, launch.warps) }),
    ">": () => change({ block: turn(scope.block, 1, launch.blocks) }), "<": () => change({ block: turn(scope.block, -1, launch.blocks) }),
  };

  const self = {
    root, recording, build, seek, actions, about,
    get launch() { return launch; },
    get scope() { return scope; },
    get place() { return place; },
    get step() { return step(); },
    get phase() { return launch.steps[step()]?.phase ?? 0; },
    change,
  };
  return self;
}
