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

/// A word of the data's own, the same in all languages.
export function addMessage(key, text) {
  for (const catalogue of Object.values(catalogues)) catalogue[key] = text;
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

/// Where the brace that opens at `from` closes.
function closing(text, from) {
  for (let at = from, depth = 0; at < text.length; ++at) {
    if (text[at] === "{") ++depth;
    if (text[at] === "}" && --depth === 0) return at;
  }
  return text.length;
}

/// "one {# row} other {# rows}" → the text of the form that the number asks for.
function pluralForm(forms, number) {
  const found = new Map();
  for (let at = 0; ;) {
    const open = forms.indexOf("{", at);
    if (open < 0) break;
    const end = closing(forms, open);
    found.set(forms.slice(at, open).trim(), forms.slice(open + 1, end));
    at = end + 1;
  }
  return found.get(plurals.select(number)) ?? found.get("other") ?? "";
}

/// The message as a list of texts and arguments, the latter as `show(value, case)` makes them. A gap is one of
/// "{name}"; "{name:genitive}", an amount whose unit stands in that case; "{name:times}", a ratio in the message "form.times" as
/// its {count}, or "form.times.level" where it is hardly more than 1; and, as ICU's MessageFormat has it, "{name, plural,
/// one {# row} other {# rows}}", in whose forms # is the number. A message that is an object of plural forms is chosen by
/// the argument `count`. The forms are those of CLDR (Intl.PluralRules). `numberOf` gives an argument's number.
export function parts(key, values = {}, show = String, numberOf = Number) {
  const message = catalogues[language]?.[key] ?? catalogues.en?.[key];
  if (message === undefined) return [key];
  return filled(form(message, "count" in values ? numberOf(values.count) : undefined), values, show, numberOf);
}

function filled(text, values, show, numberOf) {
  const out = [];
  for (let from = 0; from < text.length;) {
    const open = text.indexOf("{", from);
    if (open < 0) {
      out.push(text.slice(from));
      break;
    }
    if (open > from) out.push(text.slice(from, open));
    const end = closing(text, open), gap = text.slice(open + 1, end);
    const [, name, word, forms] = /^(\w+)(?::(\w+)|, plural, ([^]*))?$/.exec(gap) ?? [];
    if (!(name in values)) out.push(text.slice(open, end + 1));
    else if (forms) out.push(...filled(pluralForm(forms, numberOf(values[name])).replaceAll("#", `{${name}}`), values, show, numberOf));
    else if (!word || word === "genitive") out.push(show(values[name], word));
    else if (values[name]?.least) out.push(...parts(`form.${word}.least`, { count: { ...values[name], least: false } }, show, numberOf));
    else if (numberOf(values[name]) < kLevel) out.push(t(`form.${word}.level`));
    else out.push(...parts(`form.${word}`, { count: values[name] }, show, numberOf));
    from = end + 1;
  }
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

/// A sentence that the data have in English only (why a launch was refused, what a check found), as the language says it:
/// the message "phrase.ENGLISH WITH {gaps}" whose English it is; what stands in its gaps is said likewise. Else as it is.
export function phraseText(text) {
  if (language === "en" || !text) return text;
  for (const { key, pattern, gaps } of phrasesOf(language)) {
    const found = pattern.exec(text);
    if (!found) continue;
    const values = Object.fromEntries(gaps.map((gap, i) => [gap, found[i + 1]]));
    return parts(key, values, phraseText).join("");
  }
  return text;
}

/// Gaps that hold a number.
const kNumbers = ["byte", "bytes", "capability", "first", "most", "needed", "registers", "size", "threads", "x", "y", "z"];
const kWho = "(an?(?:other)? (?:lane|thread) of (?:its|another) (?:warp|block))";
const phrases = {};  // by language: those with most words of their own first

function phrasesOf(name) {
  const escaped = (s) => s.replaceAll(/[.*+?^$()|[\]{}\\/]/g, "\\$&");
  return phrases[name] ??= Object.keys(catalogues[name] ?? {}).filter((key) => key.startsWith("phrase.")).map((key) => {
    const pieces = key.slice("phrase.".length).split(/\{(\w+)\}/), own = pieces.filter((_, i) => i % 2 === 0);
    return { key, gaps: pieces.filter((_, i) => i % 2), pattern: new RegExp(`^${pieces.map((piece, i) => (i % 2 === 0 ? escaped(piece) : kNumbers.includes(piece) ? "([\\d.]+)" : piece === "who" ? kWho : "(.+?)")).join("")}$`), words: own.join("").length };
  }).sort((a, b) => b.words - a.words);
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

/// The number whose plural form stands after one that is shown as "12,3k": thousands of something.
export const spoken = (v) => (Math.abs(v) >= 10000 ? Number(v.toPrecision(3)) : v);

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

/// The unit of an amount, in the form that the number asks for and in that grammatical case, if the language has it; units
/// without a message stay as they are.
export function unitWord(unit, count, grammaticalCase) {
  const key = `unit.${unit}`, inCase = `${key}.${grammaticalCase}`;
  return hasMessage(key) && count !== undefined ? t(grammaticalCase && hasMessage(inCase) ? inCase : key, { count }) : unit;
}

/// The same where no amount stands before it, as at an axis: the form of many.
export const unitName = (unit) => unitWord(unit, 5);

/// A metric as words: what the language calls it, else its tag's words.
export function metricName(tag) {
  const [, of, pipe] = /^((?:warp|thread)_instructions)_(\w+)$/.exec(tag) ?? [];
  if (pipe) return t("metric.pipe", { metric: metricName(of), pipe });
  return hasMessage(`metric.${tag}`) ? t(`metric.${tag}`) : tag.replaceAll("_", " ");
}

const kTimeUnits = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9], ["ps", 1e-12]];
const kLeastShown = 0.1;  // of a unit: less has zeros that say nothing

/// The unit in which times of this size are read best, and what to multiply by: 0.00384 ms are 3.84 µs. Other units stay as
/// they are, and so do times that are large enough.
export function readableUnit(unit, size) {
  const at = kTimeUnits.findIndex(([name]) => name === (unit === "us" ? "µs" : unit));
  if (at < 0) return { unit, factor: 1 };
  let best = at;
  while (size > 0 && best + 1 < kTimeUnits.length && (size * kTimeUnits[at][1]) / kTimeUnits[best][1] < kLeastShown) ++best;
  return { unit: kTimeUnits[best][0], factor: best === at ? 1 : Math.round(kTimeUnits[at][1] / kTimeUnits[best][1]) };
}
