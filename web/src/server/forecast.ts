// The answers of /api/v1/training/forecast and /api/v1/fleet/lemons; units as in training.ts.
import type { About } from "./training";

export interface Forecast extends About {
  readonly is_running: boolean;
  readonly as_of: number;
  readonly end: {
    readonly reason: string; // why it is unknown; "" if it is known
    readonly seconds_left: number | null;
    readonly time: number | null;
    readonly earliest_time: number | null;
    readonly latest_time: number | null;
  };
  readonly cost: {
    readonly spent: number | null;
    readonly total: number | null;
    readonly currency: string | null;
  };
}

export interface Lemon {
  readonly kind: "gpu" | "host";
  readonly host: string;
  readonly gpu: string;
  readonly uuid: string;
  readonly jobs: number;
  readonly slowest_in: number;
  readonly late_ratio: number;
  readonly by_chance: number;
  readonly doubt: string;
  readonly sentence: string;
  readonly evidence: readonly { readonly job: string; readonly rank: number; readonly to: number }[]; // latest first
}

export interface Lemons {
  readonly attempts: number;
  readonly gpus_judged: number;
  readonly lemons: readonly Lemon[];
  readonly undecided: readonly Lemon[];
}
