// A page's time range: parameters `from` and `to`, Unix seconds or relative to now ("now-6h"). By
// default it ends at the newest sample, so that a recording is visible.
export interface TimeRange {
  readonly from: number; // Unix seconds
  readonly to: number;
}

export const DEFAULT_SPAN_S = 3600;
// Data up to this old counts as live.
const LIVE_WITHIN_S = 300;

const UNITS_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };

// Unix seconds of "now", "now-90m" or a plain number; null if invalid.
export function momentOf(text: string | null, now: number): number | null {
  if (!text) return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const match = /^now(?:-(\d+)([smhdw]))?$/.exec(text);
  if (!match) return null;
  return now - (match[1] ? Number(match[1]) * (UNITS_S[match[2] ?? "s"] ?? 1) : 0);
}

// `newest` is the time of the newest sample, null if the store is empty or still unknown.
export function rangeOf(params: URLSearchParams, now: number, newest: number | null): TimeRange {
  const span = spanOf(params.get("span")) ?? DEFAULT_SPAN_S;
  const isLive = newest === null || now - newest < LIVE_WITHIN_S;
  const to = momentOf(params.get("to"), now) ?? (isLive ? now : newest);
  const from = momentOf(params.get("from"), now) ?? to - span;
  return from < to ? { from, to } : { from: to - span, to };
}

export function spanOf(text: string | null): number | null {
  const match = /^(\d+)([smhdw])$/.exec(text ?? "");
  return match ? Number(match[1]) * (UNITS_S[match[2] ?? "s"] ?? 1) : null;
}

// Moves the range by a share of its length; positive moves later.
export function moved(range: TimeRange, share: number): TimeRange {
  const by = (range.to - range.from) * share;
  return { from: range.from + by, to: range.to + by };
}

// Zooms around the middle; a factor above one shows more.
export function zoomed(range: TimeRange, factor: number): TimeRange {
  const middle = (range.from + range.to) / 2;
  const half = ((range.to - range.from) * factor) / 2;
  return { from: middle - half, to: middle + half };
}

export function asParams(range: TimeRange): { from: string; to: string } {
  return { from: range.from.toFixed(3), to: range.to.toFixed(3) };
}
