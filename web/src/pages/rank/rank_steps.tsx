// The rank's own time in each step, next to its peers'.
import { useMemo } from "preact/hooks";
import { LineChart } from "../../charts/line_chart";
import { seriesColour } from "../../charts/palette";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import type { HeatMap, Job } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { count, seconds } from "../../words/number";
import type { Window } from "../job/window";
import { medianOfOthers } from "./peers";

const BINS = 500;
// The peers' median needs all ranks' values, so jobs with many ranks get fewer bins.
const MOST_CELLS = 200_000;

function Chart({ data, rank, window }: { data: HeatMap; rank: number; window: Window }) {
  const row = data.ranks.indexOf(rank);
  const x = useMemo(() => data.bins.map((bin, at) => bin.first_step ?? at), [data]);
  const lines = useMemo(() => [
    { name: `rank ${rank}`, colour: seriesColour(3), values: data.mean[row] ?? [], width: 2 },
    { name: "median of other ranks", colour: seriesColour(0), values: medianOfOthers(data.mean, row) },
  ], [data, row]);
  if (row < 0) return <Empty title="This rank reports no steps in this time range." />;
  const zoom = (from: number, to: number) => {
    const inside = data.bins.filter((_, at) => (x[at] as number) >= from && (x[at] as number) <= to);
    const [first, last] = [inside[0], inside[inside.length - 1]];
    if (first && last) window.zoom(first.from, last.to);
  };
  return <LineChart title="Own time per step" x={x} lines={lines} height={200} unit={seconds}
                    xWords={(step) => `step ${count(step)}`} onZoom={zoom} onReset={window.reset} />;
}

export function RankSteps({ job, rank, window }: { job: Job; rank: number; window: Window }) {
  const answer = useAnswer<HeatMap>("training/heatmap", {
    job: job.job, metric: "own_seconds", by: "step", only: "mean", start: window.start, end: window.end,
    bins: Math.min(BINS, Math.ceil(MOST_CELLS / job.ranks.length)),
  });
  return (
    <Card title="Own time per step" note="step time minus waiting">
      <Answered answer={answer} height={200}>{(data) => <Chart data={data} rank={rank} window={window} />}</Answered>
    </Card>
  );
}
