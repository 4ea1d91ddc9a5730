// The answers of /api/v1/training. Times are Unix seconds, durations seconds, ratios 0..1; unknown
// values are null.
import type { Params } from "./ask";

export interface About {
  readonly job: string;
  readonly attempt?: number;
  readonly from: number;
  readonly to: number;
}

// The data behind an answer.
export interface Confidence {
  readonly steps: number;
  readonly samples: number;
  readonly margin: number | null; // relative change of the deciding number that would flip the answer
  readonly missing: readonly string[];
}

export interface Evidence {
  readonly signal: string;
  readonly value: number | null;
  readonly reference: number | null;
  readonly unit: string;
  readonly words: string;
}

export interface RankPlace {
  readonly rank: number;
  readonly host: string;
  readonly gpu: string;
  readonly uuid: string;
  readonly model: string;
  readonly stage: number | null;
}

export type JobState = "running" | "stalled" | "ended" | "crashed" | "unknown";

export interface Attempt {
  readonly attempt: number;
  readonly from: number;
  readonly to: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
}

export interface Job {
  readonly job: string;
  readonly state: JobState;
  readonly verdict?: string; // absent for the older jobs of a long list
  readonly also?: readonly string[];
  readonly sentence?: string;
  readonly verdict_ranks?: readonly number[];
  readonly verdict_confidence?: Confidence;
  readonly from: number;
  readonly to: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
  readonly world_size: number | null;
  readonly attempts: readonly Attempt[];
  readonly ranks: readonly RankPlace[];
  readonly hosts: readonly string[];
  readonly gpus: number;
  readonly gpu_models: readonly string[];
  readonly parallelism: Readonly<Record<string, number | null>>;
  readonly signals: Readonly<Record<string, boolean>>;
  readonly warnings: readonly string[];
}

export interface Jobs {
  readonly jobs: readonly Job[];
}

// Parameters that find jobs at any time. They stay the same for about a quarter of an hour, so that
// components share the answer.
export const ofAllTime = (job?: string): Params => ({ job, start: 0, end: Math.ceil(Date.now() / 1e6) * 1e3 + 86_400 });

// The same without verdicts, which take the server much longer than the rest.
export const unjudged = (job?: string): Params => ({ ...ofAllTime(job), exclude_verdicts: "true" });

export interface Episode {
  readonly from: number;
  readonly to: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
  readonly is_open: boolean;
}

export interface LateRank extends Episode {
  readonly rank: number;
  readonly host: string;
  readonly gpu: string;
  readonly uuid: string;
  readonly verdict: string;
  readonly cause: string;
  readonly gpu_reason: string;
  readonly score: number | null;
  readonly persistence: number | null;
  readonly episodes: readonly Episode[];
  readonly lost_seconds: number | null;
  readonly evidence: readonly Evidence[];
}

export interface Stragglers extends About {
  readonly method: string;
  readonly verdict: string;
  readonly also: readonly string[];
  readonly ranks: readonly LateRank[];
  readonly slow_since: Episode | null;
  readonly what_if: Readonly<
    Record<"step_seconds" | "step_seconds_now" | "step_seconds_before" | "saved_seconds" | "saved_gpu_seconds", number | null>
  > | null;
  readonly lost_seconds: number | null;
  readonly lost_gpu_seconds: number | null;
  readonly evidence: readonly Evidence[];
  readonly missing: readonly string[];
  readonly methods: readonly { readonly method: string; readonly verdict: string; readonly ranks: readonly number[] }[];
  readonly presets: readonly Preset[];
}

export interface Preset {
  readonly name: string;
  readonly fires: boolean;
  readonly rank: number | null;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly sees: string;
}

export interface GpuBound {
  readonly gpu: string;
  readonly rank: number | null;
  readonly host: string;
  readonly uuid: string;
  readonly class: string;
  readonly host_cause: string;
  readonly margin: number | null;
  readonly share: Readonly<Record<string, number>>;
  readonly evidence: readonly Evidence[];
  readonly advice: string;
  readonly flags: readonly { readonly flag: string; readonly advice: string }[];
}

export interface BoundWindow {
  readonly from: number;
  readonly to: number;
  readonly classes: readonly string[];
  readonly margins: readonly (number | null)[];
}

export interface Bottlenecks extends About {
  readonly verdict: string;
  readonly advice: string;
  readonly gpus: readonly GpuBound[];
  readonly windows: readonly BoundWindow[];
  readonly evidence: readonly Evidence[];
  readonly missing: readonly string[];
}

export interface Mfu extends About {
  readonly mfu: number | null;
  readonly hfu: number | null;
  readonly mbu: number | null;
  readonly mfu_of_wall: number | null;
  readonly is_above_peak: boolean;
  readonly work_varies: boolean; // steps do different amounts of work, so no step is typical
  readonly tflops_per_gpu: number | null;
  readonly step_seconds: number | null;
  readonly tokens_per_second: number | null;
  readonly tokens_per_second_per_gpu: number | null;
  readonly samples_per_second: number | null;
  readonly consumed_tokens: number | null;
  readonly consumed_samples: number | null;
  readonly eta_seconds: number | null;
  readonly convention: string;
  readonly peak: { readonly dtype: string; readonly flops: number; readonly source: string; readonly model: string } | null;
  readonly reason: string;
  readonly ranks: readonly { readonly rank: number; readonly mfu: number | null; readonly tflops_per_gpu: number | null }[];
}

export interface Ledger extends About {
  readonly wall_seconds: number;
  readonly gpus: number;
  readonly gpu_seconds: number;
  readonly bins: Readonly<Record<string, number>>;
  readonly wasted_gpu_seconds: number;
  readonly goodput: number | null;
  readonly ettr: number | null;
  readonly attempts: number;
  readonly energy: {
    readonly joules: number | null;
    readonly joules_per_step: number | null;
    readonly joules_per_token: number | null;
    readonly kwh: number | null;
    readonly is_from_power: boolean;
  } | null;
}

export interface JobEvent {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly step: number | null;
  readonly ranks: readonly number[];
  readonly evidence: readonly Evidence[];
  readonly words: string;
  readonly annotation: Annotation | null; // null: found by the server
}

// What a person or a program noted.
export interface Annotation {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly is_open: boolean;
  readonly tags: readonly string[];
}

export interface Events extends About {
  readonly events: readonly JobEvent[];
}

export type Align = "step" | "tokens" | "time";

export interface RunCurve {
  readonly run: string;
  readonly step_seconds: number | null;
  readonly speed: number | null;
  readonly tokens_per_second: number | null;
  readonly highest_memory_bytes: number | null;
  readonly joules_per_step: number | null;
  readonly joules_per_token: number | null;
  readonly loss: readonly (number | null)[];
  readonly loss_gap: readonly (number | null)[];
  readonly last_gap: number | null;
  readonly parts_at: number | null;
}

export interface Comparison {
  readonly align: Align;
  readonly at: readonly number[];
  readonly runs: readonly RunCurve[];
}

export interface HeatBin {
  readonly from: number;
  readonly to: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
}

export type Grid = readonly (readonly (number | null)[])[];

export interface HeatMap extends About {
  readonly metric: string;
  readonly unit: string;
  readonly by: "time" | "step";
  readonly ranks: readonly number[];
  readonly bins: readonly HeatBin[];
  // Rows with host and device stand for network interfaces, others for ranks.
  readonly rows: readonly { readonly first_rank: number; readonly last_rank: number; readonly host?: string; readonly device?: string }[];
  readonly min: Grid; // these four: empty unless requested
  readonly max: Grid;
  readonly last: Grid;
  readonly mean: Grid;
  readonly count?: Grid; // of values
  readonly furthest: Grid; // index of the outlier rank in its row; empty if each rank has a row
  readonly metrics?: readonly string[];
}

export interface StepsOfAttempt {
  readonly attempt: number;
  readonly first_step: number;
  readonly last_step: number;
  readonly step: readonly number[];
  readonly end: readonly number[];
  readonly step_seconds: readonly (number | null)[];
  readonly behind_seconds: readonly (number | null)[];
  readonly pacing: { readonly median_seconds: number | null; readonly spread_seconds: number | null };
}

export interface Steps extends About {
  readonly attempts: readonly StepsOfAttempt[];
}

export interface Report extends About {
  readonly words: readonly string[];
  readonly summary: Job;
  readonly stragglers: Stragglers;
  readonly bottlenecks: Bottlenecks;
  readonly mfu: Mfu;
  readonly ledger: Ledger;
  readonly events: Events;
}
