// The page's own modules, without a browser: messages in all languages, numbers, filters, CSV.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseCsv } from "./results.mjs";

const root = new URL("../../", import.meta.url).pathname;
const folder = join(root, "src/report/page");
const { axisNumber, setLanguage, setMessages, shortNumber, t } = await import(join(folder, "messages.js"));
const { condition, select, sortRows } = await import(join(folder, "filter.js"));
const { tableCsv } = await import(join(folder, "csv.js"));

const catalogues = Object.fromEntries(readdirSync(join(folder, "messages")).map((f) => [f.replace(".json", ""), JSON.parse(readFileSync(join(folder, "messages", f), "utf8"))]));
setMessages(catalogues);
const sources = readdirSync(folder).filter((f) => f.endsWith(".js")).map((f) => [f, readFileSync(join(folder, f), "utf8")]);

test("every language has every message, with all plural forms and the same gaps", () => {
  const gaps = (text) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((m) => m[1]))].sort();
  for (const [language, catalogue] of Object.entries(catalogues)) {
    const own = (key) => !/^(study|text|plot\.title)\./.test(key);  // English has those in the studies' files
    assert.deepEqual(Object.keys(catalogue).filter(own).sort(), Object.keys(catalogues.en).sort(), language);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalogue).filter(([key]) => own(key))) {
      if (typeof message === "object") assert.deepEqual(Object.keys(message).sort(), [...forms].sort(), `${language} ${key}`);
      const whole = (m) => (typeof m === "object" ? Object.values(m).join() : m);
      assert.deepEqual(gaps(whole(message)), gaps(whole(catalogues.en[key])), `${language} ${key}`);
    }
  }
});

test("summaries and figures of the built-in studies are there in all other languages", () => {
  const data = join(root, "src/study/data");
  for (const file of readdirSync(data)) {
    const study = JSON.parse(readFileSync(join(data, file), "utf8"));
    for (const language of Object.keys(catalogues).filter((l) => l !== "en")) {
      assert.ok(`study.${study.name}` in catalogues[language], `${language} study.${study.name}`);
      for (const { title } of study.plots ?? []) assert.ok(`plot.title.${title}` in catalogues[language], `${language} ${title}`);
    }
  }
});

test("every message that the code names is there", () => {
  const cpp = ["conclusions.cpp", "agreement.cpp", "verification.cpp"].map((f) => readFileSync(join(root, "src/study", f), "utf8")).join("");
  for (const [, key] of sources.map(([, text]) => text).join("").matchAll(/\bt\("([\w.]+)"/g)) assert.ok(key in catalogues.en, key);
  const named = [...cpp.matchAll(/"((?:best|binding|less|gpus|fewest|alike|agree|verified)(?:\.\w+)*)"/g)].map((m) => m[1]);
  assert.ok(named.length > 10);
  for (const key of named.filter((k) => k !== "verified" && k !== "best" && k !== "less" && k !== "binding")) assert.ok(key in catalogues.en, key);
  for (const suffix of ["", ".of_many"]) for (const key of ["best", "best.no_gpu"]) assert.ok(key + suffix in catalogues.en);
});

test("a missing message is English, an unknown one its own name", () => {
  setMessages({ ...catalogues, pl: {} });
  setLanguage("pl");
  assert.equal(t("page.print"), "Print");
  assert.equal(t("no.such"), "no.such");
  setMessages(catalogues);
});

test("plural and number forms", () => {
  const rows = (language, count) => { setLanguage(language); return t("table.rows", { count }); };
  assert.deepEqual([1, 2, 5, 22, 25].map((n) => rows("pl", n)), ["1 wiersz", "2 wiersze", "5 wierszy", "22 wiersze", "25 wierszy"]);
  assert.deepEqual([1, 3, 5, 22].map((n) => rows("cs", n)), ["1 řádek", "3 řádky", "5 řádků", "22 řádků"]);
  assert.deepEqual([1, 2, 11, 21, 25].map((n) => rows("ru", n)), ["1 строка", "2 строки", "11 строк", "21 строка", "25 строк"]);
  assert.deepEqual([1, 2].map((n) => rows("en", n)), ["1 row", "2 rows"]);
  setLanguage("ru");
  assert.equal(shortNumber(1234567.5).replaceAll(/\s/g, " "), "1 234 600");
  assert.equal(shortNumber(0.5), "0,5");
});

test("numbers as the terminal's tables have them", () => {
  setLanguage("en");
  const expected = [[0, "0"], [NaN, "NaN"], [-Infinity, "−∞"], [4096, "4096"], [8388608, "8,388,608"], [0.123456, "0.1235"], [1234.56, "1234.6"], [1.5e-7, "1.5·10⁻⁷"], [-2.5, "−2.5"]];
  for (const [value, text] of expected) assert.equal(shortNumber(value), text);
  assert.equal(axisNumber(3.2e6), "3.2 M");
  assert.equal(axisNumber(5e9), "5 G");
});

const numbers = { numeric: true, number: (row) => [5, NaN, undefined, 100, 7][row], text: (row) => ["5", "nan", "", "100", "7"][row] };
const words = { numeric: false, number: () => undefined, text: (row) => ["engine", "host", "", "Engine", "gpu0"][row] };

test("filters", () => {
  const rows = (text, column) => [...select(5, [condition(text, column)].filter(Boolean))];
  assert.deepEqual(rows(">5", numbers), [3, 4]);
  assert.deepEqual(rows("<= 7", numbers), [0, 4]);
  assert.deepEqual(rows("5..7", numbers), [0, 4]);
  assert.deepEqual(rows("!=5", numbers), [1, 3, 4]);
  assert.deepEqual(rows("engine", words), [0, 3]);
  assert.deepEqual(rows("=engine", words), [0]);
  assert.deepEqual(rows("", words), [0, 1, 2, 3, 4]);
  assert.deepEqual(rows("(", words), []);
});

test("sorting puts what is missing last", () => {
  assert.deepEqual([...sortRows(Uint32Array.of(0, 1, 2, 3, 4), numbers, 1)], [0, 4, 3, 1, 2]);
  assert.deepEqual([...sortRows(Uint32Array.of(0, 1, 2, 3, 4), numbers, -1)], [3, 4, 0, 1, 2]);
});

test("CSV comes back", () => {
  const column = { kind: "axis", tag: "a,\"b\"", text: (row) => ["x,y", "line\nend", "\"q\""][row] };
  assert.deepEqual(parseCsv(tableCsv([column, column], [0, 1, 2])), [["a,\"b\"", "a,\"b\""], ["x,y", "x,y"], ["line\nend", "line\nend"], ["\"q\"", "\"q\""]]);
});

test("the modules can stand in one script", () => {
  const known = new Map();
  for (const [file, text] of sources)
    for (const [, name] of text.matchAll(/^(?:export )?(?:const|let|function|async function|class) (\w+)/gm)) {
      assert.ok(!known.has(name), `${name} is in ${known.get(name)} and ${file}`);
      known.set(name, file);
    }
  for (const [file, text] of sources) assert.doesNotMatch(text, /^import[^;]*$/m, `${file}: an import over several lines`);
});
