// The page's own modules, without a browser: messages in all languages, numbers, filters, CSV.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Script } from "node:vm";
import { parseCsv } from "./results.mjs";

const root = new URL("../../", import.meta.url).pathname;
const folder = join(root, "src/report/page");
const { axisNumber, metricName, parts, phraseText, unitName, readableUnit, setLanguage, setMessages, shortNumber, spoken, aboutText, t, unitWord } = await import(join(folder, "messages.js"));
const { condition, select, sortRows } = await import(join(folder, "filter.js"));
const { readTable } = await import(join(folder, "data.js"));
const { seriesOf } = await import(join(folder, "series.js"));
const { tableCsv } = await import(join(folder, "csv.js"));

const catalogues = Object.fromEntries(readdirSync(join(folder, "messages")).map((f) => [f.replace(".json", ""), JSON.parse(readFileSync(join(folder, "messages", f), "utf8"))]));
setMessages(catalogues);
const modulesOf = (name) => readdirSync(join(root, "src/report", name)).filter((f) => f.endsWith(".js")).map((f) => [`${name}/${f}`, readFileSync(join(root, "src/report", name, f), "utf8")]);
const sources = modulesOf("page"), watchSources = modulesOf("watch"), launchSources = modulesOf("launch");

test("every language has every message, with all plural forms and the same gaps", () => {
  // A number may stand in a plural form, or nowhere: "the one pair".
  const gaps = (text) => [...new Set([...text.matchAll(/\{(\w+)[:}]/g)].map((m) => m[1]).filter((name) => !["count", "level", "apart"].includes(name)))].sort();
  for (const [language, catalogue] of Object.entries(catalogues)) {
    const own = (key) => !/^(study|text|plot\.title|about|said|phrase)\./.test(key);  // English has those in the studies' files and beside what is counted
    assert.deepEqual(Object.keys(catalogue).filter(own).sort(), Object.keys(catalogues.en).sort(), language);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalogue).filter(([key]) => own(key))) {
      if (typeof message === "object") assert.deepEqual(Object.keys(message).sort(), [...forms].sort(), `${language} ${key}`);
      const whole = (m) => (typeof m === "object" ? Object.values(m).join() : m);
      assert.deepEqual(gaps(whole(message)), gaps(whole(catalogues.en[key])), `${language} ${key}`);
      for (const [, inside] of whole(message).matchAll(/, plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g))
        assert.deepEqual([...inside.matchAll(/(\w+) \{/g)].map((m) => m[1]).sort(), [...forms].sort(), `${language} ${key}`);
    }
  }
});

test("an axis that only says again where a row stands along x is no choice", () => {
  setLanguage("en");
  // Blocks of 32 x rows: against rows, a chosen block would leave one place; against n, it is one choice.
  const rows = [4, 8, 4, 8].map((r, i) => ({ rows: String(r), block: `32x${r}`, n: i < 2 ? "256" : "512", time: i + 1 }));
  const axis = (name) => { const values = [...new Set(rows.map((r) => r[name]))]; return { name, values, dense: rows.map((r) => values.indexOf(r[name])) }; };
  const table = readTable({ title: "", rows: 4, axes: ["n", "block", "rows"].map(axis), columns: [{ tag: "time", unit: "ms", provenance: "modelled", description: "", dense: rows.map((r) => r.time) }], notes: [], refused: [] });
  const of = (x) => { const s = seriesOf(table, { x, y: ["time"], series: [] }); return [s.choices.map((c) => c.axis), s.lines.map((l) => l.points.map((p) => p.x))]; };
  assert.deepEqual(of("rows"), [["n"], [[4, 8]]]);
  assert.deepEqual(of("n"), [["block"], [[256, 512]]]);
});

test("summaries, texts and figures of the built-in studies are there in all other languages", () => {
  const data = join(root, "src/study/data");
  for (const file of readdirSync(data)) {
    const study = JSON.parse(readFileSync(join(data, file), "utf8"));
    for (const language of Object.keys(catalogues).filter((l) => l !== "en")) {
      assert.ok(`study.${study.name}` in catalogues[language], `${language} study.${study.name}`);
      assert.ok(`text.${study.name}` in catalogues[language], `${language} text.${study.name}`);
      for (const { title } of study.plots ?? []) assert.ok(`plot.title.${title}` in catalogues[language], `${language} ${title}`);
    }
  }
});

test("a ratio is a number of times, in the form that the language asks for, or words where it is hardly more than 1", () => {
  const said = (language, by) => (setLanguage(language), t("best.host", { by, host: "-", host_score: "-" }));
  assert.match(said("en", 1.5), /is 1\.5\u00a0times as fast as/);
  assert.match(said("en", 1.004), /is just as fast as/);
  assert.match(said("ru", 5), /в 5\u00a0раз быстрее/);
  assert.match(said("ru", 1.5), /в 1,5\u00a0раза быстрее/);
  assert.match(said("ru", 1), /Это чуть быстрее/);
  assert.match(said("pl", 2), /2\u00a0razy szybciej/);
  assert.match(said("cs", 1.001), /jen nepatrně rychleji/);
  const numberOf = (v) => (typeof v === "object" ? v.value : Number(v));
  const least = (language) => (setLanguage(language), parts("best.host", { by: { value: 2, least: true }, host: "-", host_score: "-" }, (v) => String(v?.value ?? v), numberOf).join(""));
  assert.match(least("en"), /is at least 2\u00a0times as fast as/);
  assert.match(least("ru"), /не менее чем в 2\u00a0раза быстрее/);
});

test("descriptions of metrics are the same in all other languages, and there is no old one", () => {
  const described = (language) => Object.keys(catalogues[language]).filter((key) => key.startsWith("about.")).sort();
  assert.ok(described("pl").length > 200);
  for (const language of ["cs", "ru"]) assert.deepEqual(described(language), described("pl"), language);
  const text = [];
  const walk = (folder) => readdirSync(folder, { withFileTypes: true }).forEach((e) => (e.isDirectory() ? walk(join(folder, e.name)) : e.name.endsWith(".cpp") && text.push(readFileSync(join(folder, e.name), "utf8"))));
  walk(join(root, "src"));
  const code = text.join("\n").replaceAll(/"\s*"/g, "");
  // Put together from parts in the code.
  const kComposed = ["float32 add instructions", "float32 mul instructions", "float32 fma instructions", "a warp fetches # + # numbers", "a half-warp fetches # + # numbers", "median time of a copy to the ", "bytes copied to the "];
  for (const key of described("pl").map((k) => k.slice("about.".length)))
    assert.ok(code.includes(key) || kComposed.some((part) => key.startsWith(part)), key);
  setLanguage("pl");
  assert.equal(aboutText("flop / time"), "flop / czas");
  assert.equal(aboutText("registers per thread; ptxas 13.0"), "rejestry na wątek; ptxas 13.0");
  assert.equal(aboutText("instructions of pipe fp32"), "instrukcje potoku fp32");
  assert.equal(aboutText("time in gt240.csv"), "time w gt240.csv");
  assert.equal(aboutText("a half-warp fetches 1 + 16 numbers for 32 flop = 2*lanes/(rows+columns)"), "pół warpa pobiera 1 + 16 liczb na 32 flop = 2*lanes/(rows+columns)");
  assert.equal(aboutText("nothing known"), "nothing known");
  setLanguage("en");
  assert.equal(aboutText("flop / time"), "flop / time");
});

test("what each figure of a GPU means is said in all other languages", () => {
  const fields = readFileSync(join(root, "src/gpus/fields.cpp"), "utf8").replaceAll(/"\s*\n\s*"/g, "");
  const texts = [...fields.matchAll(/WW_(?:FIELD|LIST|\w+)\((\w+),\s*"[^"]*",\s*"([^"]+)"/g)].map((m) => m[2]);
  assert.ok(texts.length > 60, `${texts.length}`);
  for (const language of ["pl", "cs", "ru"])
    for (const text of texts) assert.ok(`about.${text}` in catalogues[language], `${language}: ${text}`);
});

test("what is said of a launch has a message in all other languages, with the same gaps, and there is no old one", () => {
  const code = ["model/explain.cpp", "model/explain_lines.cpp", "forecast/sentences.cpp"].map((f) => readFileSync(join(root, "src", f), "utf8")).join("");
  const said = new Set([...code.matchAll(/"(said\.[a-z_.0-9]+)"/g)].map((m) => m[1]));
  for (const what of ["load", "store"]) for (const end of ["", ".whole", "_conflicts", "_conflicts.mean"]) said.add(`said.${what}${end}`);
  assert.ok(said.size > 20);
  const gaps = (text) => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((m) => m[1]))].sort();
  for (const language of ["pl", "cs", "ru"]) {
    assert.deepEqual(Object.keys(catalogues[language]).filter((key) => key.startsWith("said.")).sort(), [...said].sort(), language);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const key of said) {
      const text = catalogues[language][key];
      assert.deepEqual(gaps(text), gaps(catalogues.pl[key]), `${language} ${key}`);
      for (const [, inside] of text.matchAll(/, plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g))
        assert.deepEqual([...inside.matchAll(/(\w+) \{/g)].map((m) => m[1]).sort(), [...forms].sort(), `${language} ${key}`);
    }
  }
});

test("what is refused and what a race is has words in all other languages, and there is no old one", () => {
  const phrases = (language) => Object.keys(catalogues[language]).filter((key) => key.startsWith("phrase.")).sort();
  assert.ok(phrases("pl").length > 40);
  const code = ["model/occupancy.cpp", "model/prediction.cpp", "forecast/forecast.cpp", "device/device.cpp", "kernels/run.cpp", "checks/races/report.cpp", "checks/races/findings.cpp", "cli/own_study/command.cpp"]
    .map((f) => readFileSync(join(root, "src", f), "utf8")).join("\n").replaceAll(/"\s*\n?\s*"/g, "");
  const gaps = (text) => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((m) => m[1]))].sort();
  for (const language of ["cs", "pl", "ru"]) {
    assert.deepEqual(phrases(language), phrases("pl"), language);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const key of phrases(language)) {
      assert.deepEqual(gaps(catalogues[language][key]), gaps(key), `${language} ${key}`);
      for (const [, inside] of catalogues[language][key].matchAll(/, plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g))
        assert.deepEqual([...inside.matchAll(/(\w+) \{/g)].map((m) => m[1]).sort(), [...forms].sort(), `${language} ${key}`);
    }
  }
  // Their own words stand in the code, between its {} and at "shared" and "global", which it fills in.
  for (const key of phrases("pl"))
    for (const words of key.slice("phrase.".length).split(/\{\w+\}|shared|global|\b1 byte| bytes/))
      assert.ok(code.includes(words.trim().replace(/ bytes$/, "")), `${key}: ${words}`);
  setLanguage("cs");
  assert.equal(phraseText("GTX 280 cannot launch this: 1024 threads in a block, the limit of compute capability 1.3 is 512"), "GTX 280 to nemůže spustit: vláken v bloku je 1024, mez compute capability 1.3 je 512");
  assert.equal(phraseText("C2070 cannot launch this: 70 registers per thread, the limit of compute capability 2.0 is 63 (70 registers: given)"), "C2070 to nemůže spustit: registrů na vlákno je 70, mez compute capability 2.0 je 63 (70 registrů: given)");
  assert.equal(phraseText("missing: a __syncthreads() between t.cu:3 and t.cu:5"), "chybí: __syncthreads() mezi t.cu:3 a t.cu:5");
  setLanguage("pl");
  assert.equal(phraseText("data race in shared memory: a thread reads 4 bytes, a thread of another warp writes 4 bytes (volatile), unsynchronised (they write the same value)"),
    "wyścig w pamięci współdzielonej: wątek czyta 4 bajty, wątek innego warpa zapisuje 4 bajty (volatile), bez synchronizacji (zapisują tę samą wartość)");
  setLanguage("ru");
  assert.equal(phraseText("where: byte 128 of the shared array tile"), "где: байт 128 разделяемого массива tile");
  assert.equal(phraseText("somebody's own words"), "somebody's own words");
  setLanguage("en");
});

test("units at an axis have the form of many", () => {
  setLanguage("pl");
  assert.equal(unitName("request"), "żądań");
  setLanguage("en");
  assert.equal(unitName("request"), "requests");
  assert.equal(unitName("GFlop/s"), "GFlop/s");
});

test("nouns in what is said of a launch follow their numbers", () => {
  // Forms of the nouns as dictionaries have them; 12,345 is shown as "12,3k", thousands of something.
  const wanted = {
    pl: { "said.load": [/^K czyta 1 bajt na/, /^K czyta 4 bajty na/, /^K czyta 128 bajtów na/, /^K czyta 2,5 bajta na/],
          "said.l1_passes": [/: 1 przejście .* 1 odczyt lub zapis;/, /: 4 przejścia .* 4 odczyty i zapisy;/, /: 128 przejść .* 128 odczytów i zapisów;/, null] },
    cs: { "said.load": [/^K čte 1 bajt na/, /^K čte 4 bajty na/, /^K čte 128 bajtů na/, /^K čte 2,5 bajtu na/],
          "said.load_conflicts": [null, /potřebuje 4 průchody místo/, /potřebuje 128 průchodů místo/, /potřebuje 2,5 průchodu místo/],
          "said.l1_passes": [/: 1 průchod .* 1 čtení nebo zápis;/, /: 4 průchody .* 4 čtení a zápisy;/, /: 128 průchodů .* 128 čtení a zápisů;/, null] },
    ru: { "said.load": [/^K читает 1 байт на/, /^K читает 4 байта на/, /^K читает 128 байт на/, /^K читает 2,5 байта на/],
          "said.l1_passes": [/: 1 проход .* 1 чтение или запись;/, /: 4 прохода .* 4 чтения и записи;/, /: 128 проходов .* 128 чтений и записей;/, null] },
  };
  const say = (key, n) => parts(key, { place: "K", wanted: n, moved: 32, sectors: 1, passes: n, requests: n, conflicts: n, least: 1 }, (v) => (typeof v === "number" ? shortNumber(v) : v)).join("");
  for (const [language, messages] of Object.entries(wanted)) {
    setLanguage(language);
    for (const [key, forms] of Object.entries(messages))
      [1, 4, 128, 2.5].forEach((n, k) => forms[k] && assert.match(say(key, n), forms[k], language));
    assert.equal(new Intl.PluralRules(language).select(spoken(12344)), language === "cs" ? "other" : "many");
  }
  assert.equal(spoken(9994), 9994);
  setLanguage("en");
});

test("every message that the code names is there", () => {
  const cpp = ["conclusions.cpp", "sizes.cpp", "agreement.cpp", "verification.cpp"].map((f) => readFileSync(join(root, "src/study", f), "utf8")).join("");
  for (const [, key] of [...sources, ...watchSources, ...launchSources].map(([, text]) => text).join("").matchAll(/\b(?:t|say)\("([\w.]+)"/g)) assert.ok(key in catalogues.en, key);
  const named = [...cpp.matchAll(/"((?:best|band|binding|less|gpus|winners|left_out|missing|fewest|alike|agree|sizes|verified|expected)(?:\.\w+)*)"/g)].map((m) => m[1]);
  assert.ok(named.length > 10);
  for (const key of named.filter((k) => k !== "verified")) assert.ok(key in catalogues.en, key);
  const verdict = readFileSync(join(root, "src/study/verdict.cpp"), "utf8");
  const answers = [...verdict.matchAll(/out\.add\("(\w+)", ([^{;]*?), (?:\{|wrong|faults|left_out)|(how) = ([^;]*);/g)].flatMap(([, answer, rest, best, ends]) => [...(rest ?? ends).matchAll(/"(\.\w+|)"/g)].map(([, end]) => `verdict.${best ? "best" : answer}${end}`));
  assert.ok(answers.length > 12, answers.join());
  // The ends that side_of_band and the launch's page put behind these.
  const banded = ["band", "verdict.sure.band", "launch.band"].flatMap((key) => [key, `${key}.short`, `${key}.long`]);
  for (const key of banded) assert.ok(key in catalogues.en, key);
  for (const key of [...answers, ...["measured", "modelled", "published"].map((p) => `verdict.sure.${p}`)]) assert.ok(key in catalogues.en, key);
  for (const key of Object.keys(catalogues.en).filter((k) => k.startsWith("verdict.") && !k.startsWith("verdict.head."))) assert.ok(answers.includes(key) || banded.includes(key) || /sure\.(measured|modelled|published)$/.test(key), `nobody says ${key}`);
  const history = readFileSync(join(root, "src/report/history.cpp"), "utf8");
  for (const key of ["compare.worse", "compare.good", "compare.missing"]) assert.ok(key in catalogues.en && history.includes(`"${key}"`), key);
  for (const key of ["up", "up.words", "up.gone", "down", "down.words"]) assert.ok(`compare.${key}` in catalogues.en, key);
  const facts = readFileSync(join(root, "src/model/unmodelled.cpp"), "utf8");
  const unmodelled = [...facts.matchAll(/return "(\w+)"/g)].map((m) => m[1]);
  assert.ok(unmodelled.length >= 4);
  for (const what of unmodelled) for (const key of [`unmodelled.${what}`, `unmodelled.short.${what}`]) assert.ok(key in catalogues.en, key);
  const model = ["time_parts.cpp", "time.cpp"].map((f) => readFileSync(join(root, "src/model", f), "utf8")).join("");
  const figures = [...model.matchAll(/missing\.push_back\("(\w+)"\)|gpu\.\w+, *"(\w+)"/g)].map((m) => m[1] ?? m[2]);
  assert.ok(figures.length > 8);
  for (const key of figures) assert.ok(`figure.${key}` in catalogues.en, key);
  const parts = readFileSync(join(root, "src/model/time_parts.cpp"), "utf8") + readFileSync(join(root, "src/model/time.cpp"), "utf8");
  for (const [, tag] of parts.matchAll(/"(time_\w+)"/g)) for (const key of [`metric.${tag}`, `launch.part.${tag}`]) assert.ok(key in catalogues.en, key);
  const occupancy = readFileSync(join(root, "src/model/occupancy.cpp"), "utf8"), view = readFileSync(join(root, "src/forecast/view.cpp"), "utf8");
  const words = [...occupancy.matchAll(/kNames\[\] = \{([^}]*)\}/g)].flatMap(([, list]) => [...list.matchAll(/"([^"]+)"/g)].map(([, w]) => w)).filter((w) => w !== "grid").concat([...view.matchAll(/steps_of\("([^"]+)"/g)].map(([, w]) => w));
  assert.ok(words.length > 6);
  for (const word of words) assert.ok(`launch.word.${word}` in catalogues.en, word);
});

test("plural forms inside a sentence are those of CLDR, with the number in them", () => {
  const pairs = (language, count, apart) => (setLanguage(language), t("agree.apart", { metric: "m", other_origin: "a", reference_origin: "b", count, apart, middle: "5 %", row: "r", other: 1, reference: 2 }));
  assert.match(pairs("en", 4, 1), /; 1 pair differs by more than a quarter/);
  assert.match(pairs("en", 4, 2), /; 2 pairs differ by more than a quarter/);
  assert.match(pairs("en", 1, 1), /: the one pair of numbers differs/);
  assert.match(pairs("pl", 5, 3), /z 5 par liczb .* różnią się 3 pary,/);
  assert.match(pairs("pl", 22, 5), /różni się 5 par,/);
  assert.match(pairs("ru", 21, 21), /из 21 пары чисел .* расходится 21 пара,/);
  assert.match(pairs("cs", 5, 2), /liší 2 dvojice,/);
});

test("an amount can stand in the genitive", () => {
  const unit = (language, count) => (setLanguage(language), unitWord("byte", count, "genitive"));
  // Polish: zamiast jednego bajta, dwóch bajtów; Czech: místo dvou bajtů; Russian: вместо двух байтов.
  assert.deepEqual([1, 2, 5, 1.5].map((n) => unit("pl", n)), ["bajta", "bajtów", "bajtów", "bajta"]);
  assert.deepEqual([1, 2, 5, 1.5].map((n) => unit("cs", n)), ["bajtu", "bajtů", "bajtů", "bajtu"]);
  assert.deepEqual([1, 2, 5, 21].map((n) => unit("ru", n)), ["байта", "байтов", "байтов", "байта"]);
  assert.deepEqual([1, 2].map((n) => unit("en", n)), ["byte", "bytes"]);
  setLanguage("pl");
  const shown = (v, grammaticalCase) => `${v} ${unitWord("byte", v, grammaticalCase)}`;
  assert.match(parts("less", { last: "", best: "", by: 2, metric: "", less: 5, more: 348913664 }, shown).join(""), /5 bajtów zamiast 348913664 bajtów/);
});

test("times are told in the unit that reads best", () => {
  assert.deepEqual(readableUnit("ms", 0.00384), { unit: "µs", factor: 1000 });
  assert.deepEqual(readableUnit("ms", 0.0000384), { unit: "ns", factor: 1e6 });
  assert.deepEqual(readableUnit("ms", 0.25), { unit: "ms", factor: 1 });
  assert.deepEqual(readableUnit("s", 0.002), { unit: "ms", factor: 1000 });
  assert.deepEqual(readableUnit("us", 4.5), { unit: "µs", factor: 1 });
  assert.deepEqual(readableUnit("ms", 0), { unit: "ms", factor: 1 });
  assert.deepEqual(readableUnit("byte", 1e-9), { unit: "byte", factor: 1 });
});

test("sentences have words for metrics, not tags", () => {
  setLanguage("en");
  assert.equal(metricName("time_dram"), "the bandwidth of DRAM");
  assert.equal(metricName("no_such_metric"), "no such metric");
  assert.equal(metricName("thread_instructions_int"), "thread instructions of pipe int");
  setLanguage("ru");
  assert.equal(metricName("global_load_sectors"), "секторы чтений глобальной памяти");
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
  const shared = sources.filter(([file]) => /(dom|messages|chrome)\.js$/.test(file));  // as src/report/CMakeLists.txt has it
  for (const together of [sources, [...shared, ...watchSources], [...shared, ...launchSources]]) {
    const known = new Map();
    for (const [file, text] of together)
      for (const [, name] of text.matchAll(/^(?:export )?(?:const|let|function|async function|class) (\w+)/gm)) {
        assert.ok(!known.has(name), `${name} is in ${known.get(name)} and ${file}`);
        known.set(name, file);
      }
    for (const [file, text] of together) assert.doesNotMatch(text, /^import[^;]*$/m, `${file}: an import over several lines`);
    // Names that stand second in a line, too.
    new Script(together.map(([, text]) => text.replace(/^import.*$/gm, "").replace(/^export /gm, "")).join("\n"));
  }
});

const { sharedFamilies, sharedSum } = await import(join(root, "src/report/launch/shared.js"));
const { colourOf } = await import(join(root, "src/report/watch/colour.js"));
const { conflicting, lanesOf, Launch } = await import(join(root, "src/report/watch/recording.js"));
const { Scope } = await import(join(root, "src/report/watch/scope.js"));
const { numberOf: valueOfBits } = await import(join(root, "src/report/watch/values.js"));
const { comparedCosts, placeInPhase } = await import(join(root, "src/report/watch/together.js"));

/// Two blocks of one warp: lanes 0 and 1 load neighbouring words, wait, and store.
function smallRecording() {
  const metrics = [{ name: "requests", main: false }, { name: "sectors", main: true }];
  const form = (kind, mask) => ({ space: "global", kind, array: 0, mask, bytes: 4, offsets: lanesOf(mask).map((l) => 4 * l), issued: 4, cost: [1, 1], pieces: [[0, 32]] });
  return { metrics: { global: metrics }, gpu: { banks: 32 }, launches: [{ grid: [2, 1, 1], block: [2, 1, 1], warps: 1, sharedBytes: 0,
    arrays: [{ name: "a", space: "global", address: 256, bytes: 32, elements: 8, columns: 4 }],
    sites: [{ kind: "load" }, { kind: "barrier" }, { kind: "store" }], steps: [[0, 0, 0], [1, 0, 0], [2, 1, 0]], forms: [form("load", 3), form("store", 2)],
    events: { begins: [0, 2, 4, 5], warp: [0, 1, 0, 1, 1], form: [0, 0, -1, -1, 1], at: [0, 8, 3, 3, 20] } }] };
}

test("passes of constant memory are no bank conflicts", () => {
  const memory = { families: { shared_load: { requests: 2, wavefronts: 8, conflicts: 6 }, shared_store: { requests: 0, wavefronts: 0, conflicts: 0 }, shared_atomic: { requests: 1, wavefronts: 2, conflicts: 1 }, constant_load: { requests: 1, wavefronts: 8, conflicts: 7 } } };
  assert.equal(sharedSum(memory, "conflicts"), 7);
  assert.equal(sharedSum(memory, "wavefronts"), 10);
  assert.deepEqual(sharedFamilies(memory).map((f) => f.requests), [2, 1]);
  // Both charts and the card above them take them from there.
  for (const file of ["main.js", "memory.js"]) assert.doesNotMatch(readFileSync(join(root, "src/report/launch", file), "utf8"), /f\.conflicts/, file);
});

test("a recording says who touches what", () => {
  const recording = smallRecording(), launch = new Launch(recording, recording.launches[0]), scope = new Scope(launch);
  assert.deepEqual(lanesOf(2 ** 31), [31]);
  assert.equal(launch.phases, 2);
  assert.deepEqual(scope.steps, [0, 1]);  // block 0 stores nothing
  assert.deepEqual(scope.kinds, ["global-load", "barrier"]);
  scope.change({ kind: "grid" });
  assert.deepEqual(scope.steps, [0, 1, 2]);
  assert.deepEqual(scope.costs, [2, 0, 1]);
  assert.deepEqual([...scope.first[0]], [0, 0, 0, 0, 3, 3, 2, 3]);
  assert.deepEqual(scope.sums("global", 0, 3), [3, 3]);
  scope.change({ kind: "thread", block: 1, thread: 1 });
  assert.deepEqual([...scope.first[0]], [3, 3, 3, 0, 3, 3, 2, 3]);
  const words = [];
  launch.eachElement(4, (element, thread) => words.push([element, thread]));
  assert.deepEqual(words, [[6, 1]]);
  assert.equal(launch.elementName(launch.arrays[0], 6), "a[1][2]");
});

test("texels have the names of their slice, row, column and channel, and a lane may fetch several", () => {
  const recording = smallRecording(), form = recording.launches[0].forms[0];
  form.texels = form.offsets.flatMap((offset, k) => [[lanesOf(form.mask)[k], offset], [lanesOf(form.mask)[k], offset + 4]]);
  const launch = new Launch(recording, recording.launches[0]), name = (array, element) => launch.elementName({ name: "t", ...array }, element);
  assert.equal(name({ columns: 12, channels: 4 }, 29), "t[2][1].y");
  assert.equal(name({ columns: 4, rows: 3 }, 4 * 3 + 4 * 2 + 1), "t[1][2][1]");
  assert.equal(name({ columns: 0, channels: 2 }, 7), "t[3].y");
  assert.equal(name({ columns: 0 }, 7), "t[7]");
  const event = launch.form.indexOf(0), touched = [];
  launch.eachElement(event, (element, _, lane) => touched.push([lane, element]));
  assert.equal(touched.length, 2 * lanesOf(form.mask).length);
});

test("elements that wait for their bank are those whose bank gives several words", () => {
  const metrics = [{ name: "wavefronts" }, { name: "bank_conflicts" }];
  // Lanes 0 and 1 want words 0 and 32 of bank 0, lane 2 word 1 of bank 1: two passes, one more than needed.
  const event = { at: 40, form: { metrics, cost: [2, 1], banks: [[0, 0, 0, 1], [1, 0, 32, 2], [0, 1, 1, 4]] } };
  assert.deepEqual(conflicting(event), [10, 42]);
  assert.deepEqual(conflicting({ ...event, form: { ...event.form, cost: [2, 0] } }), []);  // 8 bytes a lane: two passes are what it takes
});

test("elements of one byte are looked at one by one", () => {
  const recording = smallRecording(), data = recording.launches[0];
  Object.assign(data.arrays[0], { unit: 1, elements: 32, columns: 16, type: "s8" });
  data.changes = { event: [0, 4], array: [0, 0], element: [0, 5], bits: [0x01ff7f80, 0x3c00c000] };
  data.findings = [{ severity: "error", message: "race", more: [], parties: [{ what: "writes", event: 4, array: 0, from: 20, bytes: 4 }, { what: "reads", event: -1, array: -1, from: 0, bytes: 0 }] }];
  const launch = new Launch(recording, data), scope = new Scope(launch), bytes = [];
  launch.eachElement(4, (element) => bytes.push(element));
  assert.deepEqual(bytes, [24, 25, 26, 27]);
  assert.equal(scope.first[0].length, 32);
  assert.deepEqual([0, 1, 2, 3].map((e) => launch.values.text(0, 0, e, 2).full), ["-128", "127", "-1", "1"]);
  Object.assign(data.arrays[0], { unit: 2, type: "f16" });
  assert.deepEqual([10, 11].map((e) => launch.values.text(0, 0, e, 2).full), ["-2", "1"]);
  assert.equal(launch.values.text(0, 0, 10, 1), undefined);  // not yet
  assert.deepEqual(launch.findings[0].parties.map((p) => p.step), [2, undefined]);
});

test("values of narrow types are what their bits say", () => {
  // IEEE 754: 0x3c00 is 1, 0x0001 the least subnormal half, 0x7bff the largest; bf16 is the upper half of a float32.
  for (const [type, bits, value] of [["f16", 0x3c00, 1], ["f16", 0x0001, 2 ** -24], ["f16", 0x7bff, 65504], ["f16", 0xfc00, -Infinity], ["bf16", 0x4049, 3.140625], ["bf16", 0xbf80, -1],
    ["s16", 0xffff, -1], ["u16", 0xffff, 65535], ["s8", 0x80, -128], ["u8", 0x80, 128], ["s32", 0xfffffff9, -7]]) assert.equal(valueOfBits(type, bits), value, `${type} ${bits}`);
  assert.equal(valueOfBits("b16", 0xab), "0x00ab");
  assert.ok(Number.isNaN(valueOfBits("f16", 0x7e00)));
});

test("two recordings go together by phase", () => {
  const scope = { steps: [0, 1, 2, 3, 4], launch: { steps: [0, 0, 1, 1, 1].map((phase) => ({ phase })) } };
  assert.equal(placeInPhase(scope, 0, 1), 1);
  assert.equal(placeInPhase(scope, 1, 0), 2);
  assert.equal(placeInPhase(scope, 0, 7), 1);   // its phase has fewer steps
  assert.equal(placeInPhase(scope, 5, 1), 3);   // it has fewer phases
  const recording = smallRecording(), launch = new Launch(recording, recording.launches[0]), player = { recording, launch, scope: new Scope(launch), step: 0 };
  player.scope.change({ kind: "grid" });
  const rows = comparedCosts([player, { ...player, step: 2 }]);
  assert.deepEqual(rows.map((r) => [r.space, r.metric.name, r.values]), [["global", "requests", [[2, 2, 3], [1, 3, 3]]], ["global", "sectors", [[2, 2, 3], [1, 3, 3]]]]);
});

test("elements that wait are shown in the array's own elements", () => {
  const metrics = [{ name: "bank_conflicts" }], event = { at: 4, form: { metrics, cost: [1], banks: [[0, 0, 0, 1], [1, 0, 32, 2]] } };
  assert.deepEqual(conflicting(event, 2), [2, 3, 66, 67]);
});

test("colours of many differ", () => {
  for (const count of [2, 8, 9, 32, 128]) assert.equal(new Set(Array.from({ length: count }, (_, i) => colourOf(i, count).fill)).size, count);
});
