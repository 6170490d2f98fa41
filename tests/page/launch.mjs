// Opens the pages of launches in Chromium and uses them as a reader would (browser.mjs).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { open, out, program, texts } from "./browser.mjs";

describe("the page of a launch", () => {
  test("speaks all languages, and changes them", async () => {
    const ptx = join(out, "empty.ptx");
    writeFileSync(ptx, `.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry fill(.param .u64 out) {\n.reg .u64 %rd<4>; .reg .u32 %r<2>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n`);
    const folder = join(out, "launch");
    execFileSync(program, ["launch", ptx, "--grid", "4", "--block", "64", "--arg", "out:u32[64]", "--gpu", "h200", "--lang", "cs", "--out", `${folder}/`]);
    const page = await open(join(folder, "index.html"), { waitFor: ".card", viewport: { width: 390, height: 800 } });
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
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

describe("a launch's memory and source", () => {
  test("fit a telephone in all languages, and a line opens to its PTX", async () => {
    const source = join(out, "lines.cu"), ptx = join(out, "lines.ptx"), folder = join(out, "lines");
    writeFileSync(source, "first\nshared and global\nlast\n");
    writeFileSync(ptx, `.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry turn(.param .u64 out) {\n.shared .align 4 .b8 tile[4096];\n.reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p<2>;\n.loc 1 1 1\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nshl.b32 %r3, %r1, 7;\nand.b32 %r3, %r3, 4095;\nmov.u32 %r6, tile;\nadd.u32 %r3, %r3, %r6;\n.loc 1 2 1\nst.shared.u32 [%r3], %r1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra END;\nst.global.u32 [%rd3], %r1;\nEND:\n.loc 1 3 1\nret;\n}\n.file 1 "${source}"\n`);
    execFileSync(program, ["launch", ptx, "--grid", "4", "--block", "64", "--arg", "out:u32[64]", "--gpu", "h200,gtx280", "--out", `${folder}/`]);
    const page = await open(join(folder, "index.html"), { waitFor: ".card", viewport: { width: 390, height: 800 } });
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
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});

describe("what is said of a launch", () => {
  test("is there in all languages, in English as on the terminal, and with no word of it in the others", async () => {
    const ptx = join(out, "columns.ptx"), folder = join(out, "columns"), args = ["launch", ptx, "--grid", "64", "--block", "256", "--arg", "out:u32[256]", "--gpu", "h200,gtx1080"];
    // Each warp writes a column of 32 rows of 32 words: 32 passes.
    writeFileSync(ptx, `.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry columns(.param .u64 out) {\n.shared .align 4 .b8 tile[4096];\n.reg .u64 %rd<4>; .reg .u32 %r<8>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nshl.b32 %r3, %r2, 7;\nshr.u32 %r4, %r1, 5;\nshl.b32 %r5, %r4, 2;\nadd.u32 %r3, %r3, %r5;\nmov.u32 %r6, tile;\nadd.u32 %r3, %r3, %r6;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r7, [%r3];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r7;\nret;\n}\n`);
    execFileSync(program, [...args, "--out", `${folder}/`]);
    const terminal = execFileSync(program, args, { encoding: "utf8" }).replaceAll("`", "");
    const page = await open(join(folder, "index.html"), { waitFor: ".card" });
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
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
});
