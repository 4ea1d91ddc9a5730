// Which GPU counters share a chart, by role, and the meaning of the throttle reason bits.
import { bytes, plain, share, short } from "../../words/number";

export interface DeviceGroup {
  readonly title: string;
  readonly roles: readonly string[];
  readonly unit: (value: number | null, digits?: number) => string;
}

export const THROTTLE_ROLE = "gpu_throttle_reasons";

const inUnit = (unit: string) => (value: number | null, digits?: number) => `${plain(value, digits)} ${unit}`;
const inShort = (unit: string) => (value: number | null, digits?: number) => short(value, unit, 1000, digits);

export const DEVICE_GROUPS: readonly DeviceGroup[] = [
  { title: "Activity", unit: share,
    roles: ["gpu_gr_engine_active_ratio", "gpu_sm_active_ratio", "gpu_tensor_active_ratio", "gpu_dram_active_ratio", "gpu_sm_occupancy_ratio",
      "gpu_utilization_ratio"] },
  { title: "Power", unit: inUnit("W"), roles: ["gpu_power_watts", "gpu_power_limit_watts"] },
  { title: "Clocks", unit: inShort("Hz"), roles: ["gpu_sm_clock_hertz", "gpu_memory_clock_hertz", "gpu_graphics_clock_hertz"] },
  { title: "Temperature", unit: inUnit("°C"), roles: ["gpu_temperature_celsius", "gpu_memory_temperature_celsius"] },
  { title: "PCIe and NVLink", unit: inShort("B/s"),
    roles: ["gpu_pcie_rx_bytes_per_second", "gpu_pcie_tx_bytes_per_second", "gpu_pcie_bytes_per_second", "gpu_nvlink_rx_bytes_per_second",
      "gpu_nvlink_tx_bytes_per_second", "gpu_nvlink_bytes_per_second"] },
  { title: "Memory", unit: bytes, roles: ["gpu_memory_used_bytes", "gpu_memory_total_bytes"] },
  { title: "Errors", unit: plain,
    roles: ["gpu_xid", "gpu_ecc_corrected_total", "gpu_ecc_uncorrected_total", "gpu_pcie_replays_total", "gpu_remapped_rows_correctable_total",
      "gpu_remapped_rows_uncorrectable_total"] },
];

export const DEVICE_ROLES: readonly string[] = [...DEVICE_GROUPS.flatMap((group) => group.roles), THROTTLE_ROLE];

// Source: NVML, "nvmlClocksEventReasons".
const THROTTLE_BITS: readonly (readonly [number, string])[] = [
  [0x1, "idle"], [0x2, "clock setting"], [0x4, "power limit"], [0x8, "hardware slowdown"], [0x10, "sync boost"],
  [0x20, "software thermal slowdown"], [0x40, "hardware thermal slowdown"], [0x80, "power brake"], [0x100, "display clock setting"],
];

export const throttleWords = (bits: number): string[] =>
  THROTTLE_BITS.filter(([bit]) => (bits & bit) !== 0).map(([, words]) => words);
