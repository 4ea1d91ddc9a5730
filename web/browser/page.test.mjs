// What people see of the recorded runs, in a real browser.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { openPage, settled, startChromium } from "./chromium.mjs";
import { startLockstep } from "./lockstep.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PLACES = [
  "/", "/jobs/straggler-gpu", "/jobs/straggler-gpu?axis=time", "/jobs/straggler-gpu/ranks/2", "/compare?runs=pretrain-bf16,loss-spike",
  "/explore?q=avg by (job) (DCGM_FI_PROF_SM_ACTIVE)", "/explore?q=sum(DCGM_FI_DEV_POWER_USAGE)&view=table", "/alerts", "/status",
];

let server;
let browser;

before(async () => {
  [server, browser] = await Promise.all([startLockstep({ recorded: true }), startChromium()]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

// A page for the time of `use`; nothing may have gone wrong on it.
async function withPage(options, use) {
  const opened = await openPage(browser, server.url, options);
  try {
    await use(opened);
    assert.deepEqual(opened.complaints, []);
  } finally {
    await opened.close();
  }
}

test("the planted stragglers are found in two clicks from the front page", async () => {
  const planted = { "straggler-gpu": [2, "GPU"], "straggler-loader": [1, "data loader"], "straggler-pcie": [3, "host-to-device copies"] };
  await withPage({}, async ({ page, visit }) => {
    for (const [job, [rank, cause]] of Object.entries(planted)) {
      await visit("/");
      const row = page.getByRole("row", { name: job });
      assert.match(await row.innerText(), new RegExp(`rank ${rank}: ${cause}`));
      await page.getByRole("link", { name: job, exact: true }).click();
      await settled(page);
      const card = page.getByRole("region", { name: "Stragglers" });
      assert.match(await card.innerText(), new RegExp(`Rank ${rank}\\b`));
      assert.match(await card.innerText(), new RegExp(`Cause: ${cause}`));
      await card.getByRole("link", { name: `Rank ${rank}` }).click();
      await settled(page);
      assert.equal(await page.locator("h1").innerText(), `Rank ${rank}`);
      assert.match(await page.locator("main").innerText(), /It holds the job back/);
    }
  });
});

test("the front page names every job and GPU of the recording", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/");
    const jobs = page.getByRole("region", { name: "Jobs" }).first();
    for (const job of ["pretrain-bf16", "memory-bound-stream", "hang", "memory-leak"]) assert.match(await jobs.innerText(), new RegExp(job));
    assert.equal(await page.locator(".gpus a.gpu").count(), 4);
  });
});

test("the address keeps what is shown, and the browser's buttons go back", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/");
    await page.getByRole("searchbox", { name: "Search jobs" }).fill("straggler");
    await page.waitForURL(/search=straggler/);
    await page.reload();
    await settled(page);
    assert.equal(await page.locator("tbody tr").count(), 3);
    await page.getByRole("link", { name: "straggler-gpu" }).click();
    await settled(page);
    await page.getByRole("button", { name: "Time" }).click();
    await page.waitForURL(/jobs\/straggler-gpu\?axis=time/);
    await page.goBack();
    await settled(page);
    assert.equal(await page.locator("h1").innerText(), "Fleet");
  });
});

test("keys go everywhere, and ? tells which", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/");
    await page.keyboard.press("?");
    assert.equal(await page.getByRole("dialog", { name: "Keys" }).isVisible(), true);
    await page.keyboard.press("Escape");
    for (const [keys, title] of [["gs", "Status"], ["ga", "Alerts and rules"], ["gc", "Compare"], ["ge", "Explore"], ["gf", "Fleet"]]) {
      await page.keyboard.press(keys[0]);
      await page.keyboard.press(keys[1]);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    }
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Search jobs");
  });
});

test("the editor completes names of the server, and runs what was typed", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/explore");
    await page.locator(".cm-content").click();
    await page.keyboard.type("DCGM_FI_DEV_POW");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "DCGM_FI_DEV_POWER_USAGE" }).first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("count(count by (UUID) (DCGM_FI_DEV_POWER_USAGE");
    await page.keyboard.press("ControlOrMeta+Enter");
    await settled(page);
    await page.getByRole("button", { name: "Table" }).click();
    await settled(page);
    await page.waitForURL(/q=count/);
    assert.match(await page.getByRole("region", { name: "The query's answer" }).innerText(), /\t4$/);
  });
});

test("a wrong query says what is wrong", async () => {
  const isRefusal = (words) => words.includes("status of 400");
  await withPage({ expects: isRefusal }, async ({ page, visit }) => {
    await visit("/explore?q=sum(&view=table");
    assert.match(await page.getByRole("alert").innerText(), /parse error/);
  });
});

test("pages keep the rules of accessibility, dark and light", async () => {
  for (const colours of ["dark", "light"]) {
    await withPage({ colours }, async ({ page, visit }) => {
      for (const place of PLACES) {
        await visit(place);
        // Evaluated by the debugger, which the security policy does not bind.
        await page.evaluate(await import("node:fs").then((fs) => fs.readFileSync(AXE, "utf8")));
        const findings = await page.evaluate(async () => (await globalThis.axe.run()).violations);
        const serious = findings.filter((finding) => ["serious", "critical"].includes(finding.impact))
          .map((finding) => `${finding.id}: ${finding.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
        assert.deepEqual(serious, [], `${place}, ${colours}`);
      }
    });
  }
});

test("nothing is wider than a phone", async () => {
  await withPage({ width: 390, height: 844 }, async ({ page, visit }) => {
    for (const place of PLACES) {
      await visit(place);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${place} is ${width} wide`);
    }
  });
});

test("an empty server says how to send it data", async () => {
  const empty = await startLockstep({ recorded: false });
  try {
    const { page, complaints, visit, close } = await openPage(browser, empty.url);
    await visit("/");
    assert.match(await page.locator("main").innerText(), /Nothing has been sent to this server yet/);
    assert.match(await page.locator("main").innerText(), /remote_write/);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await empty.stop();
  }
});
