// Opens the pages of all studies in Chromium and uses them as a reader would.
// WW_PAGE_TEST="PROGRAM|CHROMIUM|MODULES|OUT" node --test report.mjs: MODULES holds node_modules; reports and screenshots go
// to OUT.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { hostileResults, manyRows, parseCsv } from "./results.mjs";

const { aboutText, setLanguage, setMessages } = await import(new URL("../../src/report/page/messages.js", import.meta.url));
const messages = new URL("../../src/report/page/messages/", import.meta.url);
const catalogues = Object.fromEntries(readdirSync(messages).map((f) => [f.slice(0, 2), JSON.parse(readFileSync(new URL(f, messages), "utf8"))]));
setMessages(catalogues);
const [program, chromiumPath, modules, out] = process.env.WW_PAGE_TEST.split("|");
const { chromium } = createRequire(join(modules, "index.js"))("playwright-core");
const kStudies = readdirSync(new URL("../../src/study/data", import.meta.url)).filter((f) => f.endsWith(".json")).map((f) => f.slice(0, -5));
// Without a real GPU their rows only say that they need one.
const kNeedGpu = ["host-memory", "overlap", "peer-to-peer", "matmul-multi"];
const kGpus = { "matmul-ladder": "gt240", "matmul-tiles": "gtx1080,h200", aat: "c2070", "box-sum": "rtx4070s", spaces: "h200" };

mkdirSync(out, { recursive: true });
let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser?.close());

/// A page that has opened `file`; `troubles` collects what a reader must never see.
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && troubles.push(m.text()));
  page.on("pageerror", (e) => troubles.push(e.stack));
  page.on("dialog", (d) => { troubles.push(`dialog ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => !/^(file|blob|data):/.test(r.url()) && troubles.push(`request ${r.url()}`));
  const start = Date.now();
  await page.goto(`file://${file}`);
  await page.waitForSelector("#results tbody tr");
  page.openedIn = Date.now() - start;
  page.troubles = troubles;
  return page;
}

const report = (args, folder) => {
  execFileSync(program, [...args, "--out", `${folder}/`], { stdio: ["ignore", "inherit", "inherit"] });
  return join(folder, "index.html");
};

/// What the page at `file` was given.
const dataOf = (file) => JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))[1]);

async function downloaded(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await download.path(), "utf8");
}

/// What the table shows: for each row its cells, as the titles have them exactly.
const cells = (page) => page.$$eval("#results .scroller tbody tr:not(.spacer)", (rows) => rows.map((row) =>
  [...row.cells].map((cell) => cell.title || cell.textContent)));

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((e) => e.textContent));

/// The rows of results.csv as {axes text, values: "tag unit provenance" → text}.
function rowsOf(csv) {
  const [head, ...lines] = parseCsv(csv), rows = new Map();
  const axes = head.slice(0, 10);
  for (const line of lines) {
    const key = line.slice(0, 10).join("|");
    if (!rows.has(key)) rows.set(key, { axes: Object.fromEntries(axes.map((a, i) => [a, line[i]])), values: new Map() });
    const [metric, value, unit, provenance] = line.slice(10);
    rows.get(key).values.set(`${metric} [${[unit, provenance].filter(Boolean).join("; ")}]`, value);
  }
  return [...rows.values()];
}

for (const study of kStudies.filter((name) => !kNeedGpu.includes(name))) {
  describe(study, () => {
    const folder = join(out, study);
    let page, rows;
    before(async () => {
      const gpu = kGpus[study] ? ["--gpu", kGpus[study]] : [];
      page = await open(report(["study", study, "--quick", "--device", "engine", "--no-cache", ...gpu], folder));
      rows = rowsOf(readFileSync(join(folder, "results.csv"), "utf8"));
    });
    after(async () => {
      await page.screenshot({ path: join(out, `${study}.png`), fullPage: true });
      await page.context().close();
    });

    test("opens fast, small, with a conclusion and figures", async () => {
      assert.ok(page.openedIn < 4000, `${page.openedIn} ms`);  // two seconds, or four on a busy machine
      assert.ok(statSync(join(folder, "index.html")).size < 5e6);
      assert.ok((await texts(page, "#conclusions li")).length > 0);
      assert.ok((await page.$$("#plots svg.chart .curve, #plots svg.chart .bar")).length > 0);
      for (const text of await texts(page, "h1, h2, .sentences li, .facts dt, figcaption, th .tag"))
        assert.doesNotMatch(text, /\{\w+\}|undefined|NaN|^\w+\.\w+$/, "a message or value is missing");
    });

    if (study === "box-sum")
      test("has no figure against a size that is the same everywhere, and names axes as sentences do", async () => {
        for (const text of await texts(page, "#plots figcaption")) assert.doesNotMatch(text, /Rate, K/);
        const keys = (await texts(page, "#plots .legend .key")).join();
        assert.match(keys, /block 8 · R 4/);
        assert.doesNotMatch(keys, /\b[rk] \d/);
      });

    test("says what each number is in every language", () => {
      const data = dataOf(join(folder, "index.html"));
      const descriptions = new Set([data, ...data.extras].flatMap((t) => t.columns.map((c) => c.description)).filter(Boolean));
      assert.ok(descriptions.size > 5);
      for (const language of Object.keys(catalogues).filter((l) => l !== "en")) {
        setLanguage(language);
        for (const text of descriptions) assert.ok(aboutText(text) !== text || `about.${text}` in catalogues[language], `${language}: ${text}`);
      }
    });

    test("the whole table is results.csv", async () => {
      await page.click(".chooser summary");
      await page.click(".chooser .toolbar button:last-child");
      await page.keyboard.press("Escape");
      const [head, ...lines] = parseCsv(await downloaded(page, () => page.click(".save-csv")));
      assert.equal(lines.length, rows.length);
      lines.forEach((line, i) => {
        const values = new Map(line.map((text, c) => [head[c], text]).filter(([name, text]) => name.includes("[") && text !== ""));
        for (const [name, text] of rows[i].values) {
          if (name.startsWith("refused ")) continue;
          assert.ok(values.has(name), `${name} in row ${i}`);
          assert.ok(values.get(name) === text || Number(values.get(name)) === Number(text), `${name}: ${values.get(name)} for ${text}`);
          values.delete(name);
        }
        assert.equal(values.size, 0, [...values.keys()].join());
      });
      await page.click(".chooser summary");
      await page.click(".chooser .toolbar button:nth-of-type(1)");
      await page.keyboard.press("Escape");
    });

    test("what the cells show is results.csv", async () => {
      const shown = await cells(page);
      assert.equal(shown.length, rows.length);
      shown.forEach((row, i) => {
        for (const cell of row) {
          const found = /^(\S+) = (\S+)(?: (.*))? \((\w+)\)$/.exec(cell);
          if (!found) continue;
          const [, tag, value, unit, provenance] = found;
          const expected = rows[i].values.get(`${tag} [${[unit, provenance].filter(Boolean).join("; ")}]`);
          const sentence = rows[i].values.get(`${tag} [${provenance}]`);  // a text of several words
          assert.ok(value === expected || Number(value) === Number(expected) || `${value} ${unit}` === sentence, `${cell} for ${expected}`);
        }
      });
    });

    test("sorts up, down and back", async () => {
      const column = (await page.$$eval("#results thead .axis button.head", (heads) => heads.map((b) => b.dataset.sort))).at(-1);
      const place = await page.$$eval("#results thead .names th", (heads, name) => heads.findIndex((th) => th.querySelector("button").dataset.sort === name), column);
      const values = async () => (await cells(page)).map((row) => row[place]).filter((text) => text !== "–").map(Number);
      const original = await values();
      await page.click(`#results button[data-sort="${column}"]`);
      assert.deepEqual(await values(), [...original].sort((a, b) => a - b));
      await page.click(`#results button[data-sort="${column}"]`);
      assert.deepEqual(await values(), [...original].sort((a, b) => b - a));
      await page.click(`#results button[data-sort="${column}"]`);
      assert.deepEqual(await values(), original);
    });

    test("filters and searches", async () => {
      const sizes = rows.map((r) => Number(r.axes.n)), largest = Math.max(...sizes);
      const filter = page.locator('#results input[data-filter="n"]');
      if (await filter.count()) {
        await filter.fill(`>=${largest}`);
        assert.equal((await cells(page)).length, sizes.filter((n) => n >= largest).length);
        await filter.fill("");
      }
      const kernel = rows.at(-1).axes.kernel;
      await page.fill("#results .search", kernel);
      const expected = rows.filter((r) => Object.values(r.axes).some((text) => text.includes(kernel))).length;
      assert.equal((await cells(page)).length, expected);
      await page.fill("#results .search", "no such thing");
      assert.deepEqual(await texts(page, "#results tbody .nothing"), ["No row fits these filters."]);
      await page.fill("#results .search", "");
      assert.equal((await cells(page)).length, rows.length);
    });

    test("a conclusion shows its rows", async () => {
      await page.click("#conclusions .rows");
      const some = (await cells(page)).length;
      assert.ok(some > 0 && some <= rows.length);
      await page.click("#results .chip");
      assert.equal((await cells(page)).length, rows.length);
    });

    test("copies what is shown", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
      await page.click(".copy-csv");
      await page.waitForFunction(() => document.querySelector(".copy-csv").textContent === "Copied");
    });

    test("says the values under the cursor", async () => {
      const chart = page.locator("#plots svg.chart").first();
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      const tip = page.locator("#plots .tip").first();
      await tip.waitFor({ state: "visible" });
      const figures = await tip.locator("td.number").allTextContents();
      assert.ok(figures.length > 0);
      // As numbers of the table, which are those of results.csv.
      const known = rows.flatMap((r) => [...r.values.values()].map(Number)).filter(Number.isFinite);
      for (const text of figures) {
        const plain = text.replaceAll(",", "").replace("−", "-").replace("·10", "e").replace(/[⁻⁰-⁹¹²³]/g, (c) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)]);
        const figure = Number(plain);  // five digits are shown, four below one
        // Half a unit of the last digit that is shown, as a part of the number: at most 5e-5 of five digits, 5e-4 of four.
        const near = Math.abs(figure) < 1 ? 5.01e-4 : 5.01e-5;
        // Times may be told in a smaller unit than they are kept in.
        assert.ok(known.some((v) => [1, 1e3, 1e6].some((factor) => Math.abs(v * factor - figure) <= near * Math.abs(v * factor))), text);
      }
      await page.screenshot({ path: join(out, `${study}-hover.png`) });
    });

    test("switches scales, zooms, and back", async () => {
      const figure = page.locator("#plots figure").first();
      const ticks = () => figure.locator("svg.chart text.tick").allTextContents();
      const before = await ticks();
      const pressed = await figure.locator("button.logY").getAttribute("aria-pressed");
      await figure.locator("button.logY").click();
      assert.notEqual(await figure.locator("button.logY").getAttribute("aria-pressed"), pressed);
      assert.equal((await figure.locator("svg.chart text.label").allTextContents()).join().includes("logarithmic"), pressed === "false" || (await figure.locator("button.logX").getAttribute("aria-pressed")) === "true");
      await figure.locator("button.logY").click();
      assert.deepEqual(await ticks(), before);
      const box = await figure.locator("svg.chart").boundingBox();
      await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6, { steps: 4 });
      await page.mouse.up();
      assert.notDeepEqual(await ticks(), before);
      await figure.locator("svg.chart").dblclick();
      assert.deepEqual(await ticks(), before);
      await figure.locator("button.zoom-in").click();
      assert.notDeepEqual(await ticks(), before);
      await figure.locator("button.zoom-reset").click();
      assert.deepEqual(await ticks(), before);
    });

    test("saves a figure as SVG", async () => {
      const text = await downloaded(page, () => page.locator("#plots .save-svg").first().click());
      writeFileSync(join(out, `${study}.svg`), text);
      assert.match(text, /^<\?xml/);
      assert.doesNotMatch(text, /var\(|class=|NaN/);
      const faults = await page.evaluate((svg) => new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("parsererror").length, text);
      assert.equal(faults, 0);
    });

    test("prints", async () => {
      await page.pdf({ path: join(out, `${study}.pdf`), format: "A4" });
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".toolbar").first().isVisible(), false);
      const printed = await page.locator(".printed").isVisible();
      const lines = await page.locator(".printed table").first().locator("tbody tr").count();
      await page.setViewportSize({ width: 800, height: 1100 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the paper");
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.screenshot({ path: join(out, `${study}-print.png`), fullPage: true });
      await page.emulateMedia({ media: "screen" });
      assert.ok(printed);
      assert.equal(lines, rows.length);
    });

    test("each kernel can be watched", async () => {
      const links = await page.$$eval("#listings a.watch", (all) => all.map((a) => a.getAttribute("href")));
      const unwatched = await page.$$eval("#listings details", (all) => all.filter((d) => !d.querySelector("a.watch")).map((d) => d.querySelector("summary").textContent));
      assert.ok(links.length > 0);
      for (const name of unwatched) assert.match(name, /simt\/part_barrier/);  // never ends well
      for (const link of links.slice(0, 2)) {
        const picture = await page.context().newPage();
        picture.on("pageerror", (e) => page.troubles.push(e.stack));
        await picture.goto(`file://${join(folder, link)}`);
        assert.ok((await picture.$$("svg.array")).length > 1);
        await picture.close();
      }
    });

    test("nothing went wrong meanwhile", () => assert.deepEqual(page.troubles, []));
  });
}

describe("studies of real GPUs", () => {
  for (const study of kNeedGpu)
    test(`${study} says what it needs`, async () => {
      const page = await open(report(["study", study, "--quick", "--device", "engine", "--no-cache"], join(out, study)));
      assert.match(await page.locator("#results tbody").textContent(), /needs a real GPU/);
      assert.deepEqual(page.troubles, []);
      await page.context().close();
    });
  for (const study of ["host-memory", "peer-to-peer"])
    test(`${study} shows what was measured`, async () => {
      const csv = new URL(`../../data/measured/h200-host/${study}.csv`, import.meta.url).pathname;
      const page = await open(report(["report", csv], join(out, `${study}-measured`)));
      assert.ok((await page.$$("#plots figure")).length > 0);
      assert.deepEqual(page.troubles, []);
      await page.screenshot({ path: join(out, `${study}-measured.png`), fullPage: true });
      await page.context().close();
    });
});

describe("a study of one's own", () => {
  const own = {
    name: "padding", summary: "One word <more>", text: "What the unused word saves.",
    full: [{ kernel: "aat/plain", block: [16, 32], n: [64, 96, 128] }, { kernel: "aat/padded", block: [16, 32], n: [64, 96, 128] }],
    gpus: ["gtx1080", "mine.json"], metrics: ["verified", "shared_load_bank_conflicts"],
    plots: [{ title: "Conflicts of one kernel", x: "n", y: "shared_load_bank_conflicts", series: "block", filter: { kernel: "aat/plain" }, log_y: true }],
  };
  const file = join(out, "padding.json"), run = (args) => execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  let first;
  before(() => {
    writeFileSync(file, JSON.stringify(own));
    const gpu = JSON.parse(readFileSync(new URL("../../src/gpus/data/gtx1080.json", import.meta.url), "utf8"));
    writeFileSync(join(out, "mine.json"), JSON.stringify({ ...gpu, name: "My GPU" }));
    first = dataOf(report(["study", file, "--no-cache"], join(out, "padding")));
  });
  test("its page is as the file says", () => {
    assert.deepEqual([first.study, first.title, first.text], [own.name, own.summary, own.text]);
    assert.deepEqual(first.plots.map((p) => [p.title, p.y, p.filter, p.log_y]), [["Conflicts of one kernel", ["shared_load_bank_conflicts"], { kernel: ["aat/plain"] }, true]]);
    assert.deepEqual(first.headline, own.metrics);
    assert.deepEqual(first.extras.map((t) => [t.title, t.rows]), [["gpus", 2], ["gpu_figures", 2]]);
    assert.ok(JSON.stringify(first.extras[0]).includes("My GPU"));
  });
  test("report makes the same page of its results.json", async () => {
    const page = report(["report", join(out, "padding", "results.json")], join(out, "padding-again"));
    assert.deepEqual(dataOf(page), first);
    const shown = await open(page);
    assert.match((await texts(shown, "figcaption"))[0], /Conflicts of one kernel/);
    assert.deepEqual(shown.troubles, []);
    await shown.context().close();
  });
  test("so do a file and parts that were merged, but for what the runs were", () => {
    const others = { json: ["report", join(out, "padding-alone.json")], merged: ["study", "merge", ...[1, 2].map((i) => join(out, `padding-${i}.json`))] };
    run(["study", file, "--no-cache", "--out", others.json[1], "--format", "json"]);
    for (const i of [1, 2]) run(["study", file, "--no-cache", "--shard", `${i}/2`, "--out", join(out, `padding-${i}.json`)]);
    for (const [name, args] of Object.entries(others)) {
      const data = dataOf(report(args, join(out, `padding-${name}`)));
      for (const key of ["study", "title", "text", "plots", "headline", "rows", "axes", "conclusions", "verification", "extras"]) assert.deepEqual(data[key], first[key], `${name} ${key}`);
      assert.deepEqual(data.facts.map((f) => f.name), first.facts.map((f) => f.name));
    }
    assert.match(dataOf(join(out, "padding-merged", "index.html")).facts.find((f) => f.name === "command").text, /--shard 1\/2.*; .*--shard 2\/2/);
  });
});

describe("languages and light", () => {
  const html = () => join(out, "matmul-tiles", "index.html");
  test("changes its language", async () => {
    const page = await open(html());
    for (const [language, words] of [["pl", "Wnioski"], ["cs", "Závěry"], ["ru", "Выводы"], ["en", "Conclusions"]]) {
      await page.selectOption("select.language", language);
      assert.equal(await page.locator("#conclusions h2").textContent(), words);
      assert.equal(await page.getAttribute("html", "lang"), language);
      for (const text of await texts(page, "h2, .sentences li, figcaption")) assert.doesNotMatch(text, /\{\w+|undefined/);
    }
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
  test("--lang chooses it", async () => {
    const page = await open(report(["report", join(out, "sum", "results.json"), "--lang", "ru"], join(out, "sum-ru")));
    assert.equal(await page.locator("#results h2").textContent(), "Результаты");
    await page.context().close();
  });
  test("is dark where the reader wants it, and fits a telephone", async () => {
    const page = await open(html(), { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.screenshot({ path: join(out, "dark.png"), fullPage: true });
    await page.click("button.theme");
    assert.notEqual(await ground(), dark);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForTimeout(100);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    await page.screenshot({ path: join(out, "narrow.png"), fullPage: true });
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

describe("a verdict and the figures of the model", () => {
  let page, data;
  before(async () => {
    const html = report(["study", "matmul-ladder", "--quick", "--device", "engine", "--gpu", "h200,rtx4070s"], join(out, "verdict"));
    data = dataOf(html);
    page = await open(html);
  });
  after(() => page.context().close());
  const column = (tag) => data.columns.find((c) => c.tag === tag && c.provenance === "modelled").dense;
  test("four answers come first, then three conclusions, the others folded", async () => {
    assert.deepEqual(await texts(page, "#verdict .answer h3"), ["The best", "Why", "What to change", "How sure"]);
    assert.equal((await page.$$("#conclusions > div > ul > li")).length, 3);
    assert.ok((await page.$$("#conclusions details li")).length > 1);
    const best = await page.locator("#verdict .answer.best").textContent();
    const gpu = data.axes.find((a) => a.name === "gpu"), n = data.axes.find((a) => a.name === "n");
    const rate = Math.max(...column("gflops").filter((v, row) => gpu.values[gpu.dense[row]] === "h200" && n.values[n.dense[row]] === "352"));
    assert.ok(best.replaceAll(",", "").includes(String(Number(rate.toPrecision(5)))), `${best} has ${rate}`);
    for (const text of await texts(page, "#verdict p")) assert.doesNotMatch(text, /\{\w+|undefined|NaN/);
  });
  test("each GPU's roofline has its rows, where work per byte and rate put them", async () => {
    assert.deepEqual(await texts(page, ".rooflines .facet h4"), ["h200", "rtx4070s"]);
    const timed = column("time").filter((v) => v > 0).length;
    assert.equal((await page.$$(".rooflines .point")).length, timed);
    await page.click('.rooflines .tools button:nth-of-type(3)');
    assert.ok((await page.$$(".rooflines .point")).length > timed);
    await page.locator(".rooflines svg.chart .point").first().hover({ force: true });
    assert.match(await page.locator(".rooflines .tip").first().textContent(), /flop\/byte.*% of its roof/);
  });
  test("the parts of each time add up to it, and its band stands at the end", async () => {
    const rows = await page.$$eval(".time-row", (all) => all.map((r) => ({ parts: [...r.querySelectorAll(".time-bar i:not(.band)")].reduce((s, i) => s + parseFloat(i.style.width), 0), total: parseFloat(r.querySelector(".time-total").textContent.replaceAll(",", "")), cut: r.querySelector(".cut") !== null })));
    assert.equal(rows.length, 12);
    const whole = rows.filter((r) => !r.cut), per = whole[0].total / whole[0].parts;
    for (const r of whole) assert.ok(Math.abs(r.parts * per - r.total) < 0.01 * r.total, JSON.stringify(r));
    assert.ok((await page.$$(".time-bar .band")).length >= whole.length);
  });
  test("more lines than colours become facets, and predictions have error bars", async () => {
    assert.deepEqual((await texts(page, "#plots figcaption")).filter((t) => t.includes("Time")).map((t) => t.replace(/.*Time/, "Time")), ["Time, block 8", "Time, block 16"]);
    assert.ok((await page.$$("#plots svg.chart path.span")).length > 0);
    assert.deepEqual(page.troubles, []);
  });
});

describe("ten thousand rows", () => {
  test("open in two seconds, or four on a busy machine, and scroll", async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ axes: { kernel: `a/k${i % 8}`, gpu: i % 16 < 8 ? "h200" : "rtx4070s", device: "engine", n: String(16 * (1 + Math.floor(i / 16))) },
      values: [["time", 1 + i / 999], ["time_low", 0.9 + i / 1111], ["time_high", 1.2 + i / 900], ["time_dram", 0.5 + i / 2000], ["time_shared", i / 3000], ["time_launch", 0.1]].map(([tag, value]) => ({ tag, value, unit: "ms", provenance: "modelled", description: "" }))
        .concat([["flop", 1e6 * i + 1, "flop"], ["warp_instructions", 1e4 * i + 9, "instructions"], ["shared_load_wavefronts", 7 * i, "wavefront"]].map(([tag, value, unit]) => ({ tag, value, unit, provenance: "counted", description: "" })))
        .concat([["dram_bytes_read", 1e5 * i + 8, "byte"], ["dram_bytes_written", 1e4, "byte"]].map(([tag, value, unit]) => ({ tag, value, unit, provenance: "modelled", description: "" }))) }));
    writeFileSync(join(out, "ten.json"), JSON.stringify({ title: "Ten thousand", rows }));
    const page = await open(report(["report", join(out, "ten.json")], join(out, "ten")));
    console.log(`10,000 rows open in ${page.openedIn} ms`);
    assert.ok(page.openedIn < 4000, `${page.openedIn} ms`);
    assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 12_000, "elements");
    const frame = await page.evaluate(async () => {
      const box = document.querySelector("#results .scroller"), start = performance.now();
      box.scrollIntoView();
      for (let i = 0; i < 40; ++i) {
        box.scrollTop = (box.scrollHeight * i) / 40;
        await new Promise(requestAnimationFrame);
      }
      return (performance.now() - start) / 40;
    });
    assert.ok(frame < 200, `${frame} ms for a frame`);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

describe("the page of a comparison", () => {
  const rows = (wavefronts, time) => JSON.stringify({ title: "Transposes", rows: ["a/padded", "a/plain"].map((kernel) => ({ axes: { kernel, gpu: "h200", device: "gpu0", n: "64" }, values: [
    { tag: "shared_load_wavefronts", value: kernel === "a/padded" ? wavefronts : 7, unit: "wavefront", provenance: "counted", description: "" },
    ...[["time", time], ["time_p25", 0.9 * time], ["time_p75", 1.1 * time]].map(([tag, value]) => ({ tag, value, unit: "ms", provenance: "measured", description: "" }))] })) });
  test("says first what got worse, the time before all, and draws all files", async () => {
    const files = [[64, 2], [64, 2.1], [2048, 3]].map(([w, ms], i) => { const file = join(out, `run${i}.json`); writeFileSync(file, rows(w, ms)); return file; });
    const run = (args) => { try { execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] }); return 0; } catch (e) { return e.status; } };
    // 2 and 2.1 ms: quartiles overlap. 2.1 and 3 do not.
    assert.equal(run(["compare", files[0], files[1]]), 0);
    assert.equal(run(["history", ...files, "--out", join(out, "history/")]), 1);
    const page = await open(join(out, "history", "index.html"));
    const said = await texts(page, "#conclusions li");
    assert.match(said[0], /3 values are worse/);
    assert.match(said[1], /Worse: time in 2 rows, most in .*42\.9\u00a0%: 2\.1\u00a0ms.*3\u00a0ms/);
    assert.match(said[2], /shared load wavefronts in 1 row, .*3100\u00a0%/);
    assert.equal((await page.$$("#results tbody tr:not(.spacer)")).length, 6);
    // What changed most, then the time, with its quartiles.
    assert.match(await page.locator("#plots figure").first().innerText(), /shared load wavefronts against run/);
    const times = page.locator("#plots figure").filter({ hasText: "time against run" });
    assert.equal(await times.locator("svg.chart .point").count(), 6);
    assert.ok(await times.locator("path.span").count() >= 6);
    await page.selectOption("select.language", "pl");
    assert.match((await texts(page, "#conclusions li"))[1], /Gorzej: czas w 2 wierszach/);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

describe("the page of many changes", () => {
  test("has a table that fits the screen, and the paper", async () => {
    const metrics = ["global_load_sectors", "global_store_sectors", "shared_load_wavefronts", "shared_store_wavefronts", "l2_read_sectors", "l2_write_sectors", "dram_read_sectors", "warp_instructions", "global_atomic_sectors", "barriers"];
    const files = [1, 2, 3].map((run) => {
      const rows = [128, 256].map((block) => ({ axes: { study: "sums", kernel: "sum/last_block", gpu: "h200", device: "engine", n: String(1048576 * (block / 128)), block: String(block) },
        values: metrics.map((tag, i) => ({ tag, value: 1131105 * run + i * block * run, unit: "sector", provenance: "counted", description: "" })) }));
      const file = join(out, `many${run}.json`);
      writeFileSync(file, JSON.stringify({ title: "Sums", rows }));
      return file;
    });
    try { execFileSync(program, ["history", ...files, "--out", join(out, "many-changes/")], { stdio: "ignore" }); } catch (e) { assert.equal(e.status, 1); }
    const page = await open(join(out, "many-changes", "index.html"));
    const [needed, there] = await page.$eval("#results .scroller", (s) => [s.scrollWidth, s.clientWidth]);
    assert.ok(needed <= there, `${needed} in ${there}`);
    // 718: A4 within the margins that browsers leave.
    for (const width of [800, 718]) for (const language of ["en", "pl", "cs", "ru"]) {
      await page.emulateMedia({ media: "screen" });
      await page.selectOption("select.language", language);
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width, height: 1100 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `wider than the paper: ${language}, ${width}`);
    }
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

describe("the page of a launch", () => {
  test("speaks all languages, and changes them", async () => {
    const ptx = join(out, "empty.ptx");
    writeFileSync(ptx, `.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry fill(.param .u64 out) {\n.reg .u64 %rd<4>; .reg .u32 %r<2>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n`);
    const folder = join(out, "launch");
    execFileSync(program, ["launch", ptx, "--grid", "4", "--block", "64", "--arg", "out:u32[64]", "--gpu", "h200", "--lang", "cs", "--out", `${folder}/`]);
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } }), page = await context.newPage(), troubles = [];
    page.on("pageerror", (e) => troubles.push(e.stack));
    await page.goto(`file://${join(folder, "index.html")}`);
    const heads = {};
    for (const language of ["cs", "pl", "ru", "en"]) {
      if (language !== "cs") await page.selectOption("select.language", language);
      assert.equal(await page.getAttribute("html", "lang"), language);
      heads[language] = (await texts(page, "h2, .card h3, .card .remark, .parts td:first-child, .limits td:first-child, .box-line")).join("|");
      assert.doesNotMatch(heads[language], /\{\w+|undefined|launch\.|time_/);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    }
    assert.equal(new Set(Object.values(heads)).size, 4);
    assert.match(heads.en, /Limited by.*What limits it.*Memory/s);
    assert.match(heads.ru, /Ограничивает.*Память/s);
    assert.deepEqual(troubles, []);
    await context.close();
  });
});

describe("a launch's memory and source", () => {
  test("fit a telephone in all languages, and a line opens to its PTX", async () => {
    const source = join(out, "lines.cu"), ptx = join(out, "lines.ptx"), folder = join(out, "lines");
    writeFileSync(source, "first\nshared and global\nlast\n");
    writeFileSync(ptx, `.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry turn(.param .u64 out) {\n.shared .align 4 .b8 tile[4096];\n.reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p<2>;\n.loc 1 1 1\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nshl.b32 %r3, %r1, 7;\nand.b32 %r3, %r3, 4095;\nmov.u32 %r6, tile;\nadd.u32 %r3, %r3, %r6;\n.loc 1 2 1\nst.shared.u32 [%r3], %r1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra END;\nst.global.u32 [%rd3], %r1;\nEND:\n.loc 1 3 1\nret;\n}\n.file 1 "${source}"\n`);
    execFileSync(program, ["launch", ptx, "--grid", "4", "--block", "64", "--arg", "out:u32[64]", "--gpu", "h200,gtx280", "--out", `${folder}/`]);
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } }), page = await context.newPage(), troubles = [];
    page.on("pageerror", (e) => troubles.push(e.stack));
    await page.goto(`file://${join(folder, "index.html")}`);
    for (const gpu of [0, 1]) {  // with caches and without
      await page.locator('.tabs [role="tab"]').nth(gpu).click();
      for (const language of ["cs", "pl", "ru", "en"]) {
        await page.selectOption("select.language", language);
        assert.ok(!(await page.isVisible("svg.memory.wide")) && (await page.isVisible("svg.memory.tall")));
        const outside = await page.$$eval("svg.memory.tall text", (all) => all.filter((e) => { const b = e.getBBox(), v = e.ownerSVGElement.viewBox.baseVal; return b.x < 0 || b.x + b.width > v.width || b.y + b.height > v.height; }).map((e) => e.textContent));
        assert.deepEqual(outside, [], language);
      }
    }
    await page.setViewportSize({ width: 1000, height: 800 });
    assert.ok((await page.isVisible("svg.memory.wide")) && !(await page.isVisible("svg.memory.tall")));
    await page.locator('.tabs [role="tab"]').nth(0).click();
    // Line 2: 8 warps store to shared memory, 32 lanes in one bank, and to global memory.
    assert.deepEqual(await texts(page, ".heat-table .ptx"), []);
    await page.click('.heat-table .opener:text-is("2")');
    assert.deepEqual(await texts(page, ".heat-table .ptx .text"), ["st.shared.u32 [%r3], %r1", "mul.wide.u32 %rd2, %r1, 4", "add.u64 %rd3, %rd1, %rd2", "setp.gt.u32 %p1, %r1, 0x1f", "@%p1 bra END", "st.global.u32 [%rd3], %r1"]);
    assert.deepEqual(await page.$$eval(".heat-table .ptx:has(code)", (rows) => [rows[0], rows[5]].map((r) => [...r.cells].slice(2).map((c) => c.textContent))), [["8", "32", "", "32", "248"], ["4", "32", "4", "", ""]]);
    await page.click('.heat-table .opener:text-is("2")');
    assert.ok(!(await page.isVisible(".heat-table .ptx")));
    await page.click(".all-ptx");
    assert.equal((await texts(page, ".heat-table .ptx .text")).length, 13);
    assert.deepEqual(troubles, []);
    await context.close();
  });
});

describe("what is said of a launch", () => {
  test("is there in all languages, in English as on the terminal, and with no word of it in the others", async () => {
    const ptx = join(out, "columns.ptx"), folder = join(out, "columns"), args = ["launch", ptx, "--grid", "64", "--block", "256", "--arg", "out:u32[256]", "--gpu", "h200,gtx1080"];
    // Each warp writes a column of 32 rows of 32 words: 32 passes.
    writeFileSync(ptx, `.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry columns(.param .u64 out) {\n.shared .align 4 .b8 tile[4096];\n.reg .u64 %rd<4>; .reg .u32 %r<8>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nshl.b32 %r3, %r2, 7;\nshr.u32 %r4, %r1, 5;\nshl.b32 %r5, %r4, 2;\nadd.u32 %r3, %r3, %r5;\nmov.u32 %r6, tile;\nadd.u32 %r3, %r3, %r6;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r7, [%r3];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r7;\nret;\n}\n`);
    execFileSync(program, [...args, "--out", `${folder}/`]);
    const terminal = execFileSync(program, args, { encoding: "utf8" }).replaceAll("`", "");
    const context = await browser.newContext(), page = await context.newPage(), troubles = [];
    page.on("pageerror", (e) => troubles.push(e.stack));
    await page.goto(`file://${join(folder, "index.html")}`);
    for (const gpu of [0, 1]) {
      await page.locator('.tabs [role="tab"]').nth(gpu).click();
      const said = {};
      for (const language of ["en", "cs", "pl", "ru"]) {
        await page.selectOption("select.language", language);
        said[language] = await texts(page, ".sentences li");
      }
      assert.ok(said.en.length > 4 && said.en.some((s) => s.startsWith("Tried: 1 more word behind every 32 words of tile.")), said.en.join("\n"));
      for (const sentence of said.en) assert.ok(terminal.includes(`- ${sentence}\n`), sentence);
      for (const language of ["cs", "pl", "ru"]) {
        assert.equal(said[language].length, said.en.length);
        for (const sentence of said[language]) {
          assert.doesNotMatch(sentence, /\{|\}|undefined|NaN|said\.|launch\./, language);
          for (const word of ["the", "of", "would", "instead", "conflicts", "limited"]) assert.ok(!sentence.split(/[\s.,:;()]+/).includes(word), `${language}: ${sentence}`);
        }
      }
      assert.match(said.cs.join("\n"), /Vyzkoušeno: 1 slovo navíc za každými 32 v poli tile\./);
    }
    // On paper nothing can be scrolled: all columns of the source stand on it.
    for (const language of ["en", "cs", "pl", "ru"]) {
      await page.emulateMedia({ media: "screen" });
      await page.selectOption("select.language", language);
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 718, height: 1000 });
      const right = await page.$$eval(".heat-table, .heat-table th", (all) => Math.max(...all.map((e) => e.getBoundingClientRect().right)));
      assert.ok(right > 0 && right <= 718, `${language}: the source is ${right} wide on paper of 718`);
      // Nor asked: how sure the time is, and every part of it, is seen.
      for (const seen of [".card .remark", ".bar-of.alone", ".bar-of.more"]) assert.ok(await page.locator(seen).first().isVisible(), `${language}: ${seen}`);
    }
    assert.deepEqual(troubles, []);
    await context.close();
  });
});

describe("hostile results", () => {
  test("markup stays text, and no number breaks it", async () => {
    const results = hostileResults();
    writeFileSync(join(out, "hostile.json"), JSON.stringify(results));
    const page = await open(report(["report", join(out, "hostile.json")], join(out, "hostile")));
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.equal(await page.locator("h1").textContent(), results.title);
    assert.equal(await page.locator("#results tbody tr").count(), results.rows.length);
    const kernels = new Set((await cells(page)).map((row) => row[0].trim()));
    for (const row of results.rows) assert.ok(kernels.has(row.axes.kernel.trim()), row.axes.kernel);
    for (const summary of await page.$$("figure button.logY")) await summary.click();
    await page.screenshot({ path: join(out, "hostile.png"), fullPage: true });
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
  test("no rows at all", async () => {
    writeFileSync(join(out, "empty.json"), JSON.stringify({ title: "nothing", rows: [] }));
    const page = await open(report(["report", join(out, "empty.json")], join(out, "empty")));
    assert.deepEqual(await texts(page, "#results tbody .nothing"), ["No row fits these filters."]);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
  test("a million rows", async () => {
    const count = 1_000_000;
    manyRows(join(out, "many.csv"), count);
    const page = await open(report(["report", join(out, "many.csv"), "--metric", "flop"], join(out, "many")));
    assert.ok((await page.$$("#results tbody tr")).length < 300);
    assert.ok(statSync(join(out, "many.csv")).size > 4e7);
    await page.$eval("#results .scroller", (s) => { s.scrollTop = s.scrollHeight; });
    await page.waitForFunction((n) => [...document.querySelectorAll("#results tbody tr:not(.spacer)")].at(-1).cells[0].textContent === String(n - 1), count);
    let start = Date.now();
    await page.click('#results button[data-sort="n"]');
    await page.click('#results button[data-sort="n"]');
    assert.equal((await cells(page))[0][0], String(count - 1));
    assert.ok(Date.now() - start < 20_000, `sorted in ${Date.now() - start} ms`);
    start = Date.now();
    await page.fill('#results input[data-filter="n"]', "500000..500004");
    assert.equal((await cells(page)).length, 5);
    assert.ok(Date.now() - start < 5_000, `filtered in ${Date.now() - start} ms`);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});
