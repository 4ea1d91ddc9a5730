// Key numbers of the fleet.
import { Tile, Tiles } from "../../parts/tile";
import { useAnswer } from "../../server/use_answer";
import type { Alerts } from "../../server/rules";
import type { Job } from "../../server/training";
import type { KnownRange } from "../../url/use_range";
import { ago } from "../../words/moment";
import { count, DASH } from "../../words/number";
import { useGpus } from "./gpus";

// A GPU's latest sample counts as current for this long.
const SILENT_S = 120;

export function FleetTiles({ range, jobs }: { range: KnownRange; jobs: readonly Job[] | null }) {
  const { gpus } = useGpus(range);
  const alerts = useAnswer<Alerts>("alerts");
  const firing = alerts.data?.alerts.filter((alert) => alert.state === "firing").length ?? null;
  const running = jobs?.filter((job) => job.state === "running") ?? null;
  const troubled = jobs?.filter((job) => job.state === "stalled" || job.state === "crashed").length ?? 0;
  // Old data says how the GPUs were, not how they are.
  const isPast = Date.now() / 1000 - range.to > SILENT_S;
  const busy = gpus?.filter((gpu) => gpu.health === "busy").length ?? 0;
  const ill = gpus?.filter((gpu) => gpu.health === "unhealthy" || gpu.health === "throttled" || gpu.health === "hot") ?? [];
  return (
    <Tiles>
      <Tile name="Jobs running" value={running ? count(running.length) : DASH} note={jobs ? `${jobs.length} in 30 days` : ""} />
      <Tile name="Stalled or crashed" value={jobs ? count(troubled) : DASH} tone={troubled ? "bad" : "calm"} />
      <Tile name={isPast ? "GPUs that reported" : "GPUs reporting"} value={gpus ? count(gpus.length) : DASH}
            note={gpus ? (isPast ? `${busy} were busy ${ago(range.to)}` : `${busy} busy`) : ""} />
      <Tile name="GPUs with problems" value={gpus ? count(ill.length) : DASH} tone={ill.length ? "bad" : "calm"} />
      <Tile name="Alerts firing" value={firing === null ? DASH : <a href="/alerts">{count(firing)}</a>} tone={firing ? "bad" : "calm"} />
      <Tile name="Last sample" value={range.newest === null ? DASH : ago(range.newest)} />
    </Tiles>
  );
}
