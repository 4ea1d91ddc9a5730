import { expect, test } from "vitest";
import { gpusOf, healthOf } from "./gpus";

const health = (values: Record<string, number>) => healthOf((counter) => values[counter] ?? NaN).health;

test.each([
  [{ DCGM_FI_DEV_GPU_TEMP: 40, DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0.9 }, "busy"],
  [{ DCGM_FI_DEV_GPU_TEMP: 30, DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0 }, "idle"],
  [{ DCGM_FI_DEV_GPU_UTIL: 97 }, "busy"],
  [{ DCGM_FI_DEV_GPU_TEMP: 88, DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0.9 }, "hot"],
  // 0x4, the cap on power, is set in all healthy training.
  [{ DCGM_FI_DEV_CLOCK_THROTTLE_REASONS: 0x4, DCGM_FI_PROF_GR_ENGINE_ACTIVE: 0.9 }, "busy"],
  [{ DCGM_FI_DEV_CLOCK_THROTTLE_REASONS: 0x44 }, "throttled"],
  [{ DCGM_FI_DEV_XID_ERRORS: 79, DCGM_FI_DEV_GPU_TEMP: 90 }, "unhealthy"],
  [{ DCGM_FI_DEV_ECC_DBE_VOL_TOTAL: 1 }, "unhealthy"],
])("%j is %s", (values, expected) => expect(health(values)).toBe(expected));

test("GPUs are in the order of hosts and slots, as people count", () => {
  const row = (host: string, gpu: string) => ({
    metric: { __name__: "DCGM_FI_DEV_GPU_TEMP", UUID: `${host}/${gpu}`, Hostname: host, gpu },
    value: [0, "40"] as const,
  });
  const gpus = gpusOf([row("node-10", "0"), row("node-2", "11"), row("node-2", "3")]);
  expect(gpus.map((gpu) => gpu.uuid)).toEqual(["node-2/3", "node-2/11", "node-10/0"]);
});
