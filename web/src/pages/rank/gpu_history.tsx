// The jobs that ran on a GPU.
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import { ofAllTime, type Job, type Jobs } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { jobPath, rankPath } from "../../url/routes";
import { dayAndClock } from "../../words/moment";
import { seconds } from "../../words/number";
import { VerdictCell } from "../fleet/job_cells";

const rankOn = (job: Job, uuid: string) => job.ranks.find((place) => place.uuid === uuid);

export function GpuHistory({ uuid }: { uuid: string }) {
  const asked = useAnswer<Jobs>("training/jobs", ofAllTime());
  return (
    <Card title="Jobs on this GPU">
      <Answered asked={asked}>
        {(data) => {
          const own = data.jobs.filter((job) => rankOn(job, uuid));
          return own.length === 0 ? <Empty title="No job is known to have run on it." /> : (
            <Table caption="Jobs on this GPU" rows={own} keyOf={(job) => job.job} columns={[
              { name: "State", cell: (job) => <Badge name={job.state} />, sort: (job) => job.state },
              { name: "Job", cell: (job) => <a href={jobPath(job.job)}>{job.job}</a>, sort: (job) => job.job },
              { name: "As", cell: (job) => <a href={rankPath(job.job, rankOn(job, uuid)?.rank ?? 0)}>rank {rankOn(job, uuid)?.rank}</a> },
              { name: "Verdict", cell: (job) => <VerdictCell job={job} /> },
              { name: "Began", cell: (job) => dayAndClock(job.from), sort: (job) => job.from, isNumber: true },
              { name: "For", cell: (job) => seconds(job.to - job.from), sort: (job) => job.to - job.from, isNumber: true, isWide: true },
            ]} />
          );
        }}
      </Answered>
    </Card>
  );
}
