// Messages and numbers in the reader's language.

let catalogues = {};
let language = "en";
let plurals = new Intl.PluralRules("en");
let integers, reals, smallReals;

export function setMessages(all) {
  catalogues = all;
}

export function setLanguage(name) {
  language = catalogues[name] ? name : "en";
  plurals = new Intl.PluralRules(language);
  integers = new Intl.NumberFormat(language, { maximumFractionDigits: 0, useGrouping: "min2" });
  reals = new Intl.NumberFormat(language, { maximumSignificantDigits: 5, useGrouping: "min2" });
  smallReals = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 });
}

export const currentLanguage = () => language;
export const allLanguages = () => Object.keys(catalogues);

function form(message, count) {
  return typeof message === "string" ? message : (message[plurals.select(Number(count))] ?? message.other);
}

/// Whether English, to which every language falls back, has this message.
export const hasMessage = (key) => catalogues.en?.[key] !== undefined;

/// Below this, what is shown of a ratio is 1, and words say it better.
const kLevel = 1.005;

/// The message as a list of texts and arguments, the latter as `show` makes them. "{name}" is a gap; "{name:times}" a ratio in
/// the message "form.times" as its {count}, or "form.times.level" where it is hardly more than 1. A message with plural forms
/// is chosen by the argument `count`. `numberOf` gives an argument's number.
export function parts(key, values = {}, show = String, numberOf = Number) {
  const message = catalogues[language]?.[key] ?? catalogues.en?.[key];
  if (message === undefined) return [key];
  const out = [];
  let from = 0;
  const text = form(message, "count" in values ? numberOf(values.count) : undefined);
  for (const gap of text.matchAll(/\{(\w+)(?::(\w+))?\}/g)) {
    if (gap.index > from) out.push(text.slice(from, gap.index));
    const [all, name, word] = gap;
    if (!word) out.push(name in values ? show(values[name]) : all);
    else if (numberOf(values[name]) < kLevel) out.push(t(`form.${word}.level`));
    else out.push(...parts(`form.${word}`, { count: values[name] }, show, numberOf));
    from = gap.index + all.length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

/// The message as one text; numbers as the language writes them.
export function t(key, values) {
  return parts(key, values, (v) => (typeof v === "number" ? shortNumber(v) : String(v))).join("");
}

/// The message if there is one, else `otherwise`.
export const optional = (key, otherwise) => (catalogues[language]?.[key] !== undefined || hasMessage(key) ? t(key) : otherwise);

/// What the data say of a metric, in English, as the language says it: the longest text that is known and that it begins
/// with; what follows is a formula, a source or a name, and stays. # stands for a whole number.
export function aboutText(text) {
  const of = catalogues[language] ?? {};
  if (language === "en" || !text) return text;
  const numbers = text.match(/\d+/g) ?? [];
  const printed = /^(\S+) in (\S+\.csv)$/.exec(text);
  if (printed) return t("about_in_file", { metric: printed[1], file: printed[2] });
  for (let end = text.length; end > 0; end = text.lastIndexOf(" ", end - 1)) {
    const head = text.slice(0, end).replace(/;$/, "");
    const known = of[`about.${head}`] ?? of[`about.${head.replaceAll(/\d+/g, "#")}`];
    if (known) return known.replaceAll("#", () => numbers.shift()) + text.slice(head.length);
  }
  return text;
}

const kRaised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
export const raised = (exponent) => [...String(exponent)].map((c) => kRaised[c]).join("");

/// A number for people: integers in full below 10^15, others with 5 significant digits (4 below 1), as the terminal's
/// tables have them.
export function shortNumber(v) {
  if (Number.isNaN(v)) return "NaN";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  const size = Math.abs(v);
  if (v === 0) return "0";
  if (Number.isInteger(v) && size < 1e15) return integers.format(v).replace("-", "−");
  if (size >= 1e-4 && size < 1e15) return (size < 1 ? smallReals : reals).format(v).replace("-", "−");
  const [mantissa, exponent] = v.toExponential(3).split("e");
  return `${reals.format(Number(mantissa)).replace("-", "−")}·10${raised(Number(exponent))}`;
}

const kPrefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/// A number for an axis: 3,2 M; powers of ten where there is no prefix.
export function axisNumber(v) {
  const size = Math.abs(v);
  if (v === 0) return "0";
  if (size >= 1e18 || size < 1e-4) return shortNumber(v);
  for (const [factor, prefix] of size < 1e4 ? [] : kPrefixes)
    if (size >= factor) return `${smallReals.format(v / factor).replace("-", "−")} ${prefix}`;
  return smallReals.format(v).replace("-", "−");
}

/// The unit of an amount, in the form that the number asks for; units without a message stay as they are.
export const unitWord = (unit, count) => (hasMessage(`unit.${unit}`) && count !== undefined ? t(`unit.${unit}`, { count }) : unit);
