// Measures how soon pages show something useful, with nothing cached:
//   node browser/first_paint.mjs                        the recorded runs
//   node browser/first_paint.mjs URL PATH SELECTOR...   a running server, and what to wait for
// --rounds N before them: how often (default 5). A page is complete when nothing on it is awaited any more.
import { parseArgs } from "node:util";
import { openPage, settled, startChromium } from "./chromium.mjs";
import { startLockstep } from "./lockstep.mjs";

// The useful content of each page.
const PLACES = { "/": "tbody tr", "/jobs/straggler-gpu": ".late", "/explore?q=sum(DCGM_FI_DEV_POWER_USAGE)": ".u-over", "/status": ".bar-row" };

const { values: flags, positionals } = parseArgs({ options: { rounds: { type: "string", default: "5" } }, allowPositionals: true });
const rounds = Number(flags.rounds);
const [url, place, ...selectors] = positionals;
const median = (numbers) => Math.round([...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]);

// Notes, in the page, the first frame with each of `selectors`, and the last one in which something was still awaited.
function watchFrames(selectors) {
  globalThis.firstSeenMs = selectors.map(() => null);
  const watch = () => {
    const isAwaited = document.querySelector(".loading, .stale, .pending") || !document.querySelector("main h1, main .notice");
    if (isAwaited) globalThis.lastAwaitedMs = performance.now();
    selectors.forEach((selector, at) => {
      if (document.querySelector(selector)) globalThis.firstSeenMs[at] ??= performance.now();
    });
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
}

// Milliseconds until each of `selectors` appears, and until everything is drawn.
async function onePaint(browser, base, path, selectors) {
  const { page, close } = await openPage(browser, base);
  await page.addInitScript(watchFrames, selectors);
  await page.goto(base + path, { waitUntil: "commit" });
  for (const selector of selectors) await page.waitForSelector(selector);
  await settled(page);
  const times = await page.evaluate(() => [...globalThis.firstSeenMs, globalThis.lastAwaitedMs]);
  await close();
  return times;
}

async function measure(browser, base, path, selectors) {
  const paints = [];
  for (let round = 0; round < rounds; round += 1) paints.push(await onePaint(browser, base, path, selectors));
  const words = [...selectors, "everything"].map((name, at) => `${name} after ${median(paints.map((times) => times[at]))} ms`);
  console.log(`${path}: ${words.join(", ")} (median of ${rounds})`);
}

const server = url ? { url, stop: async () => {} } : await startLockstep({ recorded: true });
const browser = await startChromium();
try {
  const places = url ? [[place, selectors]] : Object.entries(PLACES).map(([path, useful]) => [path, [useful]]);
  for (const [path, useful] of places) await measure(browser, server.url, path, useful);
} finally {
  await browser.close();
  await server.stop();
}
