// The page: what a kernel reads and writes, step by step; or two kernels beside each other.
import { beside } from "./beside.js";
import { currentLanguage, setLanguage, setMessages, t } from "./messages.js";
import { h } from "./dom.js";
import { languageChoice, themeButton } from "./chrome.js";
import { makePlayer } from "./player.js";

const data = JSON.parse(document.getElementById("data").textContent);
setMessages(JSON.parse(document.getElementById("messages").textContent));
const kKeys = [[["Space"], "watch.key.play"], [["←", "→"], "watch.key.step"], [["PgUp", "PgDn"], "watch.key.phase"], [["Home", "End"], "watch.key.ends"], [["G", "B", "W", "T"], "watch.key.scope"], [["[", "]"], "watch.key.thread"], [["{", "}"], "watch.key.warp"], [["<", ">"], "watch.key.block"]];

const watched = document.getElementById("watch"), twoOf = data.beside ? beside(data.beside) : undefined;
const stageRoot = h("div", { class: "player-root" }), single = twoOf ? undefined : makePlayer(stageRoot, data, { moved: mark });

/// Where the page stands, for whoever looks at it from outside.
function mark(player) {
  watched.dataset.step = player.step;
  watched.dataset.phase = player.phase;
}

function header() {
  const { config = {} } = data, axes = Object.values(config).some((v) => v > 0);
  return h("header", {}, h("div", { class: "bar" }, h("span", { class: "house" }, "Warpwright"), h("span", { class: "gap" }), languageChoice((language) => build(language)), themeButton()),
    h("h1", {}, twoOf ? twoOf.title() : axes ? data.kernel : data.title), h("p", { class: "about" }, twoOf ? twoOf.about() : single.about()));
}

function build(language) {
  setLanguage(language);
  document.documentElement.lang = currentLanguage();
  watched.replaceChildren(header(), twoOf ? twoOf.root : stageRoot,
    h("details", { class: "keys" }, h("summary", {}, t("watch.keys")), h("dl", {}, kKeys.map(([keys, key]) => [h("dt", {}, keys.map((k) => h("kbd", {}, k))), h("dd", {}, t(key))]))), h("footer", {}, t("watch.footer")));
  (twoOf ?? single).build();
  if (single) mark(single);
}

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const { target } = e, range = target.type === "range";
  if (!range && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  if (e.key === " " && (target.tagName === "BUTTON" || target.tagName === "SUMMARY")) return;
  if (target.classList?.contains("source") && /^(Page|Home|End)/.test(e.key)) return;
  const action = (twoOf ?? single).actions[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (!action) return;
  e.preventDefault();
  action();
});

build(document.documentElement.lang);
