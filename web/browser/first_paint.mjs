// Measures how soon pages show something useful, with nothing cached:
//   node browser/first_paint.mjs                        the recorded runs
//   node browser/first_paint.mjs URL PATH SELECTOR...   a running server, and what to wait for
import { openPage, settled, startChromium } from "./chromium.mjs";
import { startLockstep } from "./lockstep.mjs";

const ROUNDS = 5;
// The useful content of each page.
const PLACES = { "/": "tbody tr", "/jobs/straggler-gpu": ".late", "/explore?q=sum(DCGM_FI_DEV_POWER_USAGE)": ".u-over", "/status": ".bar-row" };

const [url, place, ...selectors] = process.argv.slice(2);
const median = (numbers) => Math.round([...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]);

// Milliseconds until each of `selectors` appears, and until everything is drawn.
async function onePaint(browser, base, path, selectors) {
  const { page, close } = await openPage(browser, base);
  const begin = performance.now();
  await page.goto(base + path, { waitUntil: "commit" });
  const times = [];
  for (const selector of selectors) {
    await page.waitForSelector(selector);
    times.push(performance.now() - begin);
  }
  await settled(page);
  times.push(performance.now() - begin);
  await close();
  return times;
}

async function measure(browser, base, path, selectors) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await onePaint(browser, base, path, selectors));
  const words = [...selectors, "everything"].map((name, at) => `${name} after ${median(rounds.map((times) => times[at]))} ms`);
  console.log(`${path}: ${words.join(", ")} (median of ${ROUNDS})`);
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
