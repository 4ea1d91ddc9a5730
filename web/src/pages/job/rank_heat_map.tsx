// Any metric of every rank, over steps or time.
import { useMemo, useState } from "preact/hooks";
import { HeatMap } from "../../charts/heat_map";
import type { Cell } from "../../charts/heat_map_layout";
import { scaleColour } from "../../charts/palette";
import { colourSpan } from "../../charts/reduce";
import { ScaleKey } from "../../charts/scale_key";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import type { Align, HeatMap as HeatMapData, Job } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { change, go, usePlace } from "../../url/location";
import { rankPath } from "../../url/routes";
import { clock } from "../../words/moment";
import { count, withUnit } from "../../words/number";
import { word } from "../../words/training";
import type { Window } from "./window";

// Wider answers than the screen has columns would be reduced again here.
const BINS = 400;
const BINS_OF_MANY_RANKS = 200;
const MANY_RANKS = 256;
const USUAL = ["lateness", "own_seconds", "step_seconds", "loss", "grad_norm", "memory_allocated_bytes",
  "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE",
  "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK"];
const GRIDS = ["mean", "max", "min", "last"] as const;
type GridName = (typeof GRIDS)[number];

function placeWords(data: HeatMapData, column: number): string {
  const bin = data.bins[column];
  if (!bin) return "";
  if (data.by === "time" || bin.first_step === null) return clock(bin.from);
  return bin.last_step === bin.first_step ? `step ${count(bin.first_step)}` : `steps ${count(bin.first_step)} to ${count(bin.last_step)}`;
}

function columnName(data: HeatMapData, column: number): string {
  const bin = data.bins[column];
  if (!bin) return "";
  return data.by === "time" || bin.first_step === null ? clock(bin.from) : count(bin.first_step);
}

function Map({ job, window, data, grid }: { job: Job; window: Window; data: HeatMapData; grid: GridName }) {
  const values = data[grid];
  const spread = useMemo(() => colourSpan(values), [values]);
  const colourOf = useMemo(() => {
    const { low, high } = spread ?? { low: 0, high: 1 };
    return (value: number) => scaleColour(high > low ? (value - low) / (high - low) : 0.5);
  }, [spread]);
  if (!spread) return <Empty title="No numbers of that metric in this time.">Choose another metric.</Empty>;
  const words = (cell: Cell) => {
    const of = (name: GridName) => withUnit(data[name][cell.row]?.[cell.column] ?? null, data.unit);
    return `rank ${data.ranks[cell.row]}, ${placeWords(data, cell.column)}: mean ${of("mean")}, lowest ${of("min")}, highest ${of("max")}, last ${of("last")}`;
  };
  const brush = (first: number, last: number) => {
    const [begin, end] = [data.bins[first], data.bins[last]];
    if (begin && end) window.zoom(begin.from, end.to);
  };
  return (
    <>
      <HeatMap title={`${word(data.metric)} of ${data.ranks.length} ranks`} values={values} colourOf={colourOf}
               rowName={(row) => `rank ${data.ranks[row]}`} columnName={(column) => columnName(data, column)} words={words}
               onBrush={brush} onReset={window.reset} onCell={({ row }) => go(rankPath(job.job, data.ranks[row] as number))} />
      <ScaleKey low={withUnit(spread.low, data.unit)} high={withUnit(spread.high, data.unit)} />
    </>
  );
}

export function RankHeatMap({ job, window, align }: { job: Job; window: Window; align: Align }) {
  const { params } = usePlace();
  const [grid, setGrid] = useState<GridName>("mean");
  const metric = params.get("metric") ?? (job.signals["steps"] ? "lateness" : "DCGM_FI_PROF_SM_ACTIVE");
  const asked = useAnswer<HeatMapData>("training/heatmap", {
    job: job.job, metric, start: window.start, end: window.end,
    by: align === "time" || metric.startsWith("DCGM_") ? "time" : "step",
    bins: job.ranks.length > MANY_RANKS ? BINS_OF_MANY_RANKS : BINS,
  });
  const known = asked.data?.metrics?.length ? asked.data.metrics : USUAL;
  const offered = known.includes(metric) ? known : [metric, ...known];
  return (
    <Card title="Ranks" note="every rank, step by step" actions={
      <>
        <select aria-label="Metric of the heat map" value={metric} onChange={(event) => change({ metric: event.currentTarget.value }, true)}>
          {offered.map((name) => <option key={name} value={name}>{word(name)}</option>)}
        </select>
        <select aria-label="Number of a cell" value={grid} onChange={(event) => setGrid(event.currentTarget.value as GridName)}>
          {GRIDS.map((name) => <option key={name}>{name}</option>)}
        </select>
      </>
    }>
      <Answered asked={asked} height={130}>{(data) => <Map job={job} window={window} data={data} grid={grid} />}</Answered>
    </Card>
  );
}
