// What users see of the recorded runs, in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { eventually, openPage, settled, shows, startChromium } from "./chromium.mjs";
import { importText, pushMadeJob, startLockstep } from "./lockstep.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PLACES = [
  "/", "/jobs/straggler-gpu", "/jobs/straggler-gpu?axis=time", "/jobs/straggler-gpu/ranks/2", "/compare?runs=pretrain-bf16,loss-spike",
  "/explore?q=avg by (job) (DCGM_FI_PROF_SM_ACTIVE)", "/explore?q=sum(DCGM_FI_DEV_POWER_USAGE)&view=table", "/alerts", "/status",
];

// Fixed to a moment of the recording, so that they hold whenever they are evaluated.
const RULES = `
groups:
  - name: recorded
    interval: 1s
    rules:
      - alert: RankIsLate
        expr: lockstep_straggler{job="straggler-gpu"} @ 1795242190 == 1
        labels: {severity: page}
        annotations:
          summary: 'rank {{ $labels.rank }} holds {{ $labels.job }} back: {{ $labels.cause }}'
          runbook_url: https://runbooks.invalid/late
      - alert: GpuIsWarm
        expr: max by (job, gpu) (DCGM_FI_DEV_GPU_TEMP{job="straggler-gpu", gpu="3"} @ 1795242190) > 50
        for: 2h
        annotations: {description: 'GPU {{ $labels.gpu }} has {{ $value }} °C'}
      - alert: NeverTrue
        expr: vector(1) > 2
      - record: job:power_watts:sum
        expr: sum by (job) (DCGM_FI_DEV_POWER_USAGE)
`;

let server;
let browser;

before(async () => {
  [server, browser] = await Promise.all([startLockstep({ recorded: true }), startChromium()]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

// Opens a page for `use`, then checks that nothing went wrong on it.
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
      await shows(row, new RegExp(`rank ${rank}: ${cause}`));
      await page.getByRole("link", { name: job, exact: true }).click();
      await settled(page);
      const card = page.getByRole("region", { name: "Stragglers" });
      await shows(card, new RegExp(`Rank ${rank}\\b`));
      await shows(card, new RegExp(`Cause: ${cause}`));
      await card.getByRole("link", { name: `Rank ${rank}` }).click();
      await settled(page);
      await shows(page.locator("h1"), new RegExp(`^Rank ${rank}$`));
      await shows(page.locator("main"), /This rank holds the job back/);
    }
  });
});

test("the front page lists every job and GPU of the recording", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/");
    const jobs = page.getByRole("region", { name: "Jobs" }).first();
    for (const job of ["pretrain-bf16", "memory-bound-stream", "hang", "memory-leak"]) await shows(jobs, new RegExp(job));
    await eventually(async () => assert.equal(await page.locator(".gpus a.gpu").count(), 4));
  });
});

test("the address holds the page's state, and the browser's back button works", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/");
    await page.getByRole("searchbox", { name: "Search jobs" }).fill("straggler");
    await page.waitForURL(/search=straggler/);
    await page.reload();
    await settled(page);
    await eventually(async () => assert.equal(await page.locator("tbody tr").count(), 3));
    await page.getByRole("link", { name: "straggler-gpu" }).click();
    await settled(page);
    await page.getByRole("button", { name: "Time" }).click();
    await page.waitForURL(/jobs\/straggler-gpu\?axis=time/);
    await page.goBack();
    await settled(page);
    await shows(page.locator("h1"), /^Fleet$/);
  });
});

test("keyboard shortcuts reach every page, and ? lists them", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    for (const [keys, title] of [["gs", "Status"], ["ga", "Alerts and rules"], ["gc", "Compare"], ["ge", "Explore"], ["gf", "Fleet"]]) {
      await page.keyboard.press(keys[0]);
      await page.keyboard.press(keys[1]);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    }
    await page.keyboard.press("/");
    await page.locator("[aria-label='Search jobs']:focus").waitFor();
  });
});

test("the status page shows the memory held for clients", async () => {
  await withPage({}, async ({ page, visit }) => {
    await visit("/status");
    const memory = page.getByRole("region", { name: "Memory", exact: true });
    await shows(memory, /held for clients, limit [\d.]+ /);
    for (const account of ["decoding", "queries", "scrapes", "series", "caches"]) {
      await memory.getByRole("cell", { name: account, exact: true }).waitFor();
    }
  });
});

test("the editor completes the server's metric names and runs the query", async () => {
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
    await shows(page.getByRole("region", { name: "Query result" }), /\t4$/);
  });
});

test("an invalid query shows its error", async () => {
  const isRefusal = (words) => words.includes("status of 400");
  await withPage({ expects: isRefusal }, async ({ page, visit }) => {
    await visit("/explore?q=sum(&view=table");
    await shows(page.getByRole("alert"), /parse error/);
    const underlined = page.locator(".cm-lintRange-error").first();
    await underlined.waitFor();
    assert.match(await underlined.evaluate((element) => getComputedStyle(element).textDecoration), /underline wavy/);
  });
});

// The page's serious and critical axe findings.
async function seriousFindings(page) {
  // The debugger evaluates this, so the security policy does not block it.
  await page.evaluate(readFileSync(AXE, "utf8"));
  const findings = await page.evaluate(async () => (await globalThis.axe.run()).violations);
  return findings.filter((finding) => ["serious", "critical"].includes(finding.impact))
    .map((finding) => `${finding.id}: ${finding.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
}

test("pages pass the accessibility checks in the dark and light themes", async () => {
  for (const colours of ["dark", "light"]) {
    await withPage({ colours }, async ({ page, visit }) => {
      for (const place of PLACES) {
        await visit(place);
        assert.deepEqual(await seriousFindings(page), [], `${place}, ${colours}`);
      }
    });
  }
});

test("no page is wider than a phone", async () => {
  await withPage({ width: 390, height: 844 }, async ({ page, visit }) => {
    for (const place of PLACES) {
      await visit(place);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${place} is ${width} wide`);
    }
  });
});

test("an empty server explains how to send data", async () => {
  const empty = await startLockstep({ recorded: false });
  try {
    const { page, complaints, visit, close } = await openPage(browser, empty.url);
    await visit("/");
    await shows(page.locator("main"), /This server has not received any data yet/);
    await shows(page.locator("main"), /remote_write/);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await empty.stop();
  }
});

test("one late rank among 1,024 is reported, visible in the heat map, and readable by hovering", async () => {
  const ranks = 1024;
  const own = await startLockstep({ recorded: false });
  try {
    const late = await pushMadeJob(own.url, { job: "wide", ranks, steps: 60 });
    const readsPixels = (words) => words.includes("willReadFrequently");
    const { page, complaints, visit, close } = await openPage(browser, own.url, { expects: readsPixels });
    const answered = page.waitForResponse((response) => response.url().includes("/heatmap"));
    await visit("/jobs/wide");
    await shows(page.getByRole("region", { name: "Stragglers" }), new RegExp(`Rank ${late.rank}\\b`));
    const map = page.getByRole("region", { name: "Ranks", exact: true });
    const canvas = map.getByRole("img");
    await canvas.scrollIntoViewIfNeeded();
    // Only as many rows and columns as the screen has pixels for, and only the statistic shown.
    const picture = (await (await answered).json()).data;
    assert.ok(picture.rows.length <= 420 && picture.mean.length === picture.rows.length && picture.max.length === 0);
    const box = await canvas.boundingBox();
    const row = picture.rows.findIndex(({ last_rank: last }) => last >= late.rank);
    const [left, right] = [0.3, 0.8].map((share) => Math.round(box.width * share));
    const y = Math.floor(((row + 0.5) / picture.rows.length) * 420);
    const bright = (x) => canvas.evaluate((element, at) => {
      const [red, green] = element.getContext("2d").getImageData(at.x, at.y, 1, 1).data;
      return red + green;
    }, { x, y });
    await eventually(async () =>
      assert.ok((await bright(right)) > (await bright(left)) + 150, "the row is not brighter where the rank is late"));
    const readsOut = (pattern) => eventually(async () => {
      await page.mouse.move(box.x + right - 1, box.y + y);
      await page.mouse.move(box.x + right, box.y + y);
      assert.match(await map.locator(".readout").innerText(), pattern);
    });
    await readsOut(new RegExp(`^rank ${late.rank} \\(outlier among ranks .*mean 1\\d\\.\\d %`));
    await map.getByLabel("Statistic per cell").selectOption("max");
    await readsOut(/highest 1\d\.\d %$/);
    await canvas.click({ position: { x: right, y: y + 0.5 } });
    await settled(page);
    await shows(page.locator("h1"), new RegExp(`^Rank ${late.rank}$`));
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});

test("an auto-refreshing page shows the newest step, keeps its scroll position, and waits for a slow server", async () => {
  const own = await startLockstep({ recorded: false });
  try {
    const job = { job: "live", ranks: 2 };
    await pushMadeJob(own.url, { ...job, steps: 30 });
    const { page, complaints, visit, close } = await openPage(browser, own.url, { height: 500 });
    await page.clock.install();
    await visit("/jobs/live");
    await page.getByLabel("Auto-refresh", { exact: true }).selectOption("5s");
    await page.waitForURL(/refresh=5s/);
    await page.evaluate(() => window.scrollTo(0, 300));
    await pushMadeJob(own.url, { ...job, steps: 40, fromStep: 30 });
    await page.clock.fastForward(5000);
    await page.getByText("steps 0 to 39").waitFor();
    await settled(page);
    assert.equal(await page.evaluate(() => window.scrollY), 300);

    const listing = /training\/jobs\?.*exclude_verdicts/;
    let asked = 0;
    const held = [];
    await page.route(listing, (route) => {
      asked += 1;
      held.push(route);
    });
    const isHeld = page.waitForRequest(listing);
    await page.clock.fastForward(5000);
    await isHeld;
    await page.clock.fastForward(5000);
    await page.keyboard.press("r");
    await page.clock.fastForward(5000);
    assert.equal(asked, 1);
    await Promise.all(held.map((route) => route.continue()));
    await page.unroute(listing);
    await settled(page);

    await page.getByRole("link", { name: "Compare" }).first().click();
    await page.waitForURL(/compare\?.*refresh=5s/);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});

// Eight jobs of eight ranks; the ranks' GPUs rotate, and one GPU is late in each job.
async function pushFleet(url, { lemon }) {
  const lines = [];
  const places = [];
  for (let number = 0; number < 8; number += 1) {
    const begin = 1_795_000_000_000 + number * 60_000;
    for (let rank = 0; rank < 8; rank += 1) {
      const gpu = (rank + number) % 8;
      places.push({ job: `fleet-${number}`, rank, host: "node-7", gpu, uuid: `GPU-${gpu}`, from: begin, to: begin + 10_000 });
    }
    for (let step = 0; step < 40; step += 1) {
      for (let rank = 0; rank < 8; rank += 1) {
        const gpu = (rank + number) % 8;
        const own = 0.2 + ((rank * 7919 + step * 104_729 + number * 31) % 1000) / 1e6 + (gpu === lemon ? 0.01 : 0);
        lines.push(JSON.stringify({
          ts_ms: begin + step * 250, job: `fleet-${number}`, rank, step, "train_step_timing in s": 0.22, forward_time_s: own, allreduce_time_s: 0.22 - own,
        }));
      }
    }
  }
  for (const [path, body] of [["training/register", JSON.stringify(places)], ["push/steps", `${lines.join("\n")}\n`]]) {
    const answer = await fetch(`${url}/api/v1/${path}`, { method: "POST", body });
    assert.ok(answer.ok, await answer.text());
  }
}

test("a GPU that is slow in job after job is on the fleet page, and a running job says when it will be done", async () => {
  const own = await startLockstep({ recorded: false });
  try {
    await pushFleet(own.url, { lemon: 3 });
    const now = Date.now();
    const running = Array.from({ length: 60 }, (_, step) => JSON.stringify({
      ts_ms: now + (step - 60) * 1000, job: "running", rank: 0, step, train_planned_steps: 3660, "train_step_timing in s": 1,
    }));
    await fetch(`${own.url}/api/v1/push/steps`, { method: "POST", body: `${running.join("\n")}\n` });
    const { page, complaints, visit, close } = await openPage(browser, own.url);
    await visit("/");
    const card = page.getByRole("region", { name: "Slow in job after job", exact: true });
    await shows(card, /node-7 GPU 3/);
    assert.equal(await card.getByRole("row").count(), 2);
    await visit("/jobs/running");
    await shows(page.locator(".tile", { hasText: "Time left" }), /\b(59 m|1 h)\b.*until \d{4}-\d\d-\d\d/s);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});

test("annotations of a job are among its events, marked as such", async () => {
  const own = await startLockstep({ recorded: false });
  try {
    await pushMadeJob(own.url, { job: "noted", ranks: 2, steps: 30 });
    const { data: { jobs: [job] } } = await (await fetch(`${own.url}/api/v1/training/jobs?job=noted`)).json();
    const noted = [
      { job: "noted", kind: "profile", text: "nsys <of rank 1>", start: job.from + 1, end: job.from + 3, step: 2, labels: { rank: 1 } },
      { job: "noted", text: "new data", time: job.from + 5 },
      { job: "another", text: "not of this job", time: job.from + 5 },
    ];
    const response = await fetch(`${own.url}/api/v1/annotations`, { method: "POST", body: JSON.stringify(noted) });
    assert.equal(response.status, 200);
    const { page, complaints, visit, close } = await openPage(browser, own.url);
    for (const axis of ["step", "time"]) {
      await visit(`/jobs/noted?axis=${axis}`);
      const events = page.getByRole("region", { name: "Events" }).first();
      await shows(events.getByRole("row", { name: "profile (annotation)" }), /2 s\s+2\s+1\s+nsys <of rank 1>/);
      await shows(events.getByRole("row", { name: "note (annotation)" }), /all\s+new data/);
      assert.doesNotMatch(await events.innerText(), /not of this job/);
    }
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});

test("firing and pending alerts show summary, labels and start, and link to their queries", async () => {
  const own = await startLockstep({ recorded: true, rules: RULES });
  try {
    const { page, complaints, visit, close } = await openPage(browser, own.url);
    await visit("/alerts");
    const alerts = page.getByRole("region", { name: "Alerts" }).first();
    // Rules are evaluated each second: refresh until they have been.
    await eventually(async () => {
      await page.keyboard.press("r");
      await settled(page);
      assert.match(await alerts.innerText(), /firing[^]*pending|pending[^]*firing/);
    });
    const firing = alerts.getByRole("row", { name: "RankIsLate" });
    await shows(firing, /^■\s+firing\s+RankIsLate\s+rank 2 holds straggler-gpu back: gpu/);
    await shows(firing, /severity=page/);
    await shows(firing, /(now|ago)\s*$/);
    assert.equal(await firing.getByRole("link", { name: "Runbook" }).getAttribute("href"), "https://runbooks.invalid/late");
    const pending = alerts.getByRole("row", { name: "GpuIsWarm" });
    await shows(pending, /pending\s+GpuIsWarm\s+GPU 3 has \d+ °C/);
    await shows(pending, /of 2 h\s*$/);
    await shows(alerts, /1 firing\s*▲\s+1 pending/);
    const rules = page.getByRole("region", { name: "recorded", exact: true });
    await shows(rules.getByRole("row", { name: "NeverTrue" }), /^.\s+inactive/);
    await shows(rules.getByRole("row", { name: "job:power_watts:sum" }), /^.\s+recording/);
    assert.deepEqual(await seriousFindings(page), []);
    await firing.getByRole("link", { name: "RankIsLate" }).click();
    await settled(page);
    assert.equal(new URL(page.url()).searchParams.get("q"), 'lockstep_straggler{job="straggler-gpu"} @ 1795242190.000 == 1');
    await page.locator(".u-over").waitFor();
    await visit("/");
    await shows(page.locator(".tile", { hasText: "Alerts firing" }), /\b1\b/);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});

test("a GPU is found by other exporters' metric names and labels", async () => {
  const own = await startLockstep({ recorded: false });
  try {
    // Exporters other than dcgm-exporter use lower-case names and another device label.
    const samples = Array.from({ length: 30 }, (_, i) => 1_795_000_000 + i * 10).map((at) => `dcgm_gpu_utilization{uuid="GPU-other",hostname="n7",gpu="5"} 40 ${at}\n`);
    const watts = samples.map((line) => line.replace("dcgm_gpu_utilization", "dcgm_power_usage").replace("} 40", "} 640"));
    await importText(own.url, `# TYPE dcgm_gpu_utilization gauge\n${samples.join("")}# TYPE dcgm_power_usage gauge\n${watts.join("")}# EOF\n`);
    const register = { job: "elsewhere", rank: 3, host: "n7", gpu: 5, uuid: "GPU-other", from: 1_795_000_000, to: 1_795_000_290 };
    const registered = await fetch(`${own.url}/api/v1/training/register`, { method: "POST", body: JSON.stringify(register) });
    assert.equal(registered.status, 200, await registered.text());
    const { page, complaints, visit, close } = await openPage(browser, own.url);
    await visit("/");
    await shows(page.locator(".hosts"), /^n7/);
    await page.getByRole("link", { name: /^n7 GPU 5: busy/ }).click();
    await settled(page);
    const charts = page.getByRole("region", { name: "GPU counters" });
    await shows(charts, /utilization 40 %/);
    await shows(charts, /power 640 W/);
    const history = page.getByRole("region", { name: "Jobs on this GPU" });
    await shows(history, /elsewhere\s+rank 3/);
    await shows(history, /launcher/);
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});

test("the token axis uses the reported tokens, and explains what is missing without them", async () => {
  const own = await startLockstep({ recorded: false });
  try {
    for (const job of ["one", "two"]) await pushMadeJob(own.url, { job, ranks: 2, steps: 30 });
    const { page, complaints, visit, close } = await openPage(browser, own.url);
    await visit("/compare?runs=one,two&axis=tokens");
    // 30 steps of 4,096 tokens.
    await shows(page.getByRole("region", { name: "Loss", exact: true }), /\b(119|123) k tokens\s+one 2\.\d+\s+two 2\.\d+/);
    await visit("/jobs/one?axis=tokens");
    const course = page.getByRole("region", { name: "Training curves" });
    await shows(course, /\b123 k tokens\s+step time/);
    await shows(course, /Tokens\/s/);
    // The log of a trainer that reports only its total tokens.
    const log = readFileSync(new URL("../../tests/training_logs/data/real/hf_trainer/stdout.log", import.meta.url));
    const pushed = await fetch(`${own.url}/api/v1/push/log?job=logged`, { method: "POST", body: log });
    assert.equal(pushed.status, 200);
    for (const place of ["/jobs/logged?axis=tokens", "/compare?runs=logged&axis=tokens"]) {
      await visit(place);
      await shows(page.locator("main"), /Tokens per step are unknown.*\.\s+Report tokens_per_step/);
    }
    assert.deepEqual(complaints, []);
    await close();
  } finally {
    await own.stop();
  }
});
