// What every page has at its top: the language, and light or dark.
import { allLanguages, currentLanguage, t } from "./messages.js";
import { h } from "./dom.js";

const kLanguageNames = { en: "English", pl: "Polski", cs: "Čeština", ru: "Русский" };

/// A choice of the languages there are; `choose` gets the one that was chosen.
export const languageChoice = (choose) => h("select", { class: "language", "aria-label": t("page.language"), onchange: (e) => choose(e.target.value) },
  allLanguages().map((l) => h("option", { value: l, selected: l === currentLanguage() }, kLanguageNames[l] ?? l)));

export function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  return h("button", { type: "button", class: "theme", title: t("page.theme"), "aria-label": t("page.theme"), onclick: () => { root.dataset.theme = dark() ? "light" : "dark"; } }, "◐");
}
