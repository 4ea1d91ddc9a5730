// The numbers on the page are those of the API, rounded as the page rounds, for every recorded job.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, openPage, settled, shows, startChromium } from "./chromium.mjs";
import { pushWorkloads, startLockstep } from "./lockstep.mjs";
import { count, percent, plain, seconds, short, word } from "./page_words.mjs";

const ANSWERS = ["stragglers", "bottlenecks", "mfu", "ledger", "events"];
// Rounding errors of subtractions, and negative zero.
const NOISE = /\de-\d|(^|\s)[-−]0(\.0+)?\s/;

let server;
let browser;
let jobs;

async function ask(what, parameters) {
  const response = await fetch(`${server.url}/api/v1/training/${what}?${new URLSearchParams(parameters)}`);
  assert.equal(response.status, 200, what);
  return (await response.json()).data;
}

async function answersOf(job) {
  const asked = ANSWERS.map((what) => ask(what, { job: job.job, start: job.from, end: job.to }));
  const answers = await Promise.all(asked);
  return Object.fromEntries(ANSWERS.map((what, at) => [what, answers[at]]));
}

before(async () => {
  [server, browser] = await Promise.all([startLockstep({ recorded: true }), startChromium()]);
  await pushWorkloads(server.url);
  ({ jobs } = await ask("jobs", { start: 0 }));
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

// { name: [value, note] } of the visible tiles.
async function tilesOf(page) {
  const tiles = await page.locator(".tile").all();
  const read = tiles.map(async (tile) => {
    const text = async (part) => ((await tile.locator(part).count()) ? tile.locator(part).innerText() : "");
    return [await text(".tile-name"), [await text(".tile-value"), await text(".tile-note")]];
  });
  return Object.fromEntries(await Promise.all(read));
}

function tilesFor({ stragglers, mfu, ledger }) {
  const known = (value, words) => (value === null ? "" : words);
  const lost = stragglers.lost_gpu_seconds;
  const energy = ledger.energy;
  const perGpu = mfu.tokens_per_second === null ? "not reported" : `${short(mfu.tokens_per_second_per_gpu)} per GPU`;
  const speed = mfu.peak && `${plain(mfu.tflops_per_gpu)} of ${plain(mfu.peak.flops / 1e12)} TFLOP/s`;
  return {
    "Step time": [seconds(mfu.step_seconds), "median"],
    "Tokens/s": [short(mfu.tokens_per_second), perGpu],
    MFU: [percent(mfu.mfu), mfu.peak && !mfu.is_above_peak ? speed : mfu.reason],
    Goodput: [percent(ledger.goodput), `${seconds(ledger.gpu_seconds)} of GPU time`],
    [lost > 0 && stragglers.ranks.length === 0 ? "Lost to longer steps" : "Lost to stragglers"]:
      [seconds(lost), lost > 0 ? "GPU time, at most" : "GPU time"],
    "Energy per step": [short(energy?.joules_per_step, "J"), known(energy?.kwh ?? null, `${plain(energy?.kwh)} kWh total`)],
  };
}

async function checkHead(page, job) {
  const words = await page.locator("main").innerText();
  assert.ok(words.includes(job.sentence), `${job.sentence} is missing`);
  assert.doesNotMatch(words, NOISE);
  const badges = await page.locator(".page-head").first().locator(".badge").allInnerTexts();
  assert.deepEqual(badges.map((text) => text.replace(/^\S+\s/, "")), [word(job.state), word(job.verdict)]);
}

// A straggler's cost is the same everywhere on the page.
async function checkStragglers(page, stragglers) {
  const card = await page.getByRole("region", { name: "Stragglers" }).innerText();
  for (const rank of stragglers.ranks) {
    assert.ok(card.includes(`${percent(rank.score)} late`), card);
    assert.ok(card.includes(`Cause: ${word(rank.cause)}`), card);
    assert.ok(card.includes(`Lost: ${seconds(rank.lost_seconds)} of job time.`), card);
  }
  if (stragglers.ranks.length === 0) return;
  const { saved_seconds: saved, saved_gpu_seconds: savedOfGpus } = stragglers.what_if;
  assert.ok(card.includes(`Saves at most ${seconds(saved)} of job time, ${seconds(savedOfGpus)} of GPU time.`), card);
  assert.equal(seconds(saved), seconds(stragglers.ranks[0].lost_seconds));
  assert.deepEqual((await tilesOf(page))["Lost to stragglers"], [seconds(savedOfGpus), "GPU time, at most"]);
}

// Exactly the bins with GPU time, in shares that add up.
async function checkLedger(page, ledger) {
  const card = page.getByRole("region", { name: "GPU-time breakdown" });
  const shown = (await card.locator(".bins > div").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
  const wanted = Object.entries(ledger.bins).filter(([, size]) => size > 0)
    .map(([name, size]) => `${word(name)} ${percent(size / ledger.gpu_seconds)} ${seconds(size)}`);
  assert.deepEqual(shown.sort(), wanted.sort());
  const sum = shown.reduce((total, text) => total + Number(/([\d.]+) %/.exec(text)[1]), 0);
  assert.ok(Math.abs(sum - 100) <= 0.05 * shown.length + 1e-9, `${sum} %`);
  // The time that peers wait for the slowest rank, late or not, differs from a straggler's cost.
  assert.doesNotMatch(shown.join(), /straggler/);
}

test("every job's page shows the API's numbers", async (t) => {
  assert.equal(jobs.length, 27);
  const { page, complaints, visit, close } = await openPage(browser, server.url);
  for (const job of jobs) {
    await t.test(job.job, async () => {
      await visit(`/jobs/${job.job}`);
      const answers = await answersOf(job);
      await eventually(() => checkHead(page, job));
      await eventually(async () => assert.deepEqual(await tilesOf(page), tilesFor(answers)));
      await eventually(() => checkStragglers(page, answers.stragglers));
      await eventually(() => checkLedger(page, answers.ledger));
    });
  }
  assert.deepEqual(complaints, []);
  await close();
});

// Checks a job's row in the front page's table, whose columns are `names`.
async function checkRow(page, names, job, { mfu, ledger, stragglers, bottlenecks }) {
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: job.job, exact: true }) });
  const cells = await row.getByRole("cell").allInnerTexts();
  const said = (name) => cells[names.findIndex((shown) => shown.trim().startsWith(name))]?.trim() ?? "";
  assert.equal(said("MFU"), `${mfu.is_above_peak ? "▲ " : ""}${percent(mfu.mfu)}`, job.job);
  assert.equal(said("Goodput"), percent(ledger.goodput), job.job);
  assert.equal(said("Wasted"), seconds(ledger.wasted_gpu_seconds), job.job);
  assert.equal(said("Step"), seconds(mfu.step_seconds), job.job);
  assert.equal(said("GPUs"), count(job.gpus), job.job);
  assert.equal(said("Bottleneck"), word(bottlenecks.verdict), job.job);
  const [late] = stragglers.ranks;
  const verdict = job.verdict === "slow_rank" ? `rank ${late.rank}: ${word(late.cause)}` : word(job.verdict);
  assert.ok(said("Verdict").includes(verdict), `${job.job}: ${said("Verdict")}, not ${verdict}`);
}

test("the front page shows the same numbers for each job", async () => {
  const { page, complaints, visit, close } = await openPage(browser, server.url, { width: 2400 });
  await visit("/");
  await page.getByRole("button", { name: /^Show all/ }).click();
  await settled(page);
  const table = page.getByRole("table").filter({ has: page.getByRole("link", { name: jobs[0].job, exact: true }) });
  const names = await table.locator("thead th").allInnerTexts();
  for (const job of jobs) {
    const answers = await answersOf(job);
    await eventually(() => checkRow(page, names, job, answers));
  }
  // The recording is days old, so its GPUs' current state is unknown.
  await eventually(async () => assert.match((await tilesOf(page))["GPUs that reported"]?.[1] ?? "", /were busy .* ago$/));
  assert.deepEqual(complaints, []);
  await close();
});

test("an MFU above the peak is always explained", async () => {
  const { page, complaints, visit, close } = await openPage(browser, server.url);
  // Pretends that every answer uses a wrong peak.
  await page.route("**/training/mfu**", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    Object.assign(body.data, { mfu: 1.37, hfu: 1.37, is_above_peak: true, reason: "a share of 137 % is not possible" });
    await route.fulfill({ response: answer, json: body });
  });
  await visit("/jobs/pretrain-bf16");
  const wanted = ["137.0 %", "a share of 137 % is not possible"];
  await eventually(async () => assert.deepEqual((await tilesOf(page)).MFU, wanted));
  await page.unroute("**/training/mfu**");
  // If steps do different amounts of work, short steps would seem fast.
  const lengths = [];
  for (const job of jobs) {
    const { mfu } = await answersOf(job);
    if (!mfu.work_varies) continue;
    lengths.push(job.job);
    await visit(`/jobs/${job.job}`);
    const course = page.getByRole("region", { name: "Training curves" });
    await shows(course, /Steps do different amounts of work/);
    assert.doesNotMatch(await course.innerText(), /Tokens\/s/);
  }
  assert.ok(lengths.includes("wl-29"), lengths.join());
  assert.deepEqual(complaints, []);
  await close();
});
