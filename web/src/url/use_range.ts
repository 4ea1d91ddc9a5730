// The range of the place one is at, with what the store holds as the default.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../server/use_answer";
import type { TsdbStatus } from "../server/status";
import { useTick } from "../server/refresh";
import { usePlace } from "./location";
import { rangeOf, type TimeRange } from "./time_range";

export interface KnownRange extends TimeRange {
  readonly newest: number | null; // Unix seconds of the newest sample
  readonly isKnown: boolean; // false until the store has said what it holds
}

// What useRange() asks.
export const HOLDS = ["status/tsdb", { limit: "1" }] as const;

// Without `isWanted` the server is not asked, for pages that show a time of their own.
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
    // A tick asks for the same range of a later now.
    [text, newest, tick, tsdb.data === null, tsdb.error === null],
  );
}
