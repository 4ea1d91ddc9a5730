// Between two points of a chart there may be many samples. The server keeps the lowest and highest of
// them (`reduce`), which a chart draws as a band behind the line.
import type { Params } from "./ask";
import type { Labels, MatrixResult, MatrixRow, Point } from "./prometheus";
import { useAnswer } from "./use_answer";

export interface BandedRow extends MatrixRow {
  readonly low?: readonly Point[];
  readonly high?: readonly Point[];
}

const NONE: readonly MatrixRow[] = [];
const REDUCE_LABEL = "__reduce__";
// Samples are rarely closer than this, so that shorter steps lose none.
const SHORTEST_STEP_SECONDS = 2;

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).filter(([name]) => name !== REDUCE_LABEL).sort());
}

// The rows with the extremes of the same series in `reduced`, if it has them.
export function withBands(rows: readonly MatrixRow[], reduced: readonly MatrixRow[]): readonly BandedRow[] {
  const found = new Map<string, { low?: readonly Point[]; high?: readonly Point[] }>();
  for (const row of reduced) {
    const band = found.get(keyOf(row.metric)) ?? {};
    if (row.metric[REDUCE_LABEL] === "min" && row.values) band.low = row.values;
    if (row.metric[REDUCE_LABEL] === "max" && row.values) band.high = row.values;
    found.set(keyOf(row.metric), band);
  }
  return rows.map((row) => ({ ...row, ...found.get(keyOf(row.metric)) }));
}

// The reduced series of a range query, empty until they are known. A chart is complete without its
// bands, so an error leaves it without them.
export function useReduced(params: Params & { readonly step: number }, isWanted: boolean): readonly MatrixRow[] {
  const isAsked = isWanted && params.step >= SHORTEST_STEP_SECONDS;
  const answer = useAnswer<MatrixResult>(isAsked ? "query_range" : null, { ...params, reduce: "min,max" });
  return answer.data?.result ?? NONE;
}
