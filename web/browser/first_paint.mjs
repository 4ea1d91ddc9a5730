// How soon the pages show something useful, with the recorded runs: node browser/first_paint.mjs
import { openPage, settled, startChromium } from "./chromium.mjs";
import { startLockstep } from "./lockstep.mjs";

const ROUNDS = 5;
// What one came for, on each page.
const PLACES = { "/": "tbody tr", "/jobs/straggler-gpu": ".late", "/explore?q=sum(DCGM_FI_DEV_POWER_USAGE)": ".u-over", "/status": ".bar-row" };

const server = await startLockstep({ recorded: true });
const browser = await startChromium();
try {
  for (const [place, useful] of Object.entries(PLACES)) {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page, close } = await openPage(browser, server.url);
      const begin = performance.now();
      await page.goto(server.url + place, { waitUntil: "commit" });
      await page.waitForSelector(useful);
      const shown = performance.now() - begin;
      await settled(page);
      times.push([shown, performance.now() - begin]);
      await close();
    }
    times.sort((a, b) => a[0] - b[0]);
    const [shown, whole] = times[Math.floor(ROUNDS / 2)];
    console.log(`${place}: useful after ${Math.round(shown)} ms, complete after ${Math.round(whole)} ms (median of ${ROUNDS}, nothing cached)`);
  }
} finally {
  await browser.close();
  await server.stop();
}
