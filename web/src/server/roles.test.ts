import { expect, test } from "vitest";
import { inUnitOf, namesPattern, roleOf, roleWords, type Role, type RoleName } from "./roles";

const name = (metric: string, more: Partial<RoleName> = {}): RoleName =>
  ({ metric, factor: 1, stored: "gauge", part: "", label: "", label_value: "", ...more });
const role = (of: string, names: readonly RoleName[], kind: Role["kind"] = "gauge"): Role =>
  ({ role: of, unit: "", scope: "gpu", kind, help: "", names });

const POWER = role("gpu_power_watts", [name("DCGM_FI_DEV_POWER_USAGE"), name("nv_gpu_power_usage"), name("hw_power", { label: "hw_type" })]);
const BUSY = role("gpu_utilization_ratio", [name("DCGM_FI_DEV_GPU_UTIL", { factor: 0.01 }), name("UTIL_RATIO", { stored: "percent_or_ratio" })]);

test("series are found under every name that needs no label", () => {
  expect(namesPattern([POWER])).toBe("DCGM_FI_DEV_POWER_USAGE|nv_gpu_power_usage");
  expect(roleOf([POWER, BUSY], "nv_gpu_power_usage")?.role.role).toBe("gpu_power_watts");
  expect(roleOf([POWER, BUSY], "hw_power")).toBeNull();
});

const read = (of: RoleName, values: readonly number[], kind: Role["kind"] = "gauge") =>
  inUnitOf(role("r", [of], kind), of, { metric: {}, values: values.map((value, at) => [at * 10, String(value)] as const) })
    .map(([, value]) => value);

test.each([
  ["a percentage", name("a", { factor: 0.01 }), [50, 100], [0.5, 1]],
  ["told by its samples to be one", name("a", { stored: "percent_or_ratio" }), [50, 1], [0.5, 0.01]],
  ["told to be none", name("a", { stored: "percent_or_ratio" }), [0.5, 1], [0.5, 1]],
  ["a counter of what has a rate", name("a", { stored: "counter" }), [0, 100, 300, 10, 30], [10, 20, 2]],
  ["a gauge that might be a counter", name("a", { stored: "gauge_or_counter" }), [5, 3, 7, 8], [5, 3, 7, 8]],
  ["a counter that might be a gauge", name("a", { stored: "gauge_or_counter" }), [0, 10, 20, 30], [1, 1, 1]],
])("%s", (_, of, values, expected) => expect(read(of, values)).toEqual(expected));

test("totals stay totals", () => expect(read(name("a", { stored: "counter" }), [1, 1, 3], "total")).toEqual([1, 1, 3]));

test.each([
  ["gpu_sm_active_ratio", "SM active"],
  ["gpu_power_watts", "power"],
  ["gpu_pcie_rx_bytes_per_second", "PCIe RX"],
  ["gpu_ecc_uncorrected_total", "ECC uncorrected"],
  ["gpu_xid", "XID"],
])("%s in words", (of, expected) => expect(roleWords(of)).toBe(expected));
