// Reduces a heat map's rows and columns to those that fit on the screen. Outliers survive: a cell
// shows the value in its area that is furthest from the overall median.

export type Rows = readonly (readonly (number | null)[])[];

export function extremes(rows: Rows): { low: number; high: number } | null {
  let low = Infinity;
  let high = -Infinity;
  for (const row of rows) {
    for (const value of row) {
      if (value === null || !Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? { low, high } : null;
}

// A typed array sorts half a million numbers ten times faster than a plain array.
function sortedNumbers(rows: Rows): Float64Array {
  const all = new Float64Array(rows.reduce((sum, row) => sum + row.length, 0));
  let known = 0;
  for (const row of rows) {
    for (const value of row) {
      if (value === null || !Number.isFinite(value)) continue;
      all[known] = value;
      known += 1;
    }
  }
  return all.subarray(0, known).sort();
}

const within = (sorted: Float64Array, share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;

// The value below which `share` of all numbers lie; null without numbers.
export const quantile = (rows: Rows, share: number): number | null => within(sortedNumbers(rows), share);

// The scale extends at most this many times the 1st-to-99th percentile range beyond it.
const FARTHEST = 20;

// A scale that shows one late rank among a thousand, and that a single absurd value does not
// flatten.
export function colourSpan(rows: Rows): { low: number; high: number } | null {
  const all = extremes(rows);
  if (!all) return null;
  const sorted = sortedNumbers(rows);
  const low = within(sorted, 0.01) as number;
  const high = within(sorted, 0.99) as number;
  const room = FARTHEST * (high - low);
  return room > 0 ? { low: Math.max(all.low, low - room), high: Math.min(all.high, high + room) } : all;
}

function furthest(rows: Rows, middle: number, y0: number, y1: number, x0: number, x1: number): number | null {
  let best: number | null = null;
  for (let y = y0; y < y1; y += 1) {
    const row = rows[y] as readonly (number | null)[];
    for (let x = x0; x < x1; x += 1) {
      const value = row[x] ?? null;
      if (value === null || !Number.isFinite(value)) continue;
      if (best === null || Math.abs(value - middle) > Math.abs(best - middle)) best = value;
    }
  }
  return best;
}

export function reduced(rows: Rows, maxRows: number, maxColumns: number): Rows {
  const height = rows.length;
  const width = rows[0]?.length ?? 0;
  if (height <= maxRows && width <= maxColumns) return rows;
  const middle = quantile(rows, 0.5) ?? 0;
  const [outRows, outColumns] = [Math.min(height, maxRows), Math.min(width, maxColumns)];
  const edge = (at: number, out: number, all: number) => Math.floor((at * all) / out);
  return Array.from({ length: outRows }, (_, y) =>
    Array.from({ length: outColumns }, (__, x) =>
      furthest(rows, middle, edge(y, outRows, height), edge(y + 1, outRows, height),
               edge(x, outColumns, width), edge(x + 1, outColumns, width))));
}
