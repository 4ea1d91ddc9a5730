// Selects the page's time range.
import { change } from "../url/location";
import { asParams, moved, zoomed, type TimeRange } from "../url/time_range";
import type { KnownRange } from "../url/use_range";
import { ago, span } from "../words/moment";

const SPANS = ["5m", "15m", "1h", "6h", "1d", "7d", "30d"] as const;

export const showRange = (range: TimeRange): void => change({ ...asParams(range), span: null });
export const moveRange = (range: TimeRange, share: number): void => showRange(moved(range, share));
export const zoomRange = (range: TimeRange, factor: number): void => showRange(zoomed(range, factor));

export function RangePicker({ range, params }: { range: KnownRange; params: URLSearchParams }) {
  const isFixed = params.has("from") || params.has("to");
  const chosen = isFixed ? "" : (params.get("span") ?? "1h");
  const isOld = !isFixed && range.newest !== null && range.to === range.newest;
  return (
    <div class="range">
      <button type="button" aria-label="Earlier" title="Earlier ([)" onClick={() => moveRange(range, -0.5)}>‹</button>
      <select aria-label="Time range" value={chosen}
              onChange={(event) => change({ span: event.currentTarget.value, from: null, to: null })}>
        {isFixed && <option value="">{span(range.from, range.to)}</option>}
        {SPANS.map((name) => <option key={name} value={name}>last {name}</option>)}
      </select>
      <button type="button" aria-label="Later" title="Later (])" onClick={() => moveRange(range, 0.5)}>›</button>
      {isOld && <span class="note" title={span(range.from, range.to)}>last sample {ago(range.to)}</span>}
    </div>
  );
}
