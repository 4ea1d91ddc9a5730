// Step time, loss, throughput and MFU on one axis, with events marked.
import { useMemo } from "preact/hooks";
import { pointsOf, positionAt, positionOf, sorted, type StepPoint } from "../../charts/axis";
import { LineChart } from "../../charts/line_chart";
import type { Mark } from "../../charts/marks";
import { seriesColour } from "../../charts/palette";
import { Card } from "../../parts/card";
import { Empty, Failure, Loading } from "../../parts/notice";
import { QueryLine } from "../../parts/query_line";
import { quoted } from "../../server/prometheus";
import type { Align, Comparison, Job, JobEvent, LateRank, Mfu, Steps } from "../../server/training";
import { useAnswer, type AnswerState } from "../../server/use_answer";
import { eventName } from "../../words/event";
import { plain, seconds, share, short } from "../../words/number";
import { toneOf } from "../../words/training";
import type { Window } from "./window";

interface StepChartsProps {
  readonly job: Job;
  readonly window: Window;
  readonly align: Align;
  readonly steps: AnswerState<Steps>;
  readonly mfu: AnswerState<Mfu>;
  readonly events: readonly JobEvent[];
  readonly late: readonly LateRank[];
}

const UNITS: Readonly<Record<Align, (x: number) => string>> = {
  step: (x) => `step ${short(Math.round(x))}`, time: (x) => `after ${seconds(x)}`, tokens: (x) => `${short(x)} tokens`,
};

const perStep = (mfu: Mfu | null, of: number | null): number | null =>
  mfu?.step_seconds && of !== null ? of * mfu.step_seconds : null;

function marksOf(props: StepChartsProps, points: readonly StepPoint[], tokensPerStep: number | null): Mark[] {
  const at = (moment: number) => positionAt(points, moment, props.align, props.job.from, tokensPerStep);
  const marks: Mark[] = [];
  const add = (from: number, to: number, name: string, kind: string) => {
    const [left, right] = [at(from), at(to)];
    if (left !== null && right !== null) marks.push({ from: left, to: right, name, tone: toneOf(kind) });
  };
  for (const rank of props.late) for (const episode of rank.episodes) add(episode.from, episode.to, `rank ${rank.rank} late`, "slow_rank");
  for (const event of props.events) add(event.from, event.to, eventName(event), event.kind);
  // From left to right, so that names find room.
  return marks.sort((a, b) => a.from - b.from);
}

// The first and last moment of a section of the axis.
function momentsOf(points: readonly StepPoint[], positions: readonly number[], from: number, to: number): [number, number] | null {
  const inside = points.filter((_, i) => (positions[i] as number) >= from && (positions[i] as number) <= to);
  const [first, last] = [inside[0], inside[inside.length - 1]];
  return first && last ? [first.end - (first.seconds ?? 0), last.end] : null;
}

function LossChart({ props, marks }: { props: StepChartsProps; marks: readonly Mark[] }) {
  const answer = useAnswer<Comparison>("training/compare", {
    runs: props.job.job, align: props.align, points: 1000, start: props.window.start, end: props.window.end,
  });
  const run = answer.data?.runs[0];
  const lines = useMemo(() => [{ name: "loss", colour: seriesColour(3), values: run?.loss ?? [] }], [run]);
  if (answer.error) return <Failure error={answer.error} />;
  if (!answer.data) return <Loading height={170} />;
  if (!run?.loss.some((value) => value !== null)) return <Empty title="No loss reported." />;
  return <LineChart title="Loss" x={answer.data.at} lines={lines} marks={marks} unit={(value, digits = 4) => plain(value, digits)}
                    xWords={UNITS[props.align]} syncKey={props.job.job} />;
}

function Varying({ job, window }: { job: Job; window: Window }) {
  const range = { from: String(Math.floor(window.start)), to: String(Math.ceil(window.end)) };
  return (
    <>
      <Empty title="Steps do different amounts of work.">The MFU over time is available as a metric.</Empty>
      <QueryLine query={`avg(lockstep_mfu{job=${quoted(job.job)}})`} range={range} />
    </>
  );
}

function Charts(props: StepChartsProps & { data: Steps }) {
  const { data, align, job, window } = props;
  const mfu = props.mfu.data;
  const tokensPerStep = perStep(mfu, mfu?.tokens_per_second ?? null);
  // A step's duration says how fast it was only if all steps do the same work.
  const isEven = !mfu?.work_varies;
  const points = useMemo(() => sorted(pointsOf(data.attempts), align), [data, align]);
  const x = useMemo(() => points.map((point) => positionOf(point, align, job.from, tokensPerStep)), [points, align, tokensPerStep]);
  const marks = useMemo(() => marksOf(props, points, tokensPerStep), [points, props.events, props.late, tokensPerStep]);
  const line = (name: string, at: number, of: (point: StepPoint) => number | null) =>
    [{ name, colour: seriesColour(at), values: points.map(of) }];
  const inverse = (work: number | null) => (point: StepPoint) => (work !== null && point.seconds ? work / point.seconds : null);
  const times = useMemo(() => line("step time", 0, (point) => point.seconds), [points]);
  const tokens = useMemo(() => line("tokens/s", 2, inverse(tokensPerStep)), [points, tokensPerStep]);
  const shares = useMemo(() => line("MFU", 1, inverse(perStep(mfu, mfu?.mfu ?? null))), [points, mfu]);
  if (points.length === 0) return <Empty title="No steps in this time range." />;
  if (align === "tokens" && tokensPerStep === null) {
    return <Empty title="Tokens per step are unknown.">Report <code>tokens_per_step</code>, or use another axis.</Empty>;
  }
  const zoom = (from: number, to: number) => {
    const moments = momentsOf(points, x, from, to);
    if (moments) window.zoom(...moments);
  };
  const shared = { x, marks, xWords: UNITS[align], onZoom: zoom, onReset: window.reset, syncKey: job.job };
  return (
    <div class="grid charts">
      <div><h3>Step time</h3><LineChart title="Step time" lines={times} unit={seconds} {...shared} /></div>
      <div><h3>Loss</h3><LossChart props={props} marks={marks} /></div>
      {tokensPerStep !== null && isEven && (
        <div><h3>Tokens/s</h3>
          <LineChart title="Tokens/s" lines={tokens} unit={(value, digits) => short(value, "", 1000, digits)} {...shared} /></div>
      )}
      <div><h3>MFU</h3>
        {mfu?.mfu && !isEven ? <Varying job={job} window={window} />
          : mfu?.mfu ? <LineChart title="MFU" lines={shares} unit={share} {...shared} />
          : <Empty title="MFU is unknown.">{mfu?.reason}</Empty>}</div>
    </div>
  );
}

export function StepCharts(props: StepChartsProps) {
  return (
    <Card title="Training curves">
      {props.steps.error ? <Failure error={props.steps.error} />
        : props.steps.data ? <Charts {...props} data={props.steps.data} /> : <Loading height={400} />}
    </Card>
  );
}
