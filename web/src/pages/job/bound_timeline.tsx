// Each GPU's bottleneck over time.
import { useMemo } from "preact/hooks";
import { HeatMap } from "../../charts/heat_map";
import { CLASS_COLOURS, rgbOf } from "../../charts/palette";
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import type { Bottlenecks, Job } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { go } from "../../url/location";
import { rankPath } from "../../url/routes";
import { clock } from "../../words/moment";
import { percent } from "../../words/number";
import { word } from "../../words/training";
import type { Window } from "./window";

const CLASSES = Object.keys(CLASS_COLOURS);
const COLOURS = CLASSES.map((name) => rgbOf(CLASS_COLOURS[name] as string));
const colourOf = (at: number) => COLOURS[at] ?? ([0, 0, 0] as const);

function Timeline({ job, window, data }: { job: Job; window: Window; data: Bottlenecks }) {
  const values = useMemo(
    () => data.gpus.map((_, row) => data.windows.map((part) => CLASSES.indexOf(part.classes[row] ?? "unknown"))), [data]);
  const present = CLASSES.filter((_, at) => values.some((row) => row.includes(at)));
  if (data.windows.length === 0) {
    return <Empty title="Not enough data.">{data.missing.length > 0 && <>Send {data.missing.join(", ")}.</>}</Empty>;
  }
  const nameOf = (row: number) => (data.gpus[row]?.rank === null ? `GPU ${data.gpus[row]?.gpu}` : `rank ${data.gpus[row]?.rank}`);
  return (
    <>
      <HeatMap title={`Bottlenecks of ${data.gpus.length} GPUs`} values={values} colourOf={colourOf} rowName={nameOf}
               columnName={(column) => clock(data.windows[column]?.from ?? 0)}
               words={(cell, value) => {
                 const part = data.windows[cell.column];
                 return `${nameOf(cell.row)}, ${clock(part?.from ?? 0)} to ${clock(part?.to ?? 0)}: ` +
                   `${word(CLASSES[value ?? -1] ?? "unknown")}, margin ${percent(part?.margins[cell.row], 0)}`;
               }}
               onBrush={(first, last) => window.zoom(data.windows[first]?.from ?? 0, data.windows[last]?.to ?? 0)}
               onReset={window.reset}
               onCell={({ row }) => data.gpus[row]?.rank !== null && go(rankPath(job.job, data.gpus[row]?.rank as number))} />
      <div class="classes">
        {present.map((name) => (
          <span key={name}><span class="swatch" style={{ background: CLASS_COLOURS[name] as string }} aria-hidden="true" />{word(name)}</span>
        ))}
      </div>
      {data.advice && <p class="advice">{data.advice}</p>}
    </>
  );
}

export function BoundTimeline({ job, window }: { job: Job; window: Window }) {
  const answer = useAnswer<Bottlenecks>("training/bottlenecks", { job: job.job, start: window.start, end: window.end });
  return (
    <Card title="Bottlenecks" note={answer.data && <Badge name={answer.data.verdict} />}>
      <Answered answer={answer}>{(data) => <Timeline job={job} window={window} data={data} />}</Answered>
    </Card>
  );
}
