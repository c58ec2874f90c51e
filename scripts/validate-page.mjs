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

const faults = [];
let checks = 0;
const report = (page, text) => faults.push(`${page}: ${text}`);
/** Reports a text if something does not hold. */
function expect(page, text, holds, found) {
  checks += 1;
  if (!holds) report(page, found === undefined ? text : `${text}: ${JSON.stringify(found)}`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Opens a page in a fresh tab that reports errors, requests and dialogs, and runs `use` in it. */
async function within(name, { fragment = "", ...options }, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const tab = await context.newPage();
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && report(name, `console: ${message.text()}`));
  tab.on("pageerror", (error) => report(name, `script: ${error.message}`));
  tab.on("request", (request) => !/^(file|data):/.test(request.url()) && report(name, `request: ${request.url()}`));
  tab.on("dialog", (dialog) => { report(name, `a script of an input ran: ${dialog.message()}`); dialog.dismiss(); });
  await tab.goto(`file://${join(folder, name)}${fragment}`);
  await use(tab);
  await context.close();
}

const settle = (tab) => tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const overflow = (tab) => tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const rows = (tab) => tab.locator("#elements tbody tr:not(.detail)").count();
const output = (tab) => tab.locator("#filters output").textContent();
const embedded = (text) => JSON.parse(text.match(/<script type="application\/json" id="report">([^]*?)<\/script>/)[1]);
const reportOf = async (name) => embedded(await readFile(join(folder, name), "utf8"));

/** Accessibility, and no scrolling to the side, with two rows open. */
async function checkLook(name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [400, 800, 1280]) {
      await within(name, { colorScheme, viewport: { width, height: 900 } }, async (tab) => {
        const look = `${colorScheme}, ${width} pixels`;
        for (const opener of (await tab.locator('[aria-expanded="false"]').all()).slice(0, 2).reverse()) await opener.click();
        expect(name, `${look}: wider than the window`, await overflow(tab) <= 0, await overflow(tab));
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

/** What the filters leave, and that the address keeps them. */
async function checkFilters(name, cases) {
  await within(name, {}, async (tab) => {
    const all = await output(tab);
    for (const [field, value, expected] of cases) {
      const input = tab.locator(`#filters [name=${field}]`);
      if (await input.evaluate((element) => element.tagName) === "SELECT") await input.selectOption(value);
      else await input.fill(value);
      await settle(tab);
      const shown = await output(tab);
      expect(name, `${field} = ${value} shows the wrong rows`, shown.startsWith(expected), shown);
      await within(name, { fragment: new URL(tab.url()).hash }, async (again) => expect(name, "a link shows something else", await output(again) === shown, await output(again)));
      await tab.locator("#filters [type=reset]").click();
      expect(name, "clearing does not show all", await output(tab) === all);
    }
    // A bar chooses what ends on its day.
    const bar = tab.locator("#axis .day button").first();
    await bar.click();
    expect(name, "a bar does not choose its day", /only (with|without)/.test(await output(tab)) && await bar.getAttribute("aria-pressed") === "true", await output(tab));
    await tab.keyboard.press("Enter");
    expect(name, "a bar that is chosen again does not show all", await output(tab) === all);
    await tab.locator("#theme").click();
    expect(name, "the button does not change the colours", await tab.locator("html").getAttribute("data-theme") === "dark");
  });
}

/** Every finding is in the list of its element. */
async function checkPlaces(name) {
  const { findings } = await reportOf(name);
  await within(name, {}, async (tab) => {
    let places = 0;
    for (let next = 0; next < await rows(tab); next += 1) {
      await tab.locator("[aria-expanded]").nth(next).click();
      const detail = tab.locator("tr.detail");
      for (const more = detail.locator(".places + button"); await more.isVisible();) await more.click();
      places += await detail.locator(".places > li:not(.head)").count();
      await tab.locator("[aria-expanded]").nth(next).click();
    }
    expect(name, "places are missing", places === findings.length, [places, findings.length]);
  });
}

async function checkPrint(name) {
  await within(name, { colorScheme: "dark" }, async (tab) => {
    const file = await tab.pdf({ format: "A4" });
    expect(name, "it cannot be printed", file.subarray(0, 5).toString() === "%PDF-");
    await tab.emulateMedia({ media: "print" });
    expect(name, "controls are printed", await tab.locator("form, #theme").evaluateAll((all) => all.every((one) => !one.checkVisibility())));
  });
  await within(name, { javaScriptEnabled: false }, async (tab) => {
    expect(name, "without scripts, it does not say why it is empty", (await tab.locator("noscript").innerText()).includes("A script in this page draws the report"));
  });
}

const POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>\n/;

/** No name runs, with the policy and without. */
async function checkHostile(name, parts) {
  const text = await readFile(join(folder, name), "utf8");
  const values = JSON.stringify(embedded(text));
  for (const part of parts) expect(name, "a hostile name is missing", values.includes(part), part);
  await writeFile(join(folder, `open-${name}`), text.replace(POLICY, ""));
  for (const file of [name, `open-${name}`]) {
    await within(file, {}, async (tab) => {
      for (const opener of (await tab.locator('[aria-expanded="false"]').all()).reverse()) await opener.click();
      for (const field of await tab.locator("#filters input").all()) await field.fill("<script>alert(1)</script>");
      await tab.locator("#filters [type=reset]").click();
      const found = await tab.evaluate(() => [document.scripts.length, document.querySelectorAll("img, iframe, [onerror], [onfocus]").length]);
      expect(file, "a name became markup", found[0] === 2 && found[1] === 0, found);
      expect(file, "a name makes it wider than the window", await overflow(tab) <= 0, await overflow(tab));
      const shown = await tab.evaluate(() => document.body.innerText);
      expect(file, "a name changes the direction of text", shown.includes("\\u{202e}") && !shown.includes("\u202e"));
    });
  }
  // These checks would see a script that runs, and the policy stops it.
  for (const [page, expected] of [[text.replace(POLICY, ""), 1], [text, 0]]) {
    await writeFile(join(folder, `broken-${name}`), page.replace("</header>", "</header><img src=x onerror=alert(1)>"));
    const tab = await browser.newPage();
    let dialogs = 0;
    tab.on("dialog", (dialog) => { dialogs += 1; dialog.dismiss(); });
    await tab.goto(`file://${join(folder, `broken-${name}`)}`);
    await tab.waitForTimeout(300);
    expect(name, "markup ran, or the check does not see it", dialogs === expected, dialogs);
    await tab.close();
  }
}

/** Prints the times of a large page. */
async function measure(name) {
  const bytes = (await readFile(join(folder, name))).length;
  const timed = async (act) => {
    const start = performance.now();
    await act();
    return Math.round(performance.now() - start);
  };
  const start = performance.now();
  await within(name, {}, async (tab) => {
    await settle(tab);
    const open = Math.round(performance.now() - start);
    const search = await timed(async () => { await tab.locator("#filters [name=q]").fill("1"); await settle(tab); });
    const day = await timed(async () => { await tab.locator("#axis .day button").first().click(); await settle(tab); });
    expect(name, "it has no rows", await rows(tab) > 0);
    console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB, open in ${open} ms, a search ${search} ms, a day ${day} ms`);
  });
}

/** The page as it is, and as the script draws it. */
async function checkMarkup(names) {
  const validator = new HtmlValidate({ extends: ["html-validate:recommended", "html-validate:document"], rules: {
    "long-title": "off", "no-inline-style": "off", "require-sri": "off", "attribute-empty-style": "off",
    // The filters apply while the reader types, and roles keep the table a table where cells are blocks.
    "wcag/h32": "off", "no-redundant-role": "off", "prefer-native-element": "off",
  } });
  const broken = await validator.validateString('<!DOCTYPE html><html lang="en"><head><title>x</title></head><body><p><table></p></body></html>');
  expect("html-validate", "it accepts anything", !broken.valid);
  for (const name of names) {
    const pages = [await readFile(join(folder, name), "utf8")];
    await within(name, {}, async (tab) => pages.push(`<!DOCTYPE html>\n${await tab.evaluate(() => document.documentElement.outerHTML)}`));
    for (const page of pages) {
      const { results } = await validator.validateString(page);
      for (const { ruleId, message, line, column } of results.flatMap((result) => result.messages).slice(0, 5)) report(name, `${line}:${column}: ${ruleId}: ${message}`);
      checks += 1;
    }
  }
}

const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
const short = names.filter((name) => !name.includes("many"));
if (picture) {
  await within("usage.html", { viewport: { width: 1200, height: 1000 }, colorScheme: "light" }, (tab) => tab.screenshot({ path: picture }));
} else {
  await checkMarkup(short);
  for (const name of short) {
    await checkLook(name);
    await checkPrint(name);
  }
  await checkFilters("usage.html", [
    ["q", "search-page", "1 of 4 elements"], ["state", "cannot-tell", "1 of 4 elements"], ["side", "response", "1 of 4 elements"],
    ["who", "billing", "1 of 4 elements: 9 calls with a use"], ["q", "no such rule", "Nothing passes"],
  ]);
  await checkFilters("check.html", [["state", "note", "Nothing passes"], ["q", "relationType", ""], ["who", "mitmproxy.har", ""]]);
  await checkPlaces("check.html");
  await checkHostile("usage-hostile.html", ["</script>", "<img src=x onerror=alert(1)>", "\u2028"]);
  await checkHostile("check-hostile.html", ["<img src=x onerror=alert(1)>"]);
  for (const name of names.filter((name) => name.includes("many"))) await measure(name);
}
await browser.close();

if (faults.length) {
  console.error(faults.join("\n"));
  console.error(`${faults.length} faults`);
  process.exit(1);
}
if (!picture) console.log(`the pages: ${checks} checks of ${names.length} pages, no violation of WCAG 2.2 A and AA in light and dark, no request, no error`);
