// The types of PromQL results.

export type Labels = Readonly<Record<string, string>>;
export type Point = readonly [number, string];

export interface HistogramValue {
  readonly count: string;
  readonly sum: string;
  readonly buckets?: readonly (readonly [number, string, string, string])[];
}

export interface VectorRow {
  readonly metric: Labels;
  readonly value?: Point;
  readonly histogram?: readonly [number, HistogramValue];
}

export interface MatrixRow {
  readonly metric: Labels;
  readonly values?: readonly Point[];
  readonly histograms?: readonly (readonly [number, HistogramValue])[];
}

export type QueryResult =
  | { readonly resultType: "vector"; readonly result: readonly VectorRow[] }
  | { readonly resultType: "matrix"; readonly result: readonly MatrixRow[] }
  | { readonly resultType: "scalar"; readonly result: Point }
  | { readonly resultType: "string"; readonly result: Point };

export type MatrixResult = Extract<QueryResult, { resultType: "matrix" }>;
export type VectorResult = Extract<QueryResult, { resultType: "vector" }>;

// Parses Prometheus' spellings "Inf", "-Inf" and "NaN" too.
export function numberOf(text: string): number {
  if (text === "+Inf" || text === "Inf") return Infinity;
  if (text === "-Inf") return -Infinity;
  return Number(text);
}

// The metric name followed by {job="a", rank="1"}.
export function seriesName(labels: Labels): string {
  const { __name__: name = "", ...others } = labels;
  const pairs = Object.entries(others).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  if (pairs.length === 0) return name || "{}";
  return `${name}{${pairs.join(", ")}}`;
}

// A PromQL string literal.
export const quoted = (text: string): string => JSON.stringify(text);

// A step in seconds that yields about `points` points; whole seconds where possible.
export function stepFor(from: number, to: number, points: number): number {
  const step = (to - from) / points;
  return step >= 1 ? Math.ceil(step) : Math.max(0.05, Number(step.toFixed(2)));
}
