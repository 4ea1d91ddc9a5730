// Any metric of every rank, over steps or time.
import { useMemo, useRef, useState } from "preact/hooks";
import { HeatMap } from "../../charts/heat_map";
import { columnsFor, MAX_HEIGHT, type Cell } from "../../charts/heat_map_layout";
import { scaleColour } from "../../charts/palette";
import { colourSpan } from "../../charts/reduce";
import { ScaleKey } from "../../charts/scale_key";
import { useWidth } from "../../charts/use_width";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import type { Align, HeatMap as HeatMapData, Job } from "../../server/training";
import { roleOf, roleWords, useRoles, type Roles } from "../../server/roles";
import { useAnswer } from "../../server/use_answer";
import { change, go, usePlace } from "../../url/location";
import { rankPath } from "../../url/routes";
import { clock } from "../../words/moment";
import { count, withUnit } from "../../words/number";
import { word } from "../../words/training";
import type { Window } from "./window";

// Above this many cells, the server sends only the statistic that is shown, not all four.
const MANY_CELLS = 100_000;
// The role's name, which finds the series of any exporter.
const ACTIVITY = "gpu_sm_active_ratio";
const GRIDS = ["mean", "max", "min", "last"] as const;
type GridName = (typeof GRIDS)[number];

// The metrics on offer with their names. A role's counters appear once, whatever their names.
function offeredOf(metrics: readonly string[], chosen: string, roles: Roles | null): readonly (readonly [string, string])[] {
  const byWords = new Map<string, string>();
  for (const metric of [chosen, ...metrics]) {
    const role = roles && roleOf(roles.roles.filter((candidate) => candidate.scope === "gpu"), metric)?.role;
    const words = role ? `GPU: ${roleWords(role.role)}` : word(metric);
    if (!byWords.has(words)) byWords.set(words, metric);
  }
  return [...byWords].map(([words, metric]) => [metric, words] as const).sort(([, a], [, b]) => a.localeCompare(b));
}

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

// The rank that a cell shows: the outlier where ranks share a row.
function rankOf(data: HeatMapData, cell: Cell): number {
  const first = data.ranks.indexOf(data.rows[cell.row]?.first_rank ?? 0);
  return data.ranks[first + (data.furthest[cell.row]?.[cell.column] ?? 0)] ?? 0;
}

function rowName(data: HeatMapData, index: number): string {
  const row = data.rows[index];
  return row?.device ? `${row.host} ${row.device}` : `rank ${row?.first_rank}`;
}

function cellWords(data: HeatMapData, cell: Cell): string {
  const row = data.rows[cell.row];
  const among = row && row.first_rank < row.last_rank ? ` (outlier among ranks ${row.first_rank} to ${row.last_rank})` : "";
  const numbers = ([["mean", "mean"], ["lowest", "min"], ["highest", "max"], ["last", "last"]] as const)
    .filter(([, name]) => data[name].length > 0)
    .map(([words, name]) => `${words} ${withUnit(data[name][cell.row]?.[cell.column] ?? null, data.unit)}`);
  const who = row?.device ? `${rowName(data, cell.row)} (ranks ${row.first_rank} to ${row.last_rank})` : `rank ${rankOf(data, cell)}${among}`;
  return `${who}, ${placeWords(data, cell.column)}: ${numbers.join(", ")}`;
}

function RankMap({ job, window, data, grid }: { job: Job; window: Window; data: HeatMapData; grid: GridName }) {
  // An answer with only another statistic stays until the requested one arrives.
  const values = data[data[grid].length > 0 ? grid : (GRIDS.find((name) => data[name].length > 0) ?? grid)];
  const spread = useMemo(() => colourSpan(values), [values]);
  const colourOf = useMemo(() => {
    const { low, high } = spread ?? { low: 0, high: 1 };
    return (value: number) => scaleColour(high > low ? (value - low) / (high - low) : 0.5);
  }, [spread]);
  if (!spread) return <Empty title="No values of this metric in this time range.">Choose another metric.</Empty>;
  const brush = (first: number, last: number) => {
    const [begin, end] = [data.bins[first], data.bins[last]];
    if (begin && end) window.zoom(begin.from, end.to);
  };
  return (
    <>
      <HeatMap title={`${word(data.metric)} of ${data.rows[0]?.device ? `${data.rows.length} interfaces` : `${data.ranks.length} ranks`}`} values={values} colourOf={colourOf}
               rowName={(row) => rowName(data, row)} columnName={(column) => columnName(data, column)}
               words={(cell) => cellWords(data, cell)}
               onBrush={brush} onReset={window.reset} onCell={(cell) => go(rankPath(job.job, rankOf(data, cell)))} />
      <ScaleKey low={withUnit(spread.low, data.unit)} high={withUnit(spread.high, data.unit)} />
    </>
  );
}

export function RankHeatMap({ job, window, align }: { job: Job; window: Window; align: Align }) {
  const { params } = usePlace();
  const [grid, setGrid] = useState<GridName>("mean");
  const metric = params.get("metric") ?? (job.signals["steps"] ? "lateness" : ACTIVITY);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const bins = columnsFor(width);
  const answer = useAnswer<HeatMapData>(width > 0 ? "training/heatmap" : null, {
    job: job.job, metric, start: window.start, end: window.end,
    by: align === "time" ? "time" : null,
    bins, rows: MAX_HEIGHT, only: job.ranks.length * bins > MANY_CELLS ? grid : null,
  });
  const roles = useRoles().data;
  const offered = useMemo(() => offeredOf(answer.data?.metrics ?? [], metric, roles), [answer.data, metric, roles]);
  return (
    <Card title="Ranks" note="every rank over time" actions={
      <>
        <select aria-label="Heat map metric" value={metric} onChange={(event) => change({ metric: event.currentTarget.value }, true)}>
          {offered.map(([name, words]) => <option key={name} value={name}>{words}</option>)}
        </select>
        <select aria-label="Statistic per cell" value={grid} onChange={(event) => setGrid(event.currentTarget.value as GridName)}>
          {GRIDS.map((name) => <option key={name}>{name}</option>)}
        </select>
      </>
    }>
      <div ref={box}>
        <Answered answer={answer} height={130}>{(data) => <RankMap job={job} window={window} data={data} grid={grid} />}</Answered>
      </div>
    </Card>
  );
}
