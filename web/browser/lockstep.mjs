// A lockstep server with the recorded runs of demo/data, for as long as a test needs it.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const RECORDING = path.join(ROOT, "demo/data/metrics.om.gz");
const READY = /lockstep is ready on (http:\/\/[0-9.]+:[0-9]+)/;

function program() {
  const named = process.env.LOCKSTEP_PROGRAM;
  if (!named) throw new Error("LOCKSTEP_PROGRAM names no lockstep");
  return path.resolve(named);
}

// The address in what the server says when it is ready.
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

// { url, stop } of a server on an empty folder; `recorded` loads the runs.
export async function startLockstep({ recorded }) {
  const folder = await mkdtemp(path.join(tmpdir(), "lockstep-page-"));
  const child = spawn(program(), [
    "serve", "--http", "127.0.0.1:0", "--data", path.join(folder, "data"),
    // The recording keeps its own dates, so nothing may be too old.
    "--storage.retention.time", "100y",
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
