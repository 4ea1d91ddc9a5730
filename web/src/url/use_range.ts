// The time range of the current address; its default depends on the store's newest sample.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../server/use_answer";
import type { TsdbStatus } from "../server/status";
import { useTick } from "../server/refresh";
import { usePlace } from "./location";
import { rangeOf, type TimeRange } from "./time_range";

export interface KnownRange extends TimeRange {
  readonly newest: number | null; // Unix seconds of the newest sample
  readonly isKnown: boolean; // false until the server has answered
}

// The request behind useRange().
export const HOLDS = ["status/tsdb", { limit: "1" }] as const;

// Sends no request unless `isWanted`, for pages with a time range of their own.
export function useRange(isWanted: boolean): KnownRange {
  const { params } = usePlace();
  const tick = useTick();
  const tsdb = useAnswer<TsdbStatus>(isWanted ? HOLDS[0] : null, HOLDS[1]);
  const head = tsdb.data?.headStats;
  const newest = head && head.numSeries > 0 ? head.maxTime / 1000 : null;
  const text = params.toString();
  return useMemo(
    () => ({
      ...rangeOf(new URLSearchParams(text), Date.now() / 1000, newest),
      newest,
      isKnown: tsdb.data !== null || tsdb.error !== null,
    }),
    // A refresh recomputes the same range relative to now.
    [text, newest, tick, tsdb.data === null, tsdb.error === null],
  );
}
