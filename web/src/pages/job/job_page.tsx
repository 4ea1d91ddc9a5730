// One job: its stragglers, training curves, heat map, bottlenecks, GPU time and events.
import { useMemo } from "preact/hooks";
import { Answered } from "../../parts/answered";
import { Choice } from "../../parts/choice";
import { Empty, Loading } from "../../parts/notice";
import { useShortcuts } from "../../parts/use_shortcuts";
import type { Forecast } from "../../server/forecast";
import { ofAllTime, unjudged, type Align, type Events, type Job, type Jobs, type Ledger, type Mfu, type Steps, type Stragglers } from "../../server/training";
import { useAnswer, type AnswerState } from "../../server/use_answer";
import { change, usePlace } from "../../url/location";
import { span } from "../../words/moment";
import { BoundTimeline } from "./bound_timeline";
import { EventsCard } from "./events_card";
import { JobHead } from "./job_head";
import { JobTiles } from "./job_tiles";
import { LedgerCard } from "./ledger_card";
import { RankHeatMap } from "./rank_heat_map";
import { StepCharts } from "./step_charts";
import { StragglerCard } from "./straggler_card";
import { useWindow, type Window } from "./window";

const AXES = [["step", "Step"], ["time", "Time"], ["tokens", "Tokens"]] as const;

const isOver = (answer: AnswerState<unknown>) => answer.data !== null || answer.error !== null;

const named = (jobs: Jobs | null, name: string): Job | null => jobs?.jobs.find((job) => job.job === name) ?? null;

function Body({ job, window }: { job: Job; window: Window }) {
  const { params } = usePlace();
  const align = (params.get("axis") ?? "step") as Align;
  const question = { job: job.job, start: window.start, end: window.end };
  const stragglers = useAnswer<Stragglers>("training/stragglers", question);
  // With a thousand ranks each request keeps the server's cores busy for a while, so requests go
  // out in the page's order, top to bottom.
  const isVerdictThere = isOver(stragglers);
  const judged = useAnswer<Jobs>(isVerdictThere ? "training/jobs" : null, ofAllTime(job.job));
  const mfu = useAnswer<Mfu>(isVerdictThere ? "training/mfu" : null, question);
  const steps = useAnswer<Steps>(isVerdictThere ? "training/steps" : null, question);
  const areCurvesThere = isOver(mfu) && isOver(steps);
  const events = useAnswer<Events>(areCurvesThere ? "training/events" : null, question);
  const ledger = useAnswer<Ledger>(areCurvesThere ? "training/ledger" : null, question);
  const isRunning = job.state === "running" && !window.isZoomed;
  const forecast = useAnswer<Forecast>(areCurvesThere && isRunning ? "training/forecast" : null, { job: job.job });
  const turn = useMemo(() => {
    const at = AXES.findIndex(([name]) => name === align);
    return { x: () => change({ axis: (AXES[(at + 1) % AXES.length] ?? AXES[0])[0] }, true) };
  }, [align]);
  useShortcuts(turn);
  return (
    <>
      <JobHead job={{ ...named(judged.data, job.job), ...job }} />
      <JobTiles forecast={isRunning ? forecast.data : null} ledger={ledger.data} mfu={mfu} stragglers={stragglers} />
      <StragglerCard job={job.job} answer={stragglers} />
      <div class="page-head strip">
        <Choice name="Axis" options={AXES} value={align} onChange={(axis) => change({ axis }, true)} />
        {window.isZoomed
          ? <><span>{span(window.start, window.end)}</span><button type="button" onClick={window.reset}>Show whole job</button></>
          : <span class="grow note">Drag on a chart to zoom.</span>}
      </div>
      <StepCharts job={job} window={window} align={align} steps={steps} mfu={mfu} events={events.data?.events ?? []}
                  late={stragglers.data?.ranks ?? []} />
      {isVerdictThere ? <RankHeatMap job={job} window={window} align={align} /> : <Loading height={400} />}
      {areCurvesThere && (
        <>
          <BoundTimeline job={job} window={window} />
          <LedgerCard answer={ledger} />
          <EventsCard job={job} answer={events} />
        </>
      )}
    </>
  );
}

export function JobPage({ job }: { job: string }) {
  const { params } = usePlace();
  const answer = useAnswer<Jobs>("training/jobs", unjudged(job));
  const found = named(answer.data, job);
  const window = useWindow(found, params);
  return (
    <Answered answer={answer} height={400}>
      {() => found && window
        ? <Body job={found} window={window} />
        : <Empty title={`Job ${job} not found.`}><a href="/">All jobs</a></Empty>}
    </Answered>
  );
}
