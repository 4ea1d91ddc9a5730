// Runs a lockstep server for a test, optionally with the recorded runs of demo/data.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const WORKLOADS = path.join(ROOT, "tests/training/data/workloads");
const RECORDING = path.join(ROOT, "demo/data/metrics.om.gz");
const READY = /lockstep is ready on (http:\/\/[0-9.]+:[0-9]+)/;

function program() {
  const named = process.env.LOCKSTEP_PROGRAM;
  if (!named) throw new Error("LOCKSTEP_PROGRAM is not set");
  return path.resolve(named);
}

// The address in the server's ready message.
function addressOf(child) {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (piece) => {
      said += piece;
      const match = READY.exec(said);
      if (match) resolve(match[1]);
    });
    child.stderr.on("data", (piece) => (said += piece));
    child.on("exit", (code) => reject(new Error(`lockstep ended (${code}) while starting: ${said}`)));
  });
}

async function configWith(folder, rules, more) {
  const config = path.join(folder, "lockstep.yml");
  await writeFile(path.join(folder, "rules.yml"), rules);
  await writeFile(config, `rule_files: [rules.yml]\n${more}`);
  return config;
}

// A port without a listener.
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// Starts a server on an empty folder and returns { url, stop }. `recorded` loads the recorded runs,
// `rules` is the text of a rule file, and `config` is appended to the configuration.
export async function startLockstep({ recorded, rules = null, config = "", port = 0, flags = [] }) {
  const folder = await mkdtemp(path.join(tmpdir(), "lockstep-page-"));
  const child = spawn(program(), [
    "serve", "--http", `127.0.0.1:${port}`, "--data", path.join(folder, "data"),
    // The recording keeps its original timestamps, so retention must not drop it.
    "--storage.retention.time", "100y",
    ...(rules ? ["--config", await configWith(folder, rules, config)] : []),
    ...flags,
  ]);
  const url = await addressOf(child);
  if (recorded) {
    await promisify(execFile)(program(), ["import", "--to", url, "--format", "openmetrics", RECORDING]);
  }
  const stop = async () => {
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, stop };
}

// Imports `text`, in OpenMetrics format.
export async function importText(url, text) {
  const folder = await mkdtemp(path.join(tmpdir(), "lockstep-import-"));
  const file = path.join(folder, "metrics.om");
  await writeFile(file, text);
  await promisify(execFile)(program(), ["import", "--to", url, "--format", "openmetrics", file]);
  await rm(folder, { recursive: true });
}

// Pushes recordings of many workloads, each on one GPU; their counters have a job label.
export async function pushWorkloads(url) {
  const body = await readFile(path.join(WORKLOADS, "steps.jsonl.gz"));
  const pushed = await fetch(`${url}/api/v1/push/steps`, { method: "POST", body, headers: { "Content-Encoding": "gzip" } });
  if (!pushed.ok) throw new Error(`pushing steps failed with status ${pushed.status}: ${await pushed.text()}`);
  const series = new Map();
  const telemetry = gunzipSync(await readFile(path.join(WORKLOADS, "telemetry.jsonl.gz"))).toString().trim();
  for (const line of telemetry.split("\n")) {
    const { values, ts_ms: at, gpu, rank, UUID, Hostname, modelName, job } = JSON.parse(line);
    const labels = Object.entries({ gpu, rank, UUID, Hostname, modelName, job }).filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}="${value}"`).join(",");
    for (const [name, value] of Object.entries(values)) {
      series.set(name, [...(series.get(name) ?? []), `${name}{${labels}} ${value} ${at / 1000}\n`]);
    }
  }
  await importText(url, `${[...series.values()].flat().join("")}# EOF\n`);
}

const LATE = { rank: 517, from: 24, seconds: 0.03 };
const STEP_MS = 250;
const TOKENS_PER_STEP = 4096;
const BEGIN_MS = 1_795_000_000_000;

// A rank's log line for a step: it works, then waits for the slowest rank. From step `from` on, one
// rank is late.
function madeStep(job, ranks, step, rank) {
  const { rank: late, from, seconds } = LATE;
  const delay = step >= from ? seconds : 0;
  const own = 0.2 + ((rank * 7919 + step * 104_729) % 1000) / 1e6 + (rank === late ? delay : 0);
  const whole = 0.206 + delay;
  return JSON.stringify({
    ts_ms: BEGIN_MS + step * STEP_MS, job, rank, gpu: rank % 8, Hostname: `node-${Math.floor(rank / 8)}`, step, world_size: ranks,
    tokens_per_step: TOKENS_PER_STEP, reduced_train_loss: 2 + 8 / (step + 1),
    "train_step_timing in s": whole, forward_time_s: own * 0.3, backward_time_s: own * 0.7, allreduce_time_s: whole - own,
  });
}

// Pushes a job of many ranks to the server at `url`; returns the late rank's parameters.
export async function pushMadeJob(url, { job, ranks, steps, fromStep = 0 }) {
  for (let step = fromStep; step < steps; step += 1) {
    const lines = Array.from({ length: ranks }, (_, rank) => madeStep(job, ranks, step, rank));
    const response = await fetch(`${url}/api/v1/push/steps`, {
      method: "POST", body: `${lines.join("\n")}\n`, headers: { "X-Lockstep-Stream": `${job}-${step}`, "X-Lockstep-Offset": "0" },
    });
    if (!response.ok) throw new Error(`pushing step ${step} failed with status ${response.status}: ${await response.text()}`);
  }
  return LATE;
}
