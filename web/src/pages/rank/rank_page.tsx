// One rank of a job: its step times beside its peers', and its GPU's counters.
import { useMemo } from "preact/hooks";
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import { selectorsOf, type JobIdentity } from "../../server/identity";
import { quoted } from "../../server/prometheus";
import { unjudged, type Job, type Jobs, type RankPlace, type Stragglers } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { usePlace } from "../../url/location";
import { gpuPath, jobPath } from "../../url/routes";
import { span } from "../../words/moment";
import { count, percent } from "../../words/number";
import { word } from "../../words/training";
import { EvidenceList } from "../job/evidence_list";
import { useWindow, type Window } from "../job/window";
import { DeviceCharts } from "./device_charts";
import { GpuHistory } from "./gpu_history";
import { RankSteps } from "./rank_steps";

function Head({ job, place, window }: { job: Job; place: RankPlace; window: Window }) {
  return (
    <div class="page-head">
      <a href={jobPath(job.job)} class="note crumb">{job.job} /</a>
      <h1>Rank {place.rank}</h1>
      <span class="grow" />
      {window.isZoomed && <button type="button" onClick={window.reset}>Show whole job</button>}
      <span class="note">
        {place.host || "unknown host"}{place.gpu && `, GPU ${place.gpu}`}{place.model && `, ${place.model}`}
        {place.stage !== null && job.parallelism["pipeline"] !== 1 && `, stage ${place.stage}`}
        {place.uuid && <> · <a href={gpuPath(place.uuid)}>{place.uuid}</a></>} · {span(window.start, window.end)}
      </span>
    </div>
  );
}

function Verdict({ job, rank, window }: { job: string; rank: number; window: Window }) {
  const answer = useAnswer<Stragglers>("training/stragglers", { job, start: window.start, end: window.end });
  const late = answer.data?.ranks.find((candidate) => candidate.rank === rank);
  if (!late) return null;
  return (
    <Card title="This rank holds the job back" note={<Badge name={late.verdict} />}>
      <p><b>{percent(late.score)} late</b>{late.first_step !== null && ` from step ${count(late.first_step)}`}. Cause: <b>{word(late.cause)}</b>.</p>
      <EvidenceList evidence={late.evidence} />
    </Card>
  );
}

export function RankPage({ job, rank }: { job: string; rank: number }) {
  const { params } = usePlace();
  const answer = useAnswer<Jobs>("training/jobs", unjudged(job));
  const found = answer.data?.jobs.find((candidate) => candidate.job === job) ?? null;
  const place = found?.ranks.find((candidate) => candidate.rank === rank) ?? null;
  const window = useWindow(found, params);
  const identity = useAnswer<JobIdentity>("training/identity", { job });
  const selectors = useMemo(() => {
    const own = identity.data?.ranks.filter((placement) => placement.rank === rank) ?? [];
    // The same GPU has series from before and after the job, when it was idle, so series that name
    // the job come first.
    const named = [`{job=${quoted(job)}, rank="${rank}"}`];
    if (place?.uuid) named.push(`{job=${quoted(job)}, UUID=${quoted(place.uuid)}}`);
    const told = selectorsOf(identity, own, named);
    return told && [...new Set([...named, ...told])];
  }, [identity.data, identity.error, job, rank, place?.uuid]);
  return (
    <Answered answer={answer} height={400}>
      {() => !found || !place || !window ? <Empty title={`${job} has no rank ${rank}.`}><a href={jobPath(job)}>Back to the job</a></Empty> : (
        <>
          <Head job={found} place={place} window={window} />
          <Verdict job={job} rank={rank} window={window} />
          <RankSteps job={found} rank={rank} window={window} />
          <DeviceCharts selectors={selectors} from={window.start} to={window.end} onZoom={window.zoom} onReset={window.reset} />
          {place.uuid && <GpuHistory uuid={place.uuid} />}
        </>
      )}
    </Answered>
  );
}
