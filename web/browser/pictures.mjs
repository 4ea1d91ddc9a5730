// Pictures of the page with the recorded runs: node browser/pictures.mjs FOLDER
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

const [folder = "pictures", only] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const server = await startLockstep({ recorded: true });
const browser = await startChromium();
try {
  for (const [look, options] of Object.entries(LOOKS)) {
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
