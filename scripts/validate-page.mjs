// Opens pages in headless Chromium, and uses them as readers do (called by validate-page.sh).
// Usage: node validate-page.mjs FOLDER [PICTURE]    (in a folder with playwright-core, axe-core and html-validate)
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const require = createRequire(join(process.cwd(), "index.js"));
const { chromium } = require("playwright-core");
const { HtmlValidate } = require("html-validate");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

const folder = resolve(process.argv[2]);
const picture = process.argv[3];
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Most of the time in which a page opens is spent on its nodes. Unlike the time, their number is the same on every machine. */
const MOST_NODES = 350_000;

const faults = [];
let checks = 0;
const report = (page, text) => faults.push(`${page}: ${text}`);
/** Reports a text if something does not hold. */
function expect(page, text, holds, found) {
  checks += 1;
  if (!holds) report(page, found === undefined ? text : `${text}: ${JSON.stringify(found)}`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const address = (name) => `file://${join(folder, name)}`;

/** Opens a page in a fresh tab that reports errors, requests and dialogs. */
async function open(context, name, { dialogs = [] } = {}) {
  const tab = await context.newPage();
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && report(name, `console: ${message.text()}`));
  tab.on("pageerror", (error) => report(name, `script: ${error.message}`));
  tab.on("request", (request) => !/^(file|data):/.test(request.url()) && report(name, `request: ${request.url()}`));
  tab.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
  await tab.goto(address(name));
  return tab;
}

/** Runs `use` in a fresh tab. */
async function within(name, options, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const dialogs = [];
  await use(await open(context, name, { dialogs }), context);
  expect(name, "a script of an input ran", dialogs.length === 0, dialogs);
  await context.close();
}

/** Accessibility, and no scrolling to the side. */
async function checkLook(name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 800, 1280]) {
      await within(name, { colorScheme, viewport: { width, height: 900 } }, async (tab) => {
        const look = `${colorScheme}, ${width} pixels`;
        const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(name, `${look}: wider than the window`, overflow <= 0, overflow);
        await tab.evaluate(axe);
        const { violations, passes } = await tab.evaluate((values) => axe.run(document, { runOnly: { type: "tag", values } }), tags);
        expect(name, `${look}: axe-core checked nothing`, passes.length > 10);
        for (const { id, help, nodes } of violations) {
          report(name, `${look}: ${id}: ${help}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)} (${nodes[0].failureSummary})`);
        }
      });
    }
  }
}

/** The texts of a column in the rows that are shown. */
const column = (tab, table, index) => tab.evaluate(([table, index]) => [...document.querySelectorAll(`${table} tbody tr`)]
  .filter((row) => row.checkVisibility()).map((row) => row.cells[index].textContent.trim()), [table, index]);
const isSorted = (values, compare) => values.every((value, index) => index === 0 || compare(values[index - 1], value) <= 0);
const numbers = (texts) => texts.filter((text) => text !== "").map((text) => parseFloat(text.replaceAll(",", "")));

async function checkSorting(name) {
  await within(name, {}, async (tab) => {
    for (const { key, index } of await tab.evaluate(() => [...document.querySelectorAll(".elements thead th")]
      .map((head, index) => ({ key: head.dataset.key, index })).filter(({ key }) => key))) {
      const head = tab.locator(`.elements th[data-key="${key}"]`);
      const before = (await column(tab, ".elements", index)).sort();
      for (const press of [() => head.locator("button").click(), () => tab.keyboard.press("Enter")]) {
        await press();
        const direction = await head.getAttribute("aria-sort");
        const found = await column(tab, ".elements", index);
        const sign = direction === "ascending" ? 1 : -1;
        const filled = found.filter((text) => text !== "");
        const values = ["uses", "share", "callers", "left"].includes(key) ? numbers(found) : filled;
        const order = key === "verdict" ? (a, b) => verdicts.indexOf(a) - verdicts.indexOf(b) : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
        expect(name, `${key} is not sorted ${direction}`, ["ascending", "descending"].includes(direction) && isSorted(values, (a, b) => sign * order(a, b)), found.slice(0, 9));
        expect(name, `${key}: empty cells are not last`, found.slice(0, filled.length).every((text) => text !== ""));
        expect(name, `${key}: rows were lost`, JSON.stringify([...found].sort()) === JSON.stringify(before));
      }
      expect(name, "more than one column says that it is sorted", await tab.locator(".elements [aria-sort]").count() === 1);
    }
  });
}
const verdicts = ["in use", "still sent", "cannot tell", "not seen", "not sent"];

/** Sets a filter, waits for the script, and returns the number of rows that are shown. */
async function filter(tab, field, value) {
  const input = tab.locator(`.filter ${field}`);
  if (await input.evaluate((element) => element.tagName) === "SELECT") await input.selectOption(value);
  else await input.fill(value);
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return tab.evaluate(() => [...document.querySelectorAll(document.querySelector(".filter").dataset.rows)].filter((row) => !row.hidden).length);
}

async function checkFilters(name, cases) {
  await within(name, {}, async (tab) => {
    const all = await filter(tab, '[data-test="has"] >> nth=0', "");
    for (const [field, value, expected] of cases) {
      const shown = await filter(tab, field, value);
      expect(name, `${field} = ${value} shows the wrong rows`, shown === expected, `${shown} instead of ${expected}`);
      const output = await tab.locator(".filter output").textContent();
      expect(name, "the number of rows is wrong", output.startsWith(`${expected} of ${all} `), output);
      await tab.locator(".filter [type=reset]").click();
      expect(name, "clearing does not show all", await filter(tab, '[data-test="has"] >> nth=0', "") === all);
    }
    // A link to a row that is hidden shows it.
    await filter(tab, '[data-test="has"] >> nth=0', "no row has this text");
    const target = await tab.evaluate(() => document.querySelector(document.querySelector(".filter").dataset.rows).closest("[id]").id);
    await tab.evaluate((id) => { location.hash = id; }, target);
    await tab.waitForFunction((id) => document.getElementById(id).checkVisibility(), target);
  });
}

async function checkLinks(name, kinds) {
  await within(name, {}, async (tab) => {
    const links = await tab.evaluate(() => [...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute("href")));
    const broken = await tab.evaluate((links) => links.filter((link) => !document.getElementById(link.slice(1))), links);
    expect(name, "links lead nowhere", links.length > 3 && broken.length === 0, broken.slice(0, 3));
    for (const kind of kinds) {
      const link = tab.locator(`main a[href^="#${kind}"]`).last();
      const id = (await link.getAttribute("href")).slice(1);
      await link.scrollIntoViewIfNeeded();
      await link.click();
      const top = await tab.evaluate((id) => document.getElementById(id).getBoundingClientRect().top, id);
      expect(name, `a link to ${kind} does not show its target`, tab.url().endsWith(`#${id}`) && top >= 0 && top < 900, top);
    }
    await tab.keyboard.press("Home");
    await tab.evaluate(() => { location.hash = ""; document.body.focus(); });
    await tab.keyboard.press("Tab");
    const focused = await tab.evaluate(() => document.activeElement.textContent);
    expect(name, "the first stop of the keyboard does not skip the head", focused === "Skip to the content", focused);
  });
}

/** One table with one head has all findings: a group for each element, those with an error first. */
async function checkGroups(name) {
  await within(name, {}, async (tab) => {
    const [heads, groups] = await tab.evaluate(() => [document.querySelectorAll("#findings thead").length,
      [...document.querySelectorAll("#findings tbody")].map((group) => [...group.querySelectorAll(".badge")].map((badge) => badge.textContent))]);
    expect(name, "it has more than one head", heads === 1, heads);
    const ranks = groups.map((badges) => Math.min(...badges.map((badge) => ["error", "warning", "note"].indexOf(badge))));
    expect(name, "what is urgent is not first", groups.length > 5 && isSorted(ranks, (a, b) => a - b), ranks);
  });
}

/** Each chart has its scale and the dates of its ends, also as a tooltip. */
async function checkCharts(name) {
  await within(name, {}, async (tab) => {
    const charts = await tab.evaluate(() => [...document.querySelectorAll("svg")].map((chart) => [chart.querySelector("title").textContent, chart.parentElement.innerText]));
    expect(name, "there is no chart", charts.length > 0);
    for (const [title, text] of charts) {
      const [scale, dates] = text.split("\n").map((line) => line.trim());
      expect(name, "a chart has no scale or no dates", title.startsWith(`${dates.replace(" ", " to ")}: ${scale}`), [title, text]);
    }
  });
}

const paper = (tab) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function checkTheme(name) {
  await within(name, { colorScheme: "light" }, async (tab, context) => {
    const light = await paper(tab);
    const button = tab.locator("#theme");
    await button.click();
    const dark = await paper(tab);
    expect(name, "the button does not change the colours", dark !== light && await button.getAttribute("aria-pressed") === "true");
    await tab.reload();
    expect(name, "a reload forgets the colours", await paper(tab) === dark);
    await button.click();
    expect(name, "the button does not change the colours back", await paper(tab) === light);
    await tab.close();

    // In a frame without an origin, storage throws.
    const frame = `frame-${name}`;
    await writeFile(join(folder, frame), `<!DOCTYPE html><html lang="en"><title>x</title><iframe sandbox="allow-scripts" width="900" height="600" src="${name}"></iframe>`);
    const framed = await open(context, frame);
    const inner = framed.frameLocator("iframe");
    await inner.locator("#theme").click();
    expect(name, "the button does not work without storage", await inner.locator("html").getAttribute("data-theme") === "dark");
  });
}

async function checkPrint(name) {
  await within(name, { colorScheme: "dark" }, async (tab) => {
    const file = await tab.pdf({ format: "A4" });
    const sheets = file.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(name, "it cannot be printed", file.subarray(0, 5).toString() === "%PDF-" && sheets > 0, sheets);
    await tab.emulateMedia({ media: "print" });
    expect(name, "it is not printed on white", await paper(tab) === "rgb(255, 255, 255)", await paper(tab));
    expect(name, "controls are printed", await tab.locator("form, #theme, nav").evaluateAll((all) => all.every((one) => !one.checkVisibility())));
  });
}

/** The text of the content, as a reader sees it. */
const content = (tab) => tab.evaluate(() => document.querySelector("main").innerText.replaceAll(/\s+/g, " "));

/** Without scripts, and without styles, all content is there. */
async function checkPlain(name, needed) {
  const bare = `bare-${name}`;
  const text = await readFile(join(folder, name), "utf8");
  await writeFile(join(folder, bare), text.replace(/<style>[^]*?<\/style>/, "").replace(/<script>[^]*?<\/script>/, ""));
  for (const [file, options] of [[name, { javaScriptEnabled: false }], [bare, {}]]) {
    await within(file, options, async (tab) => {
      const shown = await content(tab);
      for (const words of needed) expect(file, `without scripts, it does not show ${words}`, shown.includes(words));
      expect(file, "without scripts, it shows controls that do nothing", await tab.locator("form, #theme").evaluateAll((all) => all.every((one) => !one.checkVisibility())));
    });
  }
}

const POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>\n/;
const UNESCAPED = ["&lt;img src=x onerror=alert(1)&gt;", "<img src=x onerror=alert(1)>"];

/** No name runs: neither because of the policy alone, nor because of the escapes alone. */
async function checkHostile(name) {
  const text = await readFile(join(folder, name), "utf8");
  expect(name, "it has no hostile name", text.includes(UNESCAPED[0]) && POLICY.test(text));
  const policies = { [name]: text, [`open-${name}`]: text.replace(POLICY, "") };
  for (const [file, page] of Object.entries(policies)) {
    await writeFile(join(folder, file), page);
    await within(file, {}, async (tab) => {
      const found = await tab.evaluate(() => [document.scripts.length, document.querySelectorAll("img, iframe, [onerror], [onfocus], [style]").length]);
      expect(file, "a name became markup", found[0] === 1 && found[1] === 0, found);
      for (const field of await tab.locator(".filter input[type=search]").all()) await field.fill("<script>alert(1)</script>");
      const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(file, "a name makes it wider than the window", overflow <= 0, overflow);
    });
  }
  // The check would see a script that runs, and the policy would stop it.
  for (const [policy, expected] of [["open", 1], ["strict", 0]]) {
    const file = `unescaped-${policy}-${name}`;
    const page = policy === "open" ? text.replace(POLICY, "") : text;
    await writeFile(join(folder, file), page.replace(UNESCAPED[0], UNESCAPED[1]));
    const context = await browser.newContext();
    const tab = await context.newPage();
    let dialogs = 0;
    tab.on("dialog", (dialog) => { dialogs += 1; dialog.dismiss(); });
    await tab.goto(address(file));
    expect(file, `without the escapes, ${dialogs} scripts ran`, Math.min(dialogs, 1) === expected);
    await context.close();
  }
}

/** Opens a page some times, and prints the times until it is painted. */
async function measure(name) {
  const times = [];
  // Unlike the time until it is painted, that of the processor says the same on a busy machine.
  const processor = [];
  let nodes = 0;
  for (let round = 0; round < 5; round += 1) {
    await within(name, {}, async (tab, context) => {
      const fresh = await context.newPage();
      const session = await context.newCDPSession(fresh);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      const start = performance.now();
      await fresh.goto(address(name), { waitUntil: "load" });
      await fresh.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      times.push(Math.round(performance.now() - start));
      const { metrics } = await session.send("Performance.getMetrics");
      const metric = (wanted) => metrics.find(({ name }) => name === wanted).value;
      processor.push(Math.round(1000 * metric("TaskDuration")));
      nodes = metric("Nodes");
    });
  }
  const bytes = (await readFile(join(folder, name))).length;
  const shortest = Math.min(...times);
  expect(name, `it has ${nodes} nodes`, nodes > 0 && nodes < MOST_NODES);
  console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB, ${nodes} nodes, open in ${shortest} ms (${times.join(", ")}), ${Math.min(...processor)} ms of the processor (${processor.join(", ")})`);
}

async function checkMany(name, elements, callers) {
  await measure(name);
  await within(name, {}, async (tab) => {
    const count = (selector) => tab.locator(selector).count();
    expect(name, "elements are missing", await count("#elements tbody tr") === elements);
    expect(name, "callers are missing", await count("section.caller") === callers);
    const rows = await count("section.caller tbody tr");
    const uses = await tab.evaluate(() => [...document.querySelectorAll("details.rest p + p")].map((list) => list.textContent.trim().split(/\s+/).length).reduce((a, b) => a + b, 0));
    expect(name, "uses are missing", rows + uses === elements * callers, rows + uses);
    const timed = async (what, act) => {
      const start = performance.now();
      await act();
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return `${what} ${Math.round(performance.now() - start)} ms`;
    };
    const times = [
      await timed("sort", () => tab.locator('.elements th[data-key="uses"] button').click()),
      await timed("filter", () => tab.locator(".filter input[type=search]").fill("resource-42")),
    ];
    const rest = tab.locator("details.rest").first();
    times.push(await timed("open the rest of a caller", () => rest.locator("summary").click()));
    const opened = await rest.locator("tbody tr").count();
    expect(name, "a caller's section does not list its uses", opened + await tab.locator("section.caller >> nth=0 >> tbody tr").count() - opened === elements, opened);
    console.log(`${name}: ${times.join(", ")}`);
  });
}

async function checkMarkup(names) {
  const validator = new HtmlValidate({ extends: ["html-validate:recommended", "html-validate:document"], rules: {
    "long-title": "off", "no-inline-style": "error",
    // The filters apply while the reader types.
    "wcag/h32": "off",
  } });
  const broken = await validator.validateString('<!DOCTYPE html><html lang="en"><head><title>x</title></head><body><p><table></p></body></html>');
  expect("html-validate", "it accepts anything", !broken.valid);
  for (const name of names) {
    const { results } = await validator.validateString(await readFile(join(folder, name), "utf8"));
    for (const { ruleId, message, line, column } of results.flatMap((result) => result.messages).slice(0, 5)) report(name, `${line}:${column}: ${ruleId}: ${message}`);
    checks += 1;
  }
}

async function drawPicture() {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: "light", deviceScaleFactor: 1 });
  const tab = await open(context, "usage.html");
  await tab.screenshot({ path: picture });
  await context.close();
}

const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
const short = names.filter((name) => !name.includes("many"));
if (picture) {
  await drawPicture();
  await browser.close();
  process.exit(faults.length ? 1 : 0);
}
await checkMarkup(short);
for (const name of short) {
  await checkLook(name);
  await checkTheme(name);
  await checkPrint(name);
}
await checkSorting("usage.html");
await checkSorting("usage-hostile.html");
await checkFilters("usage.html", [
  ['[data-test="has"]', "search-page", 1], ['[data-key="verdict"]', "cannot tell", 1], ['[data-key="side"]', "response", 1], ['[data-key="uses"]', "1", 1],
  ['[data-key="share"]', "18.6", 1], ['[data-key="last"]', "2026-10-27", 1], ['[data-key="last"]', "2026-10-28", 0], ['[data-key="left"]', "41", 4], ['[data-key="left"]', "40", 0],
]);
await checkFilters("check-hostile.html", [
  ['[data-key="severity"]', "error", 16], ['[data-key="severity"]', "warning", 0], ['[data-key="place"]', "a.ndjson:15:", 1], ['[data-key="place"]', "%0A.ndjson:1:", 1],
  ['[data-key="group"]', "no such rule", 0], ['[data-test="has"] >> nth=0', "onerror", 1],
]);
await checkGroups("check.html");
await checkCharts("usage.html");
await checkLinks("usage.html", ["c-", "e-"]);
await checkLinks("check.html", ["r-"]);
await checkPlain("usage.html", ["order-legacy-id", "shop-app/2.1", "What was read", "2026-12-31", "in 34 of 183 readable calls"]);
await checkPlain("check.html", ["createannouncement-board-id", "Could not be checked", "What breaks on which day", "still accepted"]);
await checkHostile("usage-hostile.html");
await checkHostile("check-hostile.html");
await checkMany("usage-many.html", 5_000, 200);
await measure("check-many.html");
await browser.close();

if (faults.length) {
  console.error(faults.join("\n"));
  console.error(`${faults.length} faults`);
  process.exit(1);
}
console.log(`the pages: ${checks} checks of ${names.length} pages, no violation of WCAG 2.2 A and AA in light and dark, no request, no error`);
