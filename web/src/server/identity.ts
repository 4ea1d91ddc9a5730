// Which rank ran on which GPU, and when.
import type { AnswerState } from "./use_answer";

export interface Placement {
  readonly job?: string; // only if the request named a GPU
  readonly attempt: number;
  readonly rank: number;
  readonly host: string;
  readonly gpu: string;
  readonly uuid: string;
  readonly from: number;
  readonly to: number | null; // null: still running
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
  registered: "launcher", labels: "labels", kubernetes: "Kubernetes pods", presumed: "host order",
};

// Selectors of a device's series, from its placements; null while the request is pending.
// `otherwise` if no placement has any.
export function selectorsOf(answer: AnswerState<unknown>, placements: readonly Placement[], otherwise: readonly string[]): readonly string[] | null {
  if (answer.data === null && answer.error === null) return null;
  const told = [...new Set(placements.flatMap((placement) => placement.device_selectors))];
  return told.length > 0 ? told : otherwise;
}
