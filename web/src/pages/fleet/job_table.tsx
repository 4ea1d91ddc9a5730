// Jobs and their key numbers; expensive requests are sent only for the rows shown.
import { useState } from "preact/hooks";
import { Badge } from "../../parts/badge";
import { Empty } from "../../parts/notice";
import { Table, type Column } from "../../parts/table";
import type { Job } from "../../server/training";
import { jobPath } from "../../url/routes";
import { dayAndMinute } from "../../words/moment";
import { count, seconds } from "../../words/number";
import { AlertsCell, BoundCell, EventsCell, GoodputCell, JobVerdictCell, MfuCell, StepCell, WasteCell } from "./job_cells";

const ROWS_AT_FIRST = 25;

const COLUMNS: readonly Column<Job>[] = [
  { name: "Job", cell: (job) => <a href={jobPath(job.job)} class="name">{job.job}</a>, sort: (job) => job.job },
  { name: "State", cell: (job) => <Badge name={job.state} />, sort: (job) => job.state },
  { name: "Verdict", cell: (job) => <JobVerdictCell job={job} />, sort: (job) => job.verdict ?? "" },
  { name: "Events", cell: (job) => <EventsCell job={job} />, isWide: true },
  { name: "Bottleneck", cell: (job) => <BoundCell job={job} />, isWidest: true },
  { name: "MFU", cell: (job) => <MfuCell job={job} />, isNumber: true },
  { name: "Goodput", cell: (job) => <GoodputCell job={job} />, isNumber: true },
  { name: "Wasted", cell: (job) => <WasteCell job={job} />, isNumber: true, isWide: true },
  { name: "Step time", cell: (job) => <StepCell job={job} />, isNumber: true, isWidest: true },
  { name: "Alerts", cell: (job) => <AlertsCell job={job} />, isNumber: true, isWide: true },
  { name: "GPUs", cell: (job) => count(job.gpus || job.world_size), sort: (job) => job.gpus, isNumber: true },
  { name: "Started", cell: (job) => dayAndMinute(job.from), sort: (job) => job.from, isNumber: true, isWidest: true },
  { name: "Duration", cell: (job) => seconds(job.to - job.from), sort: (job) => job.to - job.from, isNumber: true },
];

export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  const [isAll, setAll] = useState(false);
  if (jobs.length === 0) return <Empty title="No matching jobs.">Clear the search, or choose another state.</Empty>;
  const shown = isAll ? jobs : jobs.slice(0, ROWS_AT_FIRST);
  return (
    <>
      <Table caption="Jobs" columns={COLUMNS} rows={shown} keyOf={(job) => job.job} />
      {shown.length < jobs.length && (
        <button type="button" class="more" onClick={() => setAll(true)}>Show all {jobs.length} jobs</button>
      )}
    </>
  );
}
