// Opens the pages of results, comparisons and histories in Chromium and uses them as a reader would (browser.mjs).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { cells, dataOf, open, out, picture, program, report, texts } from "./browser.mjs";
import { hostileResults, manyRows } from "./results.mjs";

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
  let html;
  before(() => { html = report(["study", "matmul-tiles", "--quick", "--device", "engine", "--gpu", "gtx1080,h200", "--no-cache"], join(out, "tiles")); });
  test("changes its language", async () => {
    const page = await open(html);
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
    const page = await open(report(["report", join(out, "tiles", "results.json"), "--lang", "ru"], join(out, "tiles-ru")));
    assert.equal(await page.locator("#results h2").textContent(), "Результаты");
    await page.context().close();
  });
  test("is dark where the reader wants it, and fits a telephone", async () => {
    const page = await open(html, { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await picture(page, "dark.png");
    await page.click("button.theme");
    assert.notEqual(await ground(), dark);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForTimeout(100);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    await picture(page, "narrow.png");
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
  test("are drawn as far as they are in sight, also while one scrolls", async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => ({ axes: { kernel: `a/k${i % 8}`, gpu: i % 16 < 8 ? "h200" : "rtx4070s", device: "engine", n: String(16 * (1 + Math.floor(i / 16))) },
      values: [["time", 1 + i / 999], ["time_low", 0.9 + i / 1111], ["time_high", 1.2 + i / 900], ["time_dram", 0.5 + i / 2000], ["time_shared", i / 3000], ["time_launch", 0.1]].map(([tag, value]) => ({ tag, value, unit: "ms", provenance: "modelled", description: "" }))
        .concat([["flop", 1e6 * i + 1, "flop"], ["warp_instructions", 1e4 * i + 9, "instructions"], ["shared_load_wavefronts", 7 * i, "wavefront"]].map(([tag, value, unit]) => ({ tag, value, unit, provenance: "counted", description: "" })))
        .concat([["dram_bytes_read", 1e5 * i + 8, "byte"], ["dram_bytes_written", 1e4, "byte"]].map(([tag, value, unit]) => ({ tag, value, unit, provenance: "modelled", description: "" }))) }));
    writeFileSync(join(out, "ten.json"), JSON.stringify({ title: "Ten thousand", rows }));
    const page = await open(report(["report", join(out, "ten.json")], join(out, "ten")));
    assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 12_000, "elements");
    const seen = await page.evaluate(async () => {
      const box = document.querySelector("#results .scroller"), seen = [];
      box.scrollIntoView();
      for (let i = 0; i < 40; ++i) {
        box.scrollTop = (box.scrollHeight * i) / 40;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        const rows = [...box.querySelectorAll("tbody tr:not(.spacer)")], { top, bottom } = box.getBoundingClientRect();
        seen.push({ rows: rows.length, covered: rows[0].getBoundingClientRect().top < bottom && rows.at(-1).getBoundingClientRect().bottom > top });
      }
      return seen;
    });
    for (const { rows, covered } of seen) assert.ok(covered && rows > 5 && rows < 300, `${rows} rows, ${covered ? "in" : "out of"} sight`);
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
    await picture(page, "hostile.png");
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
  // The long tests try as many as are promised; a fifth of them is enough for what the page does with all.
  test("hundreds of thousands of rows", async () => {
    const count = process.env.WW_LONG ? 1_000_000 : 200_000;
    manyRows(join(out, "many.csv"), count);
    const page = await open(report(["report", join(out, "many.csv"), "--metric", "flop"], join(out, "many")));
    assert.ok((await page.$$("#results tbody tr")).length < 300);
    assert.ok(statSync(join(out, "many.csv")).size > 40 * count);
    await page.$eval("#results .scroller", (s) => { s.scrollTop = s.scrollHeight; });
    await page.waitForFunction((n) => [...document.querySelectorAll("#results tbody tr:not(.spacer)")].at(-1).cells[0].textContent === String(n - 1), count);
    await page.click('#results button[data-sort="n"]');
    await page.click('#results button[data-sort="n"]');
    assert.equal((await cells(page))[0][0], String(count - 1));
    await page.fill('#results input[data-filter="n"]', "100000..100004");
    assert.equal((await cells(page)).length, 5);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});
