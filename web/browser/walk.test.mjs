// A new user's first five minutes with the recorded runs: from the front page to the slow rank, its
// cause and cost, the query behind it, and two runs side by side. Saves a screenshot of each stop
// in build/web/walk.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, openPage, settled, shows, startChromium } from "./chromium.mjs";
import { startLockstep } from "./lockstep.mjs";

const PICTURES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../build/web/walk");

let server;
let browser;

before(async () => {
  await mkdir(PICTURES, { recursive: true });
  [server, browser] = await Promise.all([startLockstep({ recorded: true }), startChromium()]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

test("a new user finds the straggler with its cause, cost and query, and compares two runs", async () => {
  const { page, complaints, visit, close } = await openPage(browser, server.url);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  let stop = 0;
  const picture = (name) => page.screenshot({ path: path.join(PICTURES, `${(stop += 1)}-${name}.png`), fullPage: true });

  await visit("/");
  await shows(page.getByRole("row", { name: "straggler-gpu" }), /rank 2/);
  await picture("fleet");

  await page.getByRole("link", { name: "straggler-gpu", exact: true }).click();
  await settled(page);
  const card = page.getByRole("region", { name: "Stragglers" });
  await shows(card, /Rank 2\b/);
  await shows(card, /Cause: GPU: .*more work/i);
  await shows(card, /Lost: [0-9.]+ m?s of job time/);
  await shows(card, /Saves at most .* of GPU time/);
  await picture("job");

  const query = 'lockstep_straggler{job="straggler-gpu"} == 1';
  await card.getByRole("button", { name: "Copy" }).click();
  await card.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), query);
  await card.getByRole("link", { name: "Explore" }).click();
  await settled(page);
  assert.equal(new URL(page.url()).searchParams.get("q"), query);
  await shows(page.locator("main"), /rank="2"|cause="gpu"/);
  await picture("explore");

  await page.getByRole("link", { name: "Compare" }).first().click();
  await settled(page);
  for (const run of ["pretrain-bf16", "pretrain-fp8"]) {
    await page.getByRole("button", { name: run, exact: true }).click();
    await settled(page);
  }
  // Medians of the recorded steps: 0.2045 s against 0.2196 s.
  await shows(page.getByRole("row", { name: "pretrain-fp8" }), /93 ?%/);
  await page.getByRole("region", { name: "Loss" }).locator("canvas").first().waitFor();
  await eventually(async () => assert.equal(await page.getByRole("button", { name: "Steps", pressed: true }).count(), 1));
  await picture("compare");

  assert.deepEqual(complaints, []);
  await close();
});
