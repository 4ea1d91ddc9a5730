// The series of a matrix on one shared list of timestamps, as charts need them.
import { numberOf, seriesName, type MatrixRow } from "../../server/prometheus";

export interface AlignedRow {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

// For a native histogram, charts show its count.
function pointsOf(row: MatrixRow): readonly (readonly [number, string])[] {
  return row.values ?? row.histograms?.map(([time, histogram]) => [time, histogram.count] as const) ?? [];
}

export function aligned(rows: readonly MatrixRow[]): { x: number[]; rows: AlignedRow[] } {
  const times = new Set<number>();
  for (const row of rows) for (const [time] of pointsOf(row)) times.add(time);
  const x = [...times].sort((a, b) => a - b);
  const at = new Map(x.map((time, i) => [time, i]));
  return {
    x,
    rows: rows.map((row) => {
      const values: (number | null)[] = new Array<number | null>(x.length).fill(null);
      for (const [time, text] of pointsOf(row)) {
        const value = numberOf(text);
        values[at.get(time) as number] = Number.isFinite(value) ? value : null;
      }
      return { name: seriesName(row.metric), values };
    }),
  };
}
