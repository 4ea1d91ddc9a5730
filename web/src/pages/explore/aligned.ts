// The series of a matrix on one shared list of timestamps, as charts need them.
import type { BandedRow } from "../../server/bands";
import { numberOf, seriesName, type MatrixRow, type Point } from "../../server/prometheus";

export interface AlignedRow {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
}

// For a native histogram, charts show its count.
function pointsOf(row: MatrixRow): readonly Point[] {
  return row.values ?? row.histograms?.map(([time, histogram]) => [time, histogram.count] as const) ?? [];
}

export function aligned(rows: readonly BandedRow[]): { x: number[]; rows: AlignedRow[] } {
  const times = new Set<number>();
  for (const row of rows) for (const [time] of pointsOf(row)) times.add(time);
  const x = [...times].sort((a, b) => a - b);
  const at = new Map(x.map((time, i) => [time, i]));
  const valuesOf = (points: readonly Point[]) => {
    const values: (number | null)[] = new Array<number | null>(x.length).fill(null);
    for (const [time, text] of points) {
      const value = numberOf(text);
      const i = at.get(time);
      if (i !== undefined) values[i] = Number.isFinite(value) ? value : null;
    }
    return values;
  };
  return {
    x,
    rows: rows.map((row) => ({
      name: seriesName(row.metric),
      values: valuesOf(pointsOf(row)),
      ...(row.low && row.high ? { low: valuesOf(row.low), high: valuesOf(row.high) } : {}),
    })),
  };
}
