// The job's events.
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import type { Events, Job, JobEvent } from "../../server/training";
import type { AnswerState } from "../../server/use_answer";
import { rankPath } from "../../url/routes";
import { eventKind } from "../../words/event";
import { clock } from "../../words/moment";
import { count, DASH, seconds, withUnit } from "../../words/number";
import { word } from "../../words/training";

const MAX_RANKS = 6;

function Ranks({ job, event }: { job: Job; event: JobEvent }) {
  if (event.ranks.length === 0) return <>all</>;
  return (
    <>
      {event.ranks.slice(0, MAX_RANKS).map((rank, at) => <span key={rank}>{at > 0 && ", "}<a href={rankPath(job.job, rank)}>{rank}</a></span>)}
      {event.ranks.length > MAX_RANKS && ` and ${event.ranks.length - MAX_RANKS} more`}
    </>
  );
}

const numbers = (event: JobEvent) =>
  event.words || event.evidence.map((piece) => `${word(piece.signal)} ${withUnit(piece.value, piece.unit)}`).join(", ");

export function EventsCard({ job, answer }: { job: Job; answer: AnswerState<Events> }) {
  return (
    <Card title="Events">
      <Answered answer={answer} height={60}>
        {(data) => data.events.length === 0 ? <Empty title="No events in this time range." /> : (
          <Table caption="Events" rows={data.events} keyOf={(event) => `${event.annotation?.id ?? event.kind} ${event.from} ${event.ranks.join()}`} columns={[
            { name: "Event", cell: (event) => <Badge name={event.kind} text={eventKind(event)} />, sort: eventKind },
            { name: "Start", cell: (event) => clock(event.from), sort: (event) => event.from },
            { name: "Duration", cell: (event) => seconds(event.to - event.from), sort: (event) => event.to - event.from, isNumber: true, isWide: true },
            { name: "Step", cell: (event) => (event.step === null ? DASH : count(event.step)), sort: (event) => event.step, isNumber: true },
            { name: "Ranks", cell: (event) => <Ranks job={job} event={event} /> },
            { name: "Evidence", cell: numbers, isWide: true },
          ]} />
        )}
      </Answered>
    </Card>
  );
}
