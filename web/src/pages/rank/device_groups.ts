// Which counters of a GPU are drawn together, and what the bits of its throttle reasons mean.
import { percent, plain, short } from "../../words/number";

export interface DeviceGroup {
  readonly title: string;
  readonly counters: readonly string[];
  readonly unit: (value: number | null) => string;
}

export const THROTTLE_COUNTER = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS";

export const DEVICE_GROUPS: readonly DeviceGroup[] = [
  { title: "Activity", unit: (value) => percent(value, 0),
    counters: ["DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE", "DCGM_FI_PROF_SM_OCCUPANCY"] },
  { title: "Power", unit: (value) => `${plain(value)} W`, counters: ["DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_POWER_MGMT_LIMIT"] },
  { title: "Clocks", unit: (value) => `${plain(value, 4)} MHz`, counters: ["DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_MEM_CLOCK"] },
  { title: "Temperature", unit: (value) => `${plain(value)} °C`, counters: ["DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_MEMORY_TEMP"] },
  { title: "PCIe and NVLink", unit: (value) => short(value, "B/s"),
    counters: ["DCGM_FI_PROF_PCIE_RX_BYTES", "DCGM_FI_PROF_PCIE_TX_BYTES", "DCGM_FI_PROF_NVLINK_RX_BYTES", "DCGM_FI_PROF_NVLINK_TX_BYTES"] },
  { title: "Memory", unit: (value) => short(value === null ? null : value * 1024 * 1024, "B", 1024), counters: ["DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_TOTAL"] },
  { title: "Errors", unit: plain,
    counters: ["DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
      "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"] },
];

// Source: NVML, "nvmlClocksEventReasons".
const THROTTLE_BITS: readonly (readonly [number, string])[] = [
  [0x1, "idleness"], [0x2, "a clock setting"], [0x4, "the power limit"], [0x8, "hardware slowdown"], [0x10, "a sync boost group"],
  [0x20, "heat (software)"], [0x40, "heat (hardware)"], [0x80, "the power brake"], [0x100, "the display's clock setting"],
];

export const throttleWords = (bits: number): string[] =>
  THROTTLE_BITS.filter(([bit]) => (bits & bit) !== 0).map(([, words]) => words);
