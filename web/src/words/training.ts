// Display names for the server's verdicts, causes, bins and classes.

const WORDS: Readonly<Record<string, string>> = {
  slow_rank: "slow rank",
  uneven_work: "uneven work",
  stage_imbalance: "stage imbalance",
  job_slow_all: "whole job slower",
  none: "no straggler",
  undersampled: "undersampled",
  no_data: "not enough data",
  loader: "data loader",
  h2d: "host-to-device copies",
  h2d_seconds: "host-to-device copies",
  loader_seconds: "data loader",
  gpu_seconds: "GPU work",
  other_seconds: "other work",
  own_time_excess: "excess own time",
  gpu: "GPU",
  more_work: "GPU does more work",
  throttled: "throttled",
  power_capped: "at its power cap",
  power_braked: "power brake",
  clocks: "low clocks",
  memory_temperature: "hot memory",
  unhealthy: "unhealthy",
  collective_waits: "collective wait times",
  phase_times: "phase times",
  own_time: "own time",
  device_counters: "device counters",
  step_time: "step time",
  idle: "idle",
  input_bound: "input-bound",
  fake_load: "busy without useful work",
  waiting: "waiting for peers",
  communication_bound: "communication-bound",
  memory_bound: "memory-bound",
  latency_bound: "memory-latency-bound",
  launch_bound: "launch-bound",
  hanging: "hang",
  not_reporting: "rank not reporting",
  diverged: "loss is NaN",
  failing_device: "failing device",
  slower: "slower than before",
  memory_leak: "memory leak",
  host_stall: "waiting for the host",
  input_stall: "input stall",
  compute_bound: "compute-bound",
  unknown: "unknown",
  productive: "productive",
  straggler_wait: "waiting for the slowest rank",
  data_stall: "waiting for data",
  communication_exposed: "exposed communication",
  recomputed: "recomputed",
  recovery: "recovery",
  start_up: "start-up",
  idle_held: "allocated but idle",
  step_seconds: "step time",
  own_seconds: "own time", nic_received_bytes_per_second: "network: received", nic_sent_bytes_per_second: "network: sent",
  lateness: "lateness",
  grad_norm: "gradient norm",
  memory_allocated_bytes: "memory allocated",
  ecc: "ECC errors",
  xid: "XID error",
  nan: "not a number",
};

export function word(name: string): string {
  const known = WORDS[name];
  if (known) return known;
  if (name.startsWith("phase:")) return `phase: ${name.slice(6)}`;
  return /^[a-z0-9_]+$/.test(name) ? name.replaceAll("_", " ") : name;
}

export type Tone = "good" | "warn" | "bad" | "calm";

const BAD = new Set(["hanging", "not_reporting", "diverged", "failing_device", "slow_rank", "crashed", "stalled", "hang", "nan", "xid", "ecc", "row_remap", "fake_load", "firing"]);
const WARN = new Set([
  "uneven_work", "stage_imbalance", "job_slow_all", "input_bound", "communication_bound", "loss_spike", "grad_spike",
  "memory_leak", "network", "slower", "memory_bound", "latency_bound", "launch_bound", "throttled", "power_braked", "stall", "saw_tooth_power", "pending", "idle", "undersampled",
]);
// "No straggler" is not good by itself: such a job may still do nothing.
const GOOD = new Set(["running", "compute_bound", "healthy", "up", "productive"]);

export function toneOf(name: string): Tone {
  if (BAD.has(name)) return "bad";
  if (WARN.has(name)) return "warn";
  return GOOD.has(name) ? "good" : "calm";
}
