import { expect, test } from "vitest";
import { namesPattern, roleOf, roleWords, type Role, type RoleName } from "./roles";

const role = (of: string, names: readonly RoleName[]): Role => ({ role: of, scope: "gpu", names });

const POWER = role("gpu_power_watts", [
  { metric: "DCGM_FI_DEV_POWER_USAGE", label: "" }, { metric: "nv_gpu_power_usage", label: "" }, { metric: "hw_power", label: "hw_type" },
]);
const BUSY = role("gpu_utilization_ratio", [{ metric: "DCGM_FI_DEV_GPU_UTIL", label: "" }]);

test("series are found under every name that needs no label", () => {
  expect(namesPattern([POWER])).toBe("DCGM_FI_DEV_POWER_USAGE|nv_gpu_power_usage");
  expect(roleOf([POWER, BUSY], "nv_gpu_power_usage")?.role.role).toBe("gpu_power_watts");
  expect(roleOf([POWER, BUSY], "hw_power")).toBeNull();
});

test.each([
  ["gpu_sm_active_ratio", "SM active"],
  ["gpu_power_watts", "power"],
  ["gpu_pcie_rx_bytes_per_second", "PCIe RX"],
  ["gpu_ecc_uncorrected_total", "ECC uncorrected"],
  ["gpu_xid", "XID"],
])("%s in words", (of, expected) => expect(roleWords(of)).toBe(expected));
