// Opens the pictures of `warpwright watch` in Chromium, steps through them, and compares what they show with the recording
// (browser.mjs).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { open, out, picture, program } from "./browser.mjs";

const kRecordings = {
  tiled: ["matmul/tiled", "--n", "8", "--block", "2"],
  "tiles-1x1": ["matmul/tiles", "--n", "8", "--block", "2", "--tile", "1x1"],
  "tiles-2x2": ["matmul/tiles", "--n", "8", "--block", "2", "--tile", "2x2", "--gpu", "gtx1080"],
  "aat-plain": ["aat/plain", "--n", "32", "--block", "16", "--gpu", "gtx280"],
  "aat-padded": ["aat/padded", "--n", "32", "--block", "16", "--gpu", "gtx280"],
  "aat-plain-h200": ["aat/plain", "--n", "32", "--block", "32"],
  "box-sum": ["box_sum/direct", "--n", "18", "--block", "8", "--r", "1", "--gpu", "c2070"],
  sum: ["sum/last_block", "--n", "256"],
  texture: ["spaces/texture_linear_clamp", "--n", "256", "--k", "8"],
};

// Loads, stores, the barrier and the begin of the inner loop; what follows repeats it.
const kSteps = 30;

function record(name, ...more) {
  const file = join(out, `watch-${name}.html`);
  execFileSync(program, ["watch", ...kRecordings[name], "--out", file, ...more], { stdio: ["ignore", "ignore", "inherit"] });
  return file;
}

const opened = (file, options = {}) => open(file, { viewport: { width: 1360, height: 950 }, waitFor: "svg.array", ...options });

/// What is shown: cells by array, framed words, passes, and the costs of the step.
const shown = (page) => page.evaluate(() => {
  const pictures = {}, pieces = {}, costs = {};
  for (const svg of document.querySelectorAll("svg.array[data-array]")) {
    pictures[svg.dataset.array] = [...svg.querySelectorAll("g.touched")].map((g) => `${g.dataset.element}: ${g.dataset.threads}`).sort();
    pieces[svg.dataset.array] = [...new Set([...svg.querySelectorAll("rect.piece.edge")].flatMap((r) => Array.from({ length: Number(r.dataset.words) }, (_, k) => Number(r.dataset.from) + k)))].sort((a, b) => a - b);
  }
  for (const body of document.querySelectorAll("table.costs tbody"))
    costs[body.dataset.space] = Object.fromEntries([...body.querySelectorAll("tr[data-metric]")].map((tr) => [tr.dataset.metric, Number(tr.cells[1].textContent.replaceAll(",", ""))]));
  const passes = [...document.querySelectorAll(".passes g.touched")].map((g) => [g.dataset.pass, g.dataset.bank, g.dataset.word, g.dataset.lanes].join("/")).sort();
  const words = [...document.querySelectorAll(".banks > .bank-picture g.touched")].map((g) => `${g.dataset.word}: ${g.dataset.threads}`).sort();
  const { step, phase } = document.getElementById("watch").dataset;
  return { words, pictures, pieces, costs, passes, step: Number(step), phase: Number(phase), line: document.querySelector(".source .now")?.textContent };
});

const lanes = (mask) => [...Array(32).keys()].filter((l) => (mask / 2 ** l) & 1);

/// The same from the recording, for block 0.
function expected(recording, step) {
  const launch = recording.launches[0], { begins, warp, form, at } = launch.events;
  const pictures = {}, pieces = {}, costs = {};
  let passes = [];
  for (const a of launch.arrays) pictures[a.name] = new Map(), pieces[a.name] = new Set();
  for (const space of Object.keys(recording.metrics)) costs[space] = Object.fromEntries(recording.metrics[space].map((m) => [m.name, 0]));
  let first = true;
  for (let i = begins[step]; i < begins[step + 1]; ++i) {
    if (Math.floor(warp[i] / launch.warps) !== 0 || form[i] < 0) continue;
    const f = launch.forms[form[i]], array = launch.arrays[f.array];
    f.cost.forEach((c, k) => { costs[f.space][recording.metrics[f.space][k].name] += c; });
    const places = f.texels ?? lanes(f.mask).map((lane, k) => [lane, f.offsets[k]]);
    places.forEach(([lane, offset]) => {
      for (let b = 0; b < f.bytes; b += 4) {
        const element = (at[i] + offset + b) >> 2, thread = warp[i] * 32 + lane;
        if (!pictures[array.name].has(element)) pictures[array.name].set(element, new Set());
        pictures[array.name].get(element).add(thread);
      }
    });
    for (const [offset, bytes] of f.pieces ?? []) for (let b = 0; b < bytes; b += 4) {
      const word = (at[i] + offset + b) / 4;
      if (word >= 0 && word < Math.ceil(array.bytes / 4)) pieces[array.name].add(word);
    }
    if (first && f.banks) passes = f.banks.map(([pass, bank, word, mask]) => [pass, bank, ((array.address + at[i]) >> 2) + word, lanes(mask).join(" ")].join("/")).sort();
    first = false;
  }
  // By number in the block's shared memory: each array's words behind its address.
  const words = launch.arrays.filter((a) => a.space === "shared").flatMap((a) => [...pictures[a.name]].map(([e, threads]) => `${a.address / 4 + e}: ${[...threads].join(" ")}`)).sort();
  for (const name of Object.keys(pictures)) {
    pictures[name] = [...pictures[name]].map(([e, threads]) => `${e}: ${[...threads].join(" ")}`).sort();
    pieces[name] = [...pieces[name]].sort((a, b) => a - b);
  }
  return { words, pictures, pieces, costs, passes };
}

// The long tests try all; these differ most.
const kTried = ["tiled", "tiles-2x2", "aat-plain", "box-sum", "texture"];

for (const name of process.env.WW_LONG ? Object.keys(kRecordings) : kTried) {
  describe(name, () => {
    let page, recording, file;
    before(async () => {
      file = record(name);
      recording = JSON.parse(execFileSync(program, ["watch", ...kRecordings[name], "--format", "json"], { encoding: "utf8", maxBuffer: 1e8 }));
      page = await opened(file);
    });
    after(() => page.context().close());

    test("shows each step as it was recorded", async () => {
      const launch = recording.launches[0], source = recording.sources;
      const mine = launch.steps.map((_, i) => i).filter((i) => launch.events.warp.slice(launch.events.begins[i], launch.events.begins[i + 1]).some((w) => w < launch.warps));
      let seen = 0;
      for (const [place, step] of mine.slice(0, kSteps).entries()) {
        const now = await shown(page), want = expected(recording, step), [site, phase] = launch.steps[step];
        assert.equal(now.step, step);
        assert.equal(now.phase, phase);
        assert.deepEqual(now.pictures, want.pictures, `step ${step}`);
        assert.deepEqual(now.pieces, want.pieces, `step ${step}`);
        assert.deepEqual(now.words, want.words, `step ${step}`);
        // What the compiler made a part of a wider access shows the passes of that one.
        const { leader } = launch.sites[site];
        const other = leader < 0 ? step : launch.steps.findIndex(([s, p, nth]) => s === leader && p === phase && nth === launch.steps[step][2]);
        assert.deepEqual(now.passes, expected(recording, other).passes, `step ${step}`);
        for (const [space, costs] of Object.entries(now.costs)) assert.deepEqual(costs, want.costs[space], `step ${step} ${space}`);
        const { file: path, line } = launch.sites[site];
        assert.equal(now.line.trim(), source.find((s) => s.file === path).text.split("\n")[line - 1].trim());
        seen += Object.values(now.pictures).flat().length;
        if (place === 4) await picture(page, `watch-${name}.png`);
        await page.keyboard.press("ArrowRight");
      }
      assert.ok(seen > 0);
    });

    test("is small and says everything", async () => {
      assert.ok(statSync(file).size < 5e6);
      const texts = await page.$$eval("h1, h2, h3, p, button, figcaption, summary, th, dt, dd, .where", (all) => all.map((e) => e.textContent));
      for (const text of texts) assert.doesNotMatch(text, /\{\w+\}|undefined|NaN|watch\.\w/, text);
      await page.keyboard.press("End");
      await picture(page, `watch-${name}-end.png`);
      for (const key of ["g", "w", "t", "b"]) {
        await page.keyboard.press(key);
        await page.keyboard.press("Home");
        await page.keyboard.press("PageDown");
      }
      assert.deepEqual(page.troubles, []);
    });
  });
}

test("tens of thousands of cells are paths, one for each colour", async () => {
  const page = await opened(join(out, "watch-texture.html"));
  await page.keyboard.press("End");
  await page.keyboard.press("g");
  const stored = page.locator('svg.array[data-array="out"]');
  assert.ok(await stored.locator("path.touched").count() > 1);
  assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 40000);  // the pieces of memory are 8192, twice
  await stored.hover();
  assert.match(await page.textContent(".tip"), /out\[/);
  await page.context().close();
});

describe("the banks of A·Aᵀ", () => {
  // The same column: sixteen steps for each half of a warp on a GTX 280, one with padding.
  const most = async (name) => {
    const page = await opened(record(name));
    let rows = 0;
    for (let i = 0; i < 12; ++i) {
      rows = Math.max(rows, ...(await shown(page)).passes.map((p) => Number(p.split("/")[0]) + 1));
      await page.keyboard.press("ArrowRight");
    }
    await page.context().close();
    return rows;
  };
  test("conflict without padding", async () => assert.equal(await most("aat-plain"), 32));
  test("do not with it", async () => assert.equal(await most("aat-padded"), 2));
});

describe("the reader's hands", () => {
  let page;
  const step = () => page.$eval("#watch", (main) => Number(main.dataset.step));
  before(async () => { page = await opened(join(out, "watch-tiled.html")); });
  after(() => page.context().close());

  test("plays, pauses, scrubs", async () => {
    await page.selectOption(".controls select", "16");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => Number(document.getElementById("watch").dataset.step) >= 3);
    await page.click(".play");
    const at = await step();
    await page.waitForTimeout(200);
    assert.equal(await step(), at);
    await page.click(".back");
    assert.equal(await step(), at - 1);
    await page.click(".first");
    assert.equal(await step(), 0);
    await page.fill(".scrub", "7");
    assert.equal(await step(), 7);
    const box = await page.locator("svg.timeline").boundingBox();
    await page.mouse.click(box.x + box.width - 2, box.y + 10);
    assert.equal(await step(), Number(await page.getAttribute(".scrub", "max")));
    await page.click(".first");
    await page.click(".phase-forward");
    assert.equal(await page.$eval("#watch", (main) => main.dataset.phase), "1");
  });
  test("chooses a thread, a block, and what is looked at", async () => {
    await page.keyboard.press("Home");
    await page.click('.threads g[data-index="3"]');
    await page.click('.blocks g[data-index="5"]');
    await page.click('[data-value="thread"]');
    // Thread (1, 1) of block (1, 1): row 3, column 1 of A.
    assert.deepEqual((await shown(page)).pictures.a, ["25: 3"]);
    await page.keyboard.press("g");
    assert.equal((await shown(page)).pictures.a.length, 16);
  });
  test("shows what the cells hold", async () => {
    const page = await opened(record("tiled"));
    const held = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("svg.array[data-array]")].map((s) => [s.dataset.array, Object.fromEntries([...s.querySelectorAll("text.value")].map((v) => [v.dataset.valueOf, Number(v.textContent)]))])));
    await page.keyboard.press("Home");
    assert.deepEqual((await held()).c, {}, "nothing is known of the result yet");
    await page.keyboard.press("End");
    // All blocks have written their results: the product of what the cells show of the factors.
    const { a, b, c } = await held();
    for (const row of [0, 1]) for (const column of [0, 1]) {
      let sum = 0;
      for (let k = 0; k < 8; ++k) sum += a[8 * row + k] * b[8 * k + column];
      assert.ok(Math.abs(c[8 * row + column] - sum) < 0.05, `${c[8 * row + column]} for ${sum}`);
    }
    const touched = page.locator('svg.array[data-array="c"] [data-element]').first();
    await touched.hover();
    assert.ok(Math.abs(Number(/= (\S+) \(f32\)/.exec(await page.textContent(".tip"))[1]) - c[await touched.getAttribute("data-element")]) < 0.05);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
  test("says what is under the pointer", async () => {
    await page.keyboard.press("b");
    await page.hover('svg[data-array="a"] g.touched[data-element="25"]');
    assert.match(await page.textContent(".tip"), /a\[3\]\[1\].*\(1, 1\)/);
  });
  test("changes its language and keeps its place", async () => {
    const at = await step();
    for (const [language, word] of [["pl", "bariera"], ["cs", "bariéra"], ["ru", "барьер"], ["en", "barrier"]]) {
      await page.selectOption("select.language", language);
      assert.match(await page.textContent(".kinds"), new RegExp(word));
      assert.equal(await step(), at);
      for (const text of await page.$$eval("h2, h3, p, button, th", (all) => all.map((e) => e.textContent))) assert.doesNotMatch(text, /\{\w+\}|undefined|watch\.\w/);
    }
  });
  test("is dark, and fits a telephone", async () => {
    const dark = await opened(join(out, "watch-aat-plain.html"), { colorScheme: "dark" });
    for (let i = 0; i < 6; ++i) await dark.keyboard.press("ArrowRight");
    await picture(dark, "watch-dark.png");
    await dark.setViewportSize({ width: 390, height: 800 });
    assert.ok(await dark.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    await picture(dark, "watch-narrow.png");
    assert.deepEqual(dark.troubles, []);
    await dark.context().close();
    await page.setViewportSize({ width: 390, height: 800 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    await picture(page, "watch-narrow-product.png");
    assert.deepEqual(page.troubles, []);
  });
});

describe("two kernels side by side, one with a race", () => {
  const kernels = new URL("../watch/race.ptx", import.meta.url).pathname, file = join(out, "watch-beside.html");
  const launch = ["--grid", "1", "--block", "64", "--arg", "out:u8[64]"];
  let page, recordings;
  before(async () => {
    execFileSync(program, ["watch", `${kernels}:bad`, ...launch, "--out", file, "--beside", ":good"], { stdio: ["ignore", "ignore", "inherit"] });
    recordings = ["bad", "good"].map((name) => JSON.parse(execFileSync(program, ["watch", `${kernels}:${name}`, ...launch, "--format", "json"], { encoding: "utf8" })));
    page = await opened(file, { viewport: { width: 1600, height: 950 } });
  });
  const places = () => page.$$eval(".beside-both input.scrub", (all) => all.map((e) => Number(e.value)));
  test("they go by phase, by step, or alone", async () => {
    assert.deepEqual(await places(), [0, 0]);
    await page.keyboard.press("ArrowRight");  // bad: the load; good: its phase has the store and the barrier
    assert.deepEqual(await places(), [1, 1]);
    await page.click('.beside-bar button[data-value="alone"]');
    await page.keyboard.press("Home");
    assert.deepEqual(await places(), [0, 1]);
    await page.click('.beside-bar button[data-value="step"]');
    assert.deepEqual(await places(), [0, 0]);
    await page.keyboard.press("End");
    assert.deepEqual(await places(), recordings.map((r) => r.launches[0].steps.length - 1));
  });
  test("costs of both stand in one table", async () => {
    const sums = (r, name) => {
      const { forms, events } = r.launches[0], at = r.metrics.shared.findIndex((m) => m.name === name);
      return events.form.reduce((n, f) => n + (f >= 0 && forms[f].space === "shared" ? forms[f].cost[at] : 0), 0);
    };
    for (const name of ["requests", "wavefronts", "bank_conflicts"]) {
      const cells = await page.$$eval(`.compared tr[data-metric="shared_${name}"] td`, (all) => all.map((e) => Number(e.textContent)));
      assert.deepEqual([cells[2], cells[5]], recordings.map((r) => sums(r, name)), name);
    }
  });
  test("each side of the race leads to its step and is framed there", async () => {
    assert.equal(await page.$$eval(".finding", (all) => all.length), 1);
    const { findings, arrays } = recordings[0].launches[0];
    for (const [k, party] of findings[0].parties.entries()) {
      await page.click(`.finding li:nth-child(${k + 1}) button`);
      const framed = await page.$$eval(".beside-both > div:first-child rect.race", (all) => all.map((e) => [e.closest("svg").dataset.array, Number(e.dataset.race)]));
      assert.deepEqual(framed, [[arrays[party.array].name, party.from / 4]]);
    }
    await picture(page, "watch-beside.png");
  });
  test("says what the race is, and names the counters, in every language", async () => {
    const said = { cs: [/souběh ve sdílené paměti: vlákno .* bajty?/, "požadavky"], pl: [/wyścig w pamięci współdzielonej: wątek/, "żądania"], ru: [/гонка в разделяемой памяти: нить/, "запросы"], en: [/^data race in shared memory: a thread/, "requests"] };
    for (const [language, [race, requests]] of Object.entries(said)) {
      await page.selectOption("select.language", language);
      const found = await page.$$eval(".finding b", (all) => all[0].textContent);
      assert.match(found, race);
      if (language !== "en") assert.doesNotMatch(await page.$$eval(".finding", (all) => all[0].textContent), /\b(thread|missing|where|writes|between)\b/, language);
      assert.ok((await page.$$eval(".compared th[scope=row]", (all) => all.map((e) => e.textContent.trim()))).some((name) => name.startsWith(requests)), language);
    }
  });
  test("fits a telephone", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    assert.deepEqual(page.troubles, []);
  });
});
