// The jobs that ran on a GPU.
import { Card } from "../../parts/card";
import { Empty, Failure, Loading } from "../../parts/notice";
import { Table } from "../../parts/table";
import { SOURCES, type GpuIdentity, type Placement } from "../../server/identity";
import { useAnswer } from "../../server/use_answer";
import { jobPath, rankPath } from "../../url/routes";
import { dayAndClock } from "../../words/moment";
import { seconds } from "../../words/number";
import { VerdictCell } from "../fleet/job_cells";

const now = () => Math.ceil(Date.now() / 60_000) * 60;
const end = (placement: Placement) => placement.to ?? now();
const jobOf = (placement: Placement) => ({ job: placement.job ?? "", from: placement.from, to: end(placement) });

const History = ({ placements }: { placements: readonly Placement[] }) => (
  <Table caption="Jobs that ran on this GPU" rows={placements} keyOf={(placement) => `${placement.job} ${placement.attempt} ${placement.from}`} columns={[
    { name: "Job", cell: (placement) => <a class="name" href={jobPath(placement.job ?? "")}>{placement.job}</a>, sort: (placement) => placement.job ?? "" },
    { name: "Rank", cell: (placement) => <a href={rankPath(placement.job ?? "", placement.rank)}>rank {placement.rank}</a> },
    { name: "Verdict", cell: (placement) => <VerdictCell job={jobOf(placement)} /> },
    { name: "Attempt", cell: (placement) => placement.attempt, sort: (placement) => placement.attempt, isNumber: true, isWide: true },
    { name: "Source", cell: (placement) => SOURCES[placement.source] ?? placement.source, isWide: true },
    { name: "Started", cell: (placement) => dayAndClock(placement.from), sort: (placement) => placement.from, isNumber: true },
    { name: "Duration", cell: (placement) => seconds(end(placement) - placement.from), sort: (placement) => end(placement) - placement.from, isNumber: true, isWide: true },
  ]} />
);

export function GpuHistory({ uuid }: { uuid: string }) {
  const answer = useAnswer<GpuIdentity>("training/identity", { gpu: uuid });
  const isUnknown = answer.error?.type === "not_found";
  return (
    <Card title="Jobs on this GPU">
      {answer.error && !isUnknown && <Failure error={answer.error} />}
      {!answer.data && !answer.error && <Loading />}
      {(isUnknown || answer.data?.jobs.length === 0) && (
        <Empty title="No known jobs on this GPU.">
          Have launchers register their ranks (<code>POST /api/v1/training/register</code>), or add the labels <code>job</code> and <code>rank</code> to its series.
        </Empty>
      )}
      {answer.data && answer.data.jobs.length > 0 && <History placements={[...answer.data.jobs].reverse()} />}
    </Card>
  );
}
