// The job's name, state, verdict and placement.
import { Badge } from "../../parts/badge";
import type { Job } from "../../server/training";
import { address } from "../../url/location";
import { span } from "../../words/moment";
import { count, seconds } from "../../words/number";

function parallelWords(job: Job): string {
  return Object.entries(job.parallelism)
    .filter(([, size]) => size !== null && size > 1)
    .map(([name, size]) => `${name.replaceAll("_", " ")} ${size}`)
    .join(", ");
}

export function JobHead({ job }: { job: Job }) {
  const hosts = job.hosts.length === 1 ? job.hosts[0] : `${job.hosts.length} hosts`;
  const steps = job.last_step === null ? "" : ` · steps ${count(job.first_step)} to ${count(job.last_step)}`;
  return (
    <>
      <div class="page-head">
        <a href="/" class="note crumb">Fleet /</a>
        <h1>{job.job}</h1>
        <Badge name={job.state} />
        {job.verdict && <Badge name={job.verdict} />}
        <span class="grow" />
        <a href={address("/compare", { runs: job.job })}>Compare</a>
        <span class="note">
          {count(job.gpus || job.world_size)} × {job.gpu_models.join(", ") || "GPU"} on {hosts} · {span(job.from, job.to)} ({seconds(job.to - job.from)}){steps}
          {parallelWords(job) && ` · ${parallelWords(job)}`}
          {job.attempts.length > 1 && ` · ${job.attempts.length} attempts`}
        </span>
      </div>
      {job.sentence && <p>{job.sentence}</p>}
      {job.warnings.map((warning) => <p key={warning} class="warning">▲ {warning}</p>)}
    </>
  );
}
