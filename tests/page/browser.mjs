// Chromium for the tests of pages, and what they look at in them.
// WW_PAGE_TEST="PROGRAM|CHROMIUM|MODULES|OUT" node --test report.mjs: MODULES holds node_modules; pages go to OUT,
// and screenshots of them with WW_PICTURES set.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before } from "node:test";

const [path, chromiumPath, modules, folder] = process.env.WW_PAGE_TEST.split("|");
const { chromium } = createRequire(join(modules, "index.js"))("playwright-core");
export const program = path, out = folder;

mkdirSync(out, { recursive: true });
let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser?.close());

/// A page that has opened `file`; `troubles` collects what a reader must never see.
export async function open(file, { waitFor = "#results tbody tr", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && troubles.push(m.text()));
  page.on("pageerror", (e) => troubles.push(e.stack));
  page.on("dialog", (d) => { troubles.push(`dialog ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => !/^(file|blob|data):/.test(r.url()) && troubles.push(`request ${r.url()}`));
  await page.goto(`file://${file}`);
  await page.waitForSelector(waitFor);
  page.troubles = troubles;
  return page;
}

/// Takes a picture of the whole page, for people: only with WW_PICTURES set, since they take a third of the tests' time.
export async function picture(page, name, options = { fullPage: true }) {
  if (process.env.WW_PICTURES) await page.screenshot({ path: join(out, name), ...options });
}

/// The page that these arguments make in a folder.
export const report = (args, folder) => {
  execFileSync(program, [...args, "--out", `${folder}/`], { stdio: ["ignore", "inherit", "inherit"] });
  return join(folder, "index.html");
};

/// What the page at `file` was given.
export const dataOf = (file) => JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))[1]);

/// The text of the file that a click saves.
export async function downloaded(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await download.path(), "utf8");
}

/// What the table shows: for each row its cells, as the titles have them exactly.
export const cells = (page) => page.$$eval("#results .scroller tbody tr:not(.spacer)", (rows) => rows.map((row) =>
  [...row.cells].map((cell) => cell.title || cell.textContent)));

export const texts = (page, selector) => page.$$eval(selector, (all) => all.map((e) => e.textContent));
