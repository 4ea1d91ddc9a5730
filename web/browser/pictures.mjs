// Takes pictures of the page with the recorded runs:
//   node browser/pictures.mjs FOLDER [NAMES]   full pages, all or NAMES; dark, light and phone
//   node browser/pictures.mjs --docs           the pictures in ../docs/pictures
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { openPage, settled, startChromium } from "./chromium.mjs";
import { startLockstep } from "./lockstep.mjs";

const PAGES = {
  fleet: "/", job: "/jobs/straggler-gpu", rank: "/jobs/straggler-gpu/ranks/2", explore: "/explore?q=avg by (job, phase) (train_phase_seconds)&span=15m",
  explain: "/explore?q=avg by (job, phase) (train_phase_seconds)&span=15m&view=explain",
  compare: "/compare?runs=pretrain-bf16,loss-spike", alerts: "/alerts", status: "/status",
};
const LOOKS = {
  dark: { colours: "dark" }, light: { colours: "light" }, phone: { colours: "dark", width: 390, height: 844 },
};

// The documentation's pictures: the upper part of a page, in the dark and light themes.
const DOCS = [
  ["fleet-light", "/", { colours: "light", width: 1280, height: 860 }],
  ["fleet-dark", "/", { colours: "dark", width: 1280, height: 860 }],
  ["job-dark", "/jobs/straggler-gpu", { colours: "dark", width: 1280, height: 1040 }],
  ["job-light", "/jobs/straggler-gpu", { colours: "light", width: 1280, height: 1040 }],
  ["explore-dark", "/explore?q=sum by (job) (last_over_time(DCGM_FI_DEV_POWER_USAGE[5s]))&span=15m", { colours: "dark", width: 1280, height: 720 }],
  ["explore-light", "/explore?q=sum by (job) (last_over_time(DCGM_FI_DEV_POWER_USAGE[5s]))&span=15m", { colours: "light", width: 1280, height: 720 }],
];
const DOCS_FOLDER = new URL("../../docs/pictures/", import.meta.url).pathname;

async function picturesOfDocs(browser, url) {
  for (const [name, place, options] of DOCS) {
    const { page, visit, close } = await openPage(browser, url, options);
    await visit(place);
    // The editor loads after the result.
    if (place.startsWith("/explore")) await page.locator(".cm-content").waitFor();
    await page.screenshot({ path: path.join(DOCS_FOLDER, `${name}.png`) });
    await close();
  }
}

const [folder = "pictures", only] = process.argv.slice(2);
const isForDocs = folder === "--docs";
if (!isForDocs) await mkdir(folder, { recursive: true });
const server = await startLockstep({ recorded: true });
const browser = await startChromium();
try {
  if (isForDocs) await picturesOfDocs(browser, server.url);
  for (const [look, options] of isForDocs ? [] : Object.entries(LOOKS)) {
    const { page, complaints, visit, close } = await openPage(browser, server.url, options);
    for (const [name, place] of Object.entries(PAGES)) {
      if (only && !only.split(",").includes(name)) continue;
      await visit(place);
      await settled(page);
      await page.screenshot({ path: path.join(folder, `${name}-${look}.png`), fullPage: true });
    }
    for (const complaint of new Set(complaints)) console.log(look, complaint);
    await close();
  }
} finally {
  await browser.close();
  await server.stop();
}
