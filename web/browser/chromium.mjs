// A real, headless Chromium whose pages record everything that goes wrong.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [process.env.LOCKSTEP_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function startChromium() {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("chromium is missing: run './dev setup test'");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

// A page at `url` and its `complaints`: script errors, console errors and warnings, security policy
// violations, and requests to other servers.
export async function openPage(browser, url, { colours = "dark", width = 1440, height = 900, expects = () => false } = {}) {
  const context = await browser.newContext({ colorScheme: colours, viewport: { width, height }, timezoneId: "UTC" });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const words = `${message.text()} (${message.location().url})`;
    if (["error", "warning"].includes(message.type()) && !expects(words)) complaints.push(`console: ${words}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) complaints.push(`request to ${request.url()}`);
  });
  const visit = async (path) => {
    await page.goto(url + path);
    await settled(page);
  };
  return { page, complaints, visit, close: () => context.close() };
}

// Waits until every request of the page is answered and drawn.
export async function settled(page) {
  await page.waitForSelector("main h1, main .notice");
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => document.querySelectorAll(".loading, .stale, .pending").length === 0);
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

// Retries `check` until it passes, because a page shows some answers later than others. On timeout,
// throws the last failure.
export async function eventually(check) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

// Waits until the visible text of `locator` matches `pattern`.
export function shows(locator, pattern) {
  return eventually(async () => assert.match(await locator.innerText(), pattern));
}
