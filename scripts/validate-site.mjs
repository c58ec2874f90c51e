// Opens every page of the built site in headless Chromium: links and anchors, search, accessibility (axe-core, WCAG 2.1 A and
// AA) in light and dark, no scrolling to the side on a phone, no errors in the console.
// Usage: node validate-site.mjs SITE [PAGE]...    (in a folder with playwright-core and axe-core)
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";

const require = createRequire(join(process.cwd(), "index.js"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");

const site = resolve(process.argv[2]);
const only = process.argv.slice(3);
const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png",
  ".woff2": "font/woff2", ".md": "text/plain", ".toml": "text/plain" };
const schemes = ["light", "dark"];
const widths = [360, 1280];
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
/** Words, and the page that the search must list first. */
const searches = { baseline: "living-with-findings.html", httpx: "tests.html", prek: "pre-commit.html" };

const faults = [];
const report = (page, text) => faults.push(`${page}: ${text}`);

const server = createServer(async (request, response) => {
  try {
    const name = decodeURIComponent(new URL(request.url, "http://site").pathname);
    const path = join(site, name.endsWith("/") ? `${name}index.html` : name);
    const content = await readFile(path);
    response.setHeader("Content-Type", `${types[extname(path)] ?? "application/octet-stream"}; charset=utf-8`);
    response.end(content);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const base = `http://127.0.0.1:${server.address().port}/`;

// The frame of the navigation is for browsers without JavaScript, and the 404 page names the root of the server.
const extra = ["404.html", "toc.html", "print.html"];
const files = await readdir(site, { recursive: true });
const pages = files.filter((name) => name.endsWith(".html") && !extra.includes(name)).sort();
const checked = pages.filter((name) => !only.length || only.includes(name));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
/** The anchors of each page, and its links. */
const anchors = new Map();
const links = new Map();

/** Checks a page as it looks with one colour scheme and width. */
async function checkLook(tab, name, look) {
  const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (overflow > 0) report(name, `${look}: ${overflow} pixels wider than the window`);
  await tab.addScriptTag({ path: axe });
  const { violations } = await tab.evaluate((values) => axe.run(document, { runOnly: { type: "tag", values } }), tags);
  for (const { id, help, nodes } of violations) {
    report(name, `${look}: ${id}: ${help}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)} (${nodes[0].any[0]?.message ?? nodes[0].failureSummary})`);
  }
}

/** Opens a page in a fresh tab, and hands its problems on. */
async function open(context, name) {
  const tab = await context.newPage();
  tab.on("console", (message) => message.type() === "error" && report(name, `console: ${message.text()}`));
  tab.on("pageerror", (error) => report(name, `script: ${error.message}`));
  await tab.goto(base + name);
  return tab;
}

for (const colorScheme of schemes) {
  for (const width of widths) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    for (const name of checked) {
      const tab = await open(context, name);
      await checkLook(tab, name, `${colorScheme}, ${width} pixels`);
      if (!links.has(name)) {
        links.set(name, await tab.evaluate(() => [...document.querySelectorAll("a[href], img[src]")].map((link) => link.href ?? link.src)));
        anchors.set(name, new Set(await tab.evaluate(() => [...document.querySelectorAll("[id]")].map((element) => element.id))));
        if (!(await tab.locator("main a", { hasText: "Source of this page" }).count())) report(name, "no link to its source");
      }
      await tab.close();
    }
    await context.close();
  }
}

let followed = 0;
for (const [name, targets] of links) {
  for (const target of new Set(targets)) {
    if (!target.startsWith(base)) continue;
    followed += 1;
    const url = new URL(target);
    const path = decodeURIComponent(url.pathname.slice(1)) || "index.html";
    const anchor = decodeURIComponent(url.hash.slice(1));
    const known = anchors.get(path);
    if (!files.includes(path)) report(name, `the link ${target.slice(base.length)} leads to no file`);
    else if (anchor && known && !known.has(anchor)) report(name, `the link ${target.slice(base.length)} leads to no heading`);
  }
}

const context = await browser.newContext();
for (const [word, expected] of Object.entries(searches)) {
  const tab = await open(context, "index.html");
  await tab.keyboard.press("/");
  await tab.locator("#mdbook-searchbar").pressSequentially(word);
  const first = tab.locator("#mdbook-searchresults a").first();
  try {
    await first.waitFor({ timeout: 10_000 });
    const found = new URL(await first.evaluate((link) => link.href)).pathname.slice(1);
    if (found !== expected) report("search", `\`${word}\` leads to ${found} first, not to ${expected}`);
    await first.click();
    if (!(await tab.title()).length) report("search", `\`${word}\`: the page has no title`);
  } catch (error) {
    report("search", `\`${word}\` finds nothing: ${error.message.split("\n")[0]}`);
  }
  await tab.close();
}
await browser.close();
server.close();

if (followed < 100 && !only.length) report("site", `only ${followed} links were followed`);
if (faults.length) {
  console.error(faults.join("\n"));
  console.error(`${faults.length} faults on ${checked.length} pages`);
  process.exit(1);
}
console.log(`the site: ${checked.length} pages, each in ${schemes.length} colour schemes and ${widths.length} widths; all ${followed} links lead somewhere, ` +
  `${Object.keys(searches).length} searches find their page, no violation of WCAG 2.1 A and AA`);
