// Lets a headless Chromium load the mock service's page, whose script makes the requests, and records a HAR of it.
// Usage: node record_browser.mjs BASE_URL DEAD_URL HAR_FILE embed|omit
// DEAD_URL is a loopback address where nothing listens, for an exchange without an answer.

import { chromium } from "playwright-core";

const [base, dead, harFile, content] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const context = await browser.newContext({ recordHar: { path: harFile, content, mode: "full" } });
const page = await context.newPage();
const plan = content === "omit" ? "few" : "all";
await page.goto(`${base}/console?plan=${plan}&dead=${encodeURIComponent(dead)}`);
await page.waitForFunction(() => document.title !== "console", undefined, { timeout: 60_000 });
const title = await page.title();
const version = browser.version();
await context.close();
await browser.close();
if (title !== "done") throw new Error(`the page ended with: ${title}`);
console.log(`chromium ${version}`);
