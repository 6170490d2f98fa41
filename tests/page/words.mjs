// What the program says of its numbers has words in every language: descriptions of metrics, as small runs print them.
// No browser. WW_PAGE_TEST="PROGRAM|…" node --test words.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const { aboutText, setLanguage, setMessages } = await import(new URL("../../src/report/page/messages.js", import.meta.url));
const messages = new URL("../../src/report/page/messages/", import.meta.url);
const catalogues = Object.fromEntries(readdirSync(messages).map((f) => [f.slice(0, 2), JSON.parse(readFileSync(new URL(f, messages), "utf8"))]));
setMessages(catalogues);
const program = process.env.WW_PAGE_TEST.split("|")[0];

/// Every description in what a command prints as JSON.
function descriptions(words) {
  const found = new Set();
  const walk = (o) => {
    if (Array.isArray(o)) o.forEach(walk);
    else if (o && typeof o === "object") for (const [key, v] of Object.entries(o)) key === "description" && typeof v === "string" ? found.add(v) : walk(v);
  };
  walk(JSON.parse(execFileSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] })));
  found.delete("");
  return found;
}

/// One GPU of each way to count: transactions, lines, sectors; 1.x, 2.x, 6.x, 9.0.
const kGpus = "gtx280,c2070,gtx1080,h200";
const kRuns = {
  "matmul-ladder": ["--n", "64", "--block", "16"], aat: ["--n", "64"], sum: ["--n", "4096"], simt: [], spaces: [], "matmul-tiles": ["--n", "64", "--block", "16", "--tile", "2x2"],
};

for (const [study, options] of Object.entries(kRuns))
  test(`${study}: every description has words in all languages`, () => {
    const texts = descriptions(["study", study, "--quick", "--gpu", kGpus, ...options, "--format", "json", "--metric", "all"]);
    assert.ok(texts.size > 20, `${texts.size}`);
    for (const language of Object.keys(catalogues).filter((l) => l !== "en")) {
      setLanguage(language);
      for (const text of texts) assert.ok(aboutText(text) !== text || `about.${text}` in catalogues[language], `${language}: ${text}`);
    }
  });
