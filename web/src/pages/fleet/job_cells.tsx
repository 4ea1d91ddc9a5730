// The cells of a job's row. Each requests its own data; cells with the same request share it.
import type { ComponentChildren } from "preact";
import { Badge } from "../../parts/badge";
import type { Alerts } from "../../server/rules";
import type { Bottlenecks, Events, Job, Ledger, Mfu, Stragglers } from "../../server/training";
import { useAnswer, type AnswerState } from "../../server/use_answer";
import { count, DASH, percent, seconds } from "../../words/number";
import { word } from "../../words/training";

// The job's whole time range. Jobs of the same name at other times get separate answers.
type JobTime = Pick<Job, "job" | "from" | "to">;
const useOf = <T,>(path: string, job: JobTime): AnswerState<T> =>
  useAnswer<T>(`training/${path}`, { job: job.job, start: job.from, end: job.to });

function cell<T>(answer: AnswerState<T>, show: (data: T) => ComponentChildren): ComponentChildren {
  if (answer.error) return <span class="note" title={answer.error.message}>{DASH}</span>;
  return answer.data === null ? <span class="note pending">…</span> : show(answer.data);
}

export const MfuCell = ({ job }: { job: Job }) =>
  <>{cell(useOf<Mfu>("mfu", job), (mfu) => (
    <span class={mfu.is_above_peak ? "impossible" : ""} title={mfu.reason || `convention: ${mfu.convention}`}>
      {mfu.is_above_peak && "▲ "}{percent(mfu.mfu)}
    </span>
  ))}</>;

export const StepCell = ({ job }: { job: Job }) => <>{cell(useOf<Mfu>("mfu", job), (mfu) => seconds(mfu.step_seconds))}</>;

export const GoodputCell = ({ job }: { job: Job }) =>
  <>{cell(useOf<Ledger>("ledger", job), (ledger) => percent(ledger.goodput))}</>;

// GPU-seconds that made no progress.
export const WasteCell = ({ job }: { job: Job }) =>
  <>{cell(useOf<Ledger>("ledger", job), (ledger) =>
    <span title="GPU time that was not productive">{seconds(ledger.wasted_gpu_seconds)}</span>)}</>;

// The job's overall verdict: its worst problem, or that there is none.
export const JobVerdictCell = ({ job }: { job: Job }) => {
  if (!job.verdict) return <span class="note">{DASH}</span>;
  // Shows the cause too, which the job list does not contain.
  if (job.verdict === "slow_rank") return <VerdictCell job={job} />;
  const ranks = job.verdict_ranks?.length === 1 ? `: rank ${job.verdict_ranks[0]}` : "";
  return <span title={job.sentence}><Badge name={job.verdict} text={`${word(job.verdict)}${ranks}`} /></span>;
};

export const VerdictCell = ({ job }: { job: JobTime }) =>
  <>{cell(useOf<Stragglers>("stragglers", job), (stragglers) => {
    const late = stragglers.ranks[0];
    return late ? <Badge name={stragglers.verdict} text={`rank ${late.rank}: ${word(late.cause)}`} /> : <Badge name={stragglers.verdict} />;
  })}</>;

export const BoundCell = ({ job }: { job: Job }) =>
  <>{cell(useOf<Bottlenecks>("bottlenecks", job), (bound) => <span class="note whole">{word(bound.verdict)}</span>)}</>;

const MAX_KINDS = 2;

export const EventsCell = ({ job }: { job: Job }) =>
  <>{cell(useOf<Events>("events", job), (data) => {
    const kinds = [...new Set(data.events.map((event) => event.kind))];
    return (
      <>
        {kinds.slice(0, MAX_KINDS).map((kind) => <Badge key={kind} name={kind} />)}
        {kinds.length > MAX_KINDS && <span class="note"> +{kinds.length - MAX_KINDS}</span>}
      </>
    );
  })}</>;

export function AlertsCell({ job }: { job: Job }) {
  return <>{cell(useAnswer<Alerts>("alerts"), (data) => {
    const own = data.alerts.filter((alert) => alert.labels["job"] === job.job && alert.state === "firing");
    return own.length ? <a href="/alerts">{count(own.length)}</a> : "0";
  })}</>;
}
