// The fleet in five numbers.
import { Tile, Tiles } from "../../parts/tile";
import { useAnswer } from "../../server/use_answer";
import type { Alerts } from "../../server/rules";
import type { Job } from "../../server/training";
import type { KnownRange } from "../../url/use_range";
import { ago } from "../../words/moment";
import { count, DASH } from "../../words/number";
import { useGpus } from "./gpus";

export function FleetTiles({ range, jobs }: { range: KnownRange; jobs: readonly Job[] | null }) {
  const { gpus } = useGpus(range);
  const alerts = useAnswer<Alerts>("alerts");
  const firing = alerts.data?.alerts.filter((alert) => alert.state === "firing").length ?? null;
  const running = jobs?.filter((job) => job.state === "running") ?? null;
  const troubled = jobs?.filter((job) => job.state === "stalled" || job.state === "crashed").length ?? 0;
  const ill = gpus?.filter((gpu) => gpu.health === "unhealthy" || gpu.health === "throttled" || gpu.health === "hot") ?? [];
  return (
    <Tiles>
      <Tile name="Jobs running" value={running ? count(running.length) : DASH} note={jobs ? `${jobs.length} in 30 days` : ""} />
      <Tile name="Stalled or crashed" value={jobs ? count(troubled) : DASH} tone={troubled ? "bad" : "calm"} />
      <Tile name="GPUs reporting" value={gpus ? count(gpus.length) : DASH}
            note={gpus ? `${gpus.filter((gpu) => gpu.health === "busy").length} busy` : ""} />
      <Tile name="GPUs in trouble" value={gpus ? count(ill.length) : DASH} tone={ill.length ? "bad" : "calm"} />
      <Tile name="Alerts firing" value={firing === null ? DASH : <a href="/alerts">{count(firing)}</a>} tone={firing ? "bad" : "calm"} />
      <Tile name="Newest sample" value={range.newest === null ? DASH : ago(range.newest)} />
    </Tiles>
  );
}
