import { expect, test } from "vitest";
import type { Role } from "../../server/roles";
import { gpusOf, healthOf } from "./gpus";

const health = (values: Record<string, number>) => healthOf((role) => values[role] ?? NaN).health;

test.each([
  [{ gpu_temperature_celsius: 40, gpu_gr_engine_active_ratio: 0.9 }, "busy"],
  [{ gpu_temperature_celsius: 30, gpu_gr_engine_active_ratio: 0 }, "idle"],
  [{ gpu_utilization_ratio: 0.97 }, "busy"],
  [{ gpu_temperature_celsius: 88, gpu_gr_engine_active_ratio: 0.9 }, "hot"],
  // 0x4, the power cap, is set in all healthy training.
  [{ gpu_throttle_reasons: 0x4, gpu_gr_engine_active_ratio: 0.9 }, "busy"],
  [{ gpu_throttle_reasons: 0x44 }, "throttled"],
  [{ gpu_xid: 79, gpu_temperature_celsius: 90 }, "unhealthy"],
  [{ gpu_ecc_uncorrected_total: 1 }, "unhealthy"],
])("%j is %s", (values, expected) => expect(health(values)).toBe(expected));

const ROLES: readonly Role[] = [{
  role: "gpu_temperature_celsius", scope: "gpu",
  names: ["DCGM_FI_DEV_GPU_TEMP", "dcgm_gpu_temp"].map((metric) => ({ metric, label: "" })),
}];

test("GPUs are sorted by host and slot in natural order", () => {
  const row = (host: string, gpu: string) => ({
    metric: { __name__: "DCGM_FI_DEV_GPU_TEMP", UUID: `${host}/${gpu}`, Hostname: host, gpu },
    value: [0, "40"] as const,
  });
  const gpus = gpusOf([row("node-10", "0"), row("node-2", "11"), row("node-2", "3")], ROLES);
  expect(gpus.map((gpu) => gpu.uuid)).toEqual(["node-2/3", "node-2/11", "node-10/0"]);
});

test("a GPU is recognized by other exporters' metric names and labels", () => {
  const row = { metric: { __name__: "dcgm_gpu_temp", uuid: "GPU-1", hostname: "n", gpu: "3" }, value: [0, "91"] as const };
  expect(gpusOf([row], ROLES)).toMatchObject([{ uuid: "GPU-1", host: "n", gpu: "3", health: "hot" }]);
});
