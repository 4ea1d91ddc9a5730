// GPUs and hosts that are slow in job after job.
import { Card } from "../../parts/card";
import { Table, type Column } from "../../parts/table";
import type { Lemon, Lemons } from "../../server/forecast";
import { useAnswer } from "../../server/use_answer";
import { gpuPath, jobPath } from "../../url/routes";
import { count, percent } from "../../words/number";

const nameOf = (lemon: Lemon): string => (lemon.kind === "host" ? lemon.host : `${lemon.host} GPU ${lemon.gpu}`);

function LatestJob({ lemon }: { lemon: Lemon }) {
  const latest = lemon.evidence[0];
  return latest ? <a href={jobPath(latest.job)}>{latest.job}</a> : null;
}

const COLUMNS: readonly Column<Lemon>[] = [
  { name: "Device", cell: (lemon) => (lemon.uuid ? <a href={gpuPath(lemon.uuid)} class="name">{nameOf(lemon)}</a> : nameOf(lemon)), sort: nameOf },
  { name: "Late by", cell: (lemon) => percent(lemon.late_ratio), sort: (lemon) => lemon.late_ratio, isNumber: true },
  { name: "Jobs", cell: (lemon) => count(lemon.jobs), sort: (lemon) => lemon.jobs, isNumber: true },
  { name: "Slowest in", cell: (lemon) => count(lemon.slowest_in), sort: (lemon) => lemon.slowest_in, isNumber: true },
  { name: "Latest job", cell: (lemon) => <LatestJob lemon={lemon} />, isWide: true },
  { name: "Why", cell: (lemon) => lemon.doubt || lemon.sentence, isWidest: true },
];

// Nothing is shown for a fleet without lemons.
export function LemonsCard() {
  const lemons = useAnswer<Lemons>("fleet/lemons").data;
  if (lemons === null || lemons.lemons.length + lemons.undecided.length === 0) return null;
  return (
    <Card title="Slow in job after job" note={`of ${count(lemons.gpus_judged)} GPUs in ${count(lemons.attempts)} runs`}>
      <Table caption="Devices that are slow in job after job" columns={COLUMNS} rows={[...lemons.lemons, ...lemons.undecided]}
             keyOf={(lemon) => `${lemon.host} ${lemon.gpu} ${lemon.uuid}`} />
    </Card>
  );
}
