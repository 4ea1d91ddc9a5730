// Every GPU as a square, grouped by host; its mark shows its health without relying on colour.
import { Card } from "../../parts/card";
import { Empty, Failure, Loading } from "../../parts/notice";
import type { KnownRange } from "../../url/use_range";
import { gpuPath } from "../../url/routes";
import { count } from "../../words/number";
import { useGpus, type Gpu, type Health } from "./gpus";

const ORDER: readonly (readonly [Health, string, string])[] = [
  ["unhealthy", "unhealthy", "✕"], ["throttled", "throttled", "▼"], ["hot", "hot", "▲"], ["busy", "busy", ""], ["idle", "idle", ""],
];
const MARKS = Object.fromEntries(ORDER.map(([health, , mark]) => [health, mark]));

function byHost(gpus: readonly Gpu[]): [string, Gpu[]][] {
  const hosts = new Map<string, Gpu[]>();
  for (const gpu of gpus) hosts.set(gpu.host, [...(hosts.get(gpu.host) ?? []), gpu]);
  return [...hosts];
}

const Square = ({ gpu }: { gpu: Gpu }) => (
  <a class={`gpu ${gpu.health}`} href={gpuPath(gpu.uuid)} title={`${gpu.host} GPU ${gpu.gpu}, ${gpu.model}: ${gpu.health}, ${gpu.why}`}
     aria-label={`${gpu.host} GPU ${gpu.gpu}: ${gpu.health}, ${gpu.why}`}>{MARKS[gpu.health]}</a>
);

export function GpuGrid({ range }: { range: KnownRange }) {
  const { gpus, error } = useGpus(range);
  const legend = gpus && (
    <span class="classes">
      {ORDER.map(([health, words, mark]) => (
        <span key={health}>
          <span class={`gpu small ${health}`} aria-hidden="true">{mark}</span> {words} {count(gpus.filter((gpu) => gpu.health === health).length)}
        </span>
      ))}
    </span>
  );
  return (
    <Card title="GPUs" note="health from the latest counters" actions={legend}>
      {error && <Failure error={error} />}
      {!gpus && !error && <Loading />}
      {gpus?.length === 0 && (
        <Empty title="No GPU counters in the last two minutes of this time range.">
          Send dcgm-exporter metrics (<code>DCGM_FI_*</code>, label <code>UUID</code>), or choose another time range above.
        </Empty>
      )}
      <div class="hosts">
        {byHost(gpus ?? []).map(([host, own]) => (
          <div key={host} class="host">
            <span class="note">{host || "no host"}</span>
            <div class="gpus">{own.map((gpu) => <Square key={gpu.uuid} gpu={gpu} />)}</div>
          </div>
        ))}
      </div>
    </Card>
  );
}
