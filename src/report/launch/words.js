// Numbers for people: bytes, times, counts; and the words of the page.
import { hasMessage, readableUnit, shortNumber, t } from "./messages.js";

const kBytes = ["B", "kB", "MB", "GB", "TB"];
export function bytes(v) {
  let k = 0;
  for (; Math.abs(v) >= 1000 && k < kBytes.length - 1; ++k) v /= 1000;
  return `${digits(v)} ${kBytes[k]}`;
}

/// Milliseconds in the unit that reads best, or in that of a time that stands beside it.
export function time(ms, beside = ms) {
  const { unit, factor } = beside >= 1000 ? { unit: "s", factor: 1e-3 } : readableUnit("ms", beside);
  const shown = ms * factor;
  return ms === 0 || beside === ms || (shown >= 1e-3 && shown < 1e5) ? `${digits(shown)} ${unit}` : time(ms);
}

const kCounts = ["", "k", "M", "G", "T"];
export function count(v) {
  if (Math.abs(v) < 10000) return digits(v);
  let k = 0;
  for (; Math.abs(v) >= 1000 && k < kCounts.length - 1; ++k) v /= 1000;
  return `${digits(v)}${kCounts[k]}`;
}

/// Three significant digits, whole numbers in full.
export const digits = (v) => shortNumber(Number.isInteger(v) && Math.abs(v) < 1e6 ? v : Math.abs(v) >= 100 ? Math.round(v) : Number(v.toPrecision(3)));
export const percent = (v) => `${digits(v)} %`;

/// A part of a predicted time.
export const partName = (tag) => (hasMessage(`launch.part.${tag}`) ? t(`launch.part.${tag}`) : tag);
/// Words of the data ("registers per thread") in the reader's language.
export const wordOf = (text) => (hasMessage(`launch.word.${text}`) ? t(`launch.word.${text}`) : text);
