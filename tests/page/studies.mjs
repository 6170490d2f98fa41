// Opens the pages of all studies in Chromium and uses them as a reader would (browser.mjs).
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { cells, dataOf, downloaded, open, out, picture, report, texts } from "./browser.mjs";
import { parseCsv } from "./results.mjs";

const { aboutText, setLanguage, setMessages } = await import(new URL("../../src/report/page/messages.js", import.meta.url));
const messages = new URL("../../src/report/page/messages/", import.meta.url);
const catalogues = Object.fromEntries(readdirSync(messages).map((f) => [f.slice(0, 2), JSON.parse(readFileSync(new URL(f, messages), "utf8"))]));
setMessages(catalogues);
const kStudies = readdirSync(new URL("../../src/study/data", import.meta.url)).filter((f) => f.endsWith(".json")).map((f) => f.slice(0, -5));
// Without a real GPU their rows only say that they need one.
const kNeedGpu = ["host-memory", "overlap", "peer-to-peer", "matmul-multi"];
// The tables and plots of all studies are drawn by the same code: sorting, filtering, zooming, saving and printing are tried
// on three studies that differ most, what the page says on all.
const kTried = ["matmul-ladder", "across-gpus", "spaces"];
// The long tests open the pages of all studies and try all three.
const kOpened = process.env.WW_LONG ? kStudies.filter((name) => !kNeedGpu.includes(name)) : ["matmul-ladder", "spaces", "box-sum"];
const kGpus = { "matmul-ladder": "gt240", "matmul-tiles": "gtx1080,h200", aat: "c2070", "box-sum": "rtx4070s", spaces: "h200" };

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

for (const study of kOpened) {
  describe(study, () => {
    const folder = join(out, study);
    let page, rows;
    before(async () => {
      const gpu = kGpus[study] ? ["--gpu", kGpus[study]] : [];
      page = await open(report(["study", study, "--quick", "--device", "engine", "--no-cache", ...gpu], folder));
      rows = rowsOf(readFileSync(join(folder, "results.csv"), "utf8"));
    });
    after(async () => {
      await picture(page, `${study}.png`);
      await page.context().close();
    });

    test("opens, small, with a conclusion and figures", async () => {
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

    describe("in a reader's hands", { skip: !kTried.includes(study) }, () => {
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
        await picture(page, `${study}-hover.png`, { fullPage: false });
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
        await picture(page, `${study}-print.png`);
        await page.emulateMedia({ media: "screen" });
        assert.ok(printed);
        assert.equal(lines, rows.length);
      });
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
      await picture(page, `${study}-measured.png`);
      await page.context().close();
    });
});
