// The fleet: its jobs, how well each uses its GPUs, and the health of the GPUs.
import { useState } from "preact/hooks";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/choice";
import { useAnswer } from "../../server/use_answer";
import type { Jobs } from "../../server/training";
import { change, usePlace } from "../../url/location";
import type { KnownRange } from "../../url/use_range";
import { FleetTiles } from "./fleet_tiles";
import { GpuGrid } from "./gpu_grid";
import { JobTable } from "./job_table";
import { LemonsCard } from "./lemons_card";
import { NoJobs } from "./no_jobs";

const JOBS_BACK_S = 30 * 86_400;
const STATES = [["all", "All"], ["live", "Running"], ["troubled", "Stalled or crashed"]] as const;
type Chosen = (typeof STATES)[number][0];

const FITS: Readonly<Record<Chosen, (state: string) => boolean>> = {
  all: () => true,
  live: (state) => state === "running",
  troubled: (state) => state === "stalled" || state === "crashed",
};

// The job list goes back further than the charts' time range. The store's newest sample matters
// only if it is older still, so the first request need not wait for it.
function useJobs(range: KnownRange, isFixed: boolean) {
  const now = Math.ceil(Date.now() / 60_000) * 60;
  const isOld = range.newest !== null && now - range.newest > JOBS_BACK_S;
  const end = isFixed ? Math.ceil(range.to) : isOld ? Math.ceil(range.newest as number) : now;
  return useAnswer<Jobs>("training/jobs", { start: end - JOBS_BACK_S, end });
}

export function FleetPage({ range }: { range: KnownRange }) {
  const { params } = usePlace();
  const [search, setSearch] = useState(params.get("search") ?? "");
  const chosen = (params.get("state") ?? "all") as Chosen;
  const jobs = useJobs(range, params.has("to"));
  const fits = FITS[chosen] ?? FITS.all;
  return (
    <>
      <div class="page-head"><h1>Fleet</h1></div>
      <FleetTiles range={range} jobs={jobs.data?.jobs ?? null} />
      <Card title="Jobs" note="last 30 days" actions={
        <>
          <Choice name="State" options={STATES} value={chosen}
                  onChange={(state) => change({ state: state === "all" ? null : state })} />
          <input type="search" placeholder="Search  /" aria-label="Search jobs" value={search} data-search
                 onInput={(event) => {
                   setSearch(event.currentTarget.value);
                   change({ search: event.currentTarget.value }, true);
                 }} />
        </>
      }>
        <Answered answer={jobs} height={260}>
          {(data) => data.jobs.length === 0
            ? <NoJobs isEmptyStore={range.newest === null} />
            : <JobTable jobs={data.jobs.filter((job) => fits(job.state) && job.job.includes(search))} />}
        </Answered>
      </Card>
      <LemonsCard />
      <GpuGrid range={range} />
    </>
  );
}
