// One GPU, across the jobs that ran on it.
import { useMemo } from "preact/hooks";
import { showRange } from "../../parts/range_picker";
import { quoted } from "../../server/prometheus";
import { UUID_LABELS } from "../../server/roles";
import { change } from "../../url/location";
import type { KnownRange } from "../../url/use_range";
import { DeviceCharts } from "./device_charts";
import { GpuHistory } from "./gpu_history";

export function GpuPage({ uuid, range }: { uuid: string; range: KnownRange }) {
  const selectors = useMemo(() => UUID_LABELS.map((label) => `{${label}=${quoted(uuid)}}`), [uuid]);
  return (
    <>
      <div class="page-head"><a href="/" class="note crumb">Fleet /</a><h1>{uuid}</h1></div>
      <DeviceCharts selectors={selectors} from={range.from} to={range.to} onZoom={(from, to) => showRange({ from, to })}
                    onReset={() => change({ from: null, to: null })} />
      <GpuHistory uuid={uuid} />
    </>
  );
}
