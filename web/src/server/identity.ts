// Who ran where, when.
import type { Asked } from "./use_answer";

export interface Placement {
  readonly job?: string; // where a GPU was asked for
  readonly attempt: number;
  readonly rank: number;
  readonly host: string;
  readonly gpu: string;
  readonly uuid: string;
  readonly from: number;
  readonly to: number | null; // null: still there
  readonly source: string;
  readonly device_selectors: readonly string[];
}

export interface JobIdentity {
  readonly ranks: readonly Placement[];
}

export interface GpuIdentity {
  readonly jobs: readonly Placement[];
}

export const SOURCES: Readonly<Record<string, string>> = {
  registered: "its launcher", labels: "labels", kubernetes: "pods", presumed: "the order of hosts",
};

// Which series are a device's, by all placements that say so; null while that is being asked. What no placement tells is
// left to `otherwise`.
export function selectorsOf(asked: Asked<unknown>, placements: readonly Placement[], otherwise: readonly string[]): readonly string[] | null {
  if (asked.data === null && asked.error === null) return null;
  const told = [...new Set(placements.flatMap((placement) => placement.device_selectors))];
  return told.length > 0 ? told : otherwise;
}
