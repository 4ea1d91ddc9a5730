// The part of a job that its page shows: all of it, or the zoomed range.
import { useMemo } from "preact/hooks";
import type { Job } from "../../server/training";
import { change } from "../../url/location";

export interface Window {
  readonly start: number; // Unix seconds
  readonly end: number;
  readonly isZoomed: boolean;
  readonly zoom: (from: number, to: number) => void;
  readonly reset: () => void;
}

// Shorter ranges contain no step.
const MIN_SPAN_S = 0.5;

const reset = () => change({ from: null, to: null });

export function useWindow(job: Job | null, params: URLSearchParams): Window | null {
  const [from, to] = [Number(params.get("from")), Number(params.get("to"))];
  return useMemo(() => {
    if (!job) return null;
    const isZoomed = from > 0 && to > from;
    const [start, end] = isZoomed ? [from, to] : [job.from, job.to];
    const zoom = (first: number, last: number) => {
      if (last - first >= MIN_SPAN_S) change({ from: first.toFixed(3), to: last.toFixed(3) });
    };
    return { start, end, isZoomed, zoom, reset };
  }, [job, from, to]);
}
