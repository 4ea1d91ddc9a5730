// The stragglers: verdict, evidence, and what the job would gain without them.
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { QueryLine } from "../../parts/query_line";
import type { LateRank, Stragglers } from "../../server/training";
import type { AnswerState } from "../../server/use_answer";
import { rankPath } from "../../url/routes";
import { clock } from "../../words/moment";
import { count, percent, seconds } from "../../words/number";
import { word } from "../../words/training";
import { EvidenceList } from "./evidence_list";
import { MethodsTable } from "./methods_table";

const MAX_RANKS = 8;

function since(rank: LateRank): string {
  if (rank.first_step === null) return `${clock(rank.from)} to ${clock(rank.to)}`;
  const until = rank.is_open ? "to the end" : `to step ${count(rank.last_step)}`;
  return `from step ${count(rank.first_step)} ${until} (${clock(rank.from)} to ${clock(rank.to)})`;
}

function Late({ job, rank }: { job: string; rank: LateRank }) {
  const reason = rank.gpu_reason && rank.gpu_reason !== "unknown" ? `: ${word(rank.gpu_reason)}` : "";
  return (
    <div class="late">
      <div class="late-rank">
        <a href={rankPath(job, rank.rank)} class="late-name">Rank {rank.rank}</a>
        <span class="note">{rank.host}{rank.gpu && `, GPU ${rank.gpu}`}</span>
      </div>
      <div class="late-words">
        <p><b>{percent(rank.score)} late</b>, {since(rank)}</p>
        <p>Cause: <b>{word(rank.cause)}</b>{reason}. {rank.lost_seconds !== null && `Lost: ${seconds(rank.lost_seconds)} of job time.`}</p>
        <EvidenceList evidence={rank.evidence} />
      </div>
    </div>
  );
}

function WhatIf({ data }: { data: Stragglers }) {
  const what = data.what_if;
  if (!what || what.step_seconds === null || what.step_seconds_now === null) return null;
  const longest = Math.max(what.step_seconds, what.step_seconds_now, what.step_seconds_before ?? 0);
  const row = (name: string, value: number | null, tone: string) => value !== null && (
    <div class="bar-row">
      <span class="bar-name">{name}</span>
      <span class="bar-track"><span class={`bar-fill ${tone}`} style={{ width: `${(value / longest) * 100}%` }} /></span>
      <span class="number">{seconds(value)}</span>
    </div>
  );
  return (
    <div class="what-if">
      <h3>Without the straggler</h3>
      {row("step time now", what.step_seconds_now, "bad")}
      {row("step time without it", what.step_seconds, "good")}
      {row("step time before", what.step_seconds_before, "")}
      <p class="note">Saves at most {seconds(what.saved_seconds)} of job time, {seconds(what.saved_gpu_seconds)} of GPU time.</p>
    </div>
  );
}

// The query for current stragglers, as alerts and dashboards use it.
const queryFor = (job: string) => `lockstep_straggler{job=${JSON.stringify(job)}} == 1`;

function Verdict({ job, data }: { job: string; data: Stragglers }) {
  return (
    <>
      {data.ranks.slice(0, MAX_RANKS).map((rank) => <Late key={rank.rank} job={job} rank={rank} />)}
      {data.ranks.length > MAX_RANKS && <p class="note">and {data.ranks.length - MAX_RANKS} more ranks</p>}
      {data.ranks.length === 0 && data.verdict === "none" && <p>No straggler found.</p>}
      {data.slow_since && <p>The whole job has been slower since {clock(data.slow_since.from)}.</p>}
      {data.ranks.length === 0 && <EvidenceList evidence={data.evidence} />}
      {data.verdict === "no_data" && data.missing.length > 0 && <p>To find out, send {data.missing.join(", ")}.</p>}
      <WhatIf data={data} />
      {data.ranks.length > 0 && (
        <QueryLine query={queryFor(job)} range={{ from: String(Math.floor(data.from)), to: String(Math.ceil(data.to)) }} />
      )}
      <MethodsTable data={data} />
    </>
  );
}

export function StragglerCard({ job, answer }: { job: string; answer: AnswerState<Stragglers> }) {
  const verdict = answer.data && (
    <>
      <Badge name={answer.data.verdict} />
      {answer.data.also.map((name) => <Badge key={name} name={name} />)}
      <span class="note">by {word(answer.data.method)}</span>
    </>
  );
  return (
    <Card title="Stragglers" id="stragglers" note={verdict}>
      <Answered answer={answer} height={110}>{(data) => <Verdict job={job} data={data} />}</Answered>
    </Card>
  );
}
