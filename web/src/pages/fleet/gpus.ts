// The GPUs that report, and how each is: from the newest of a few counters.
import { useMemo } from "preact/hooks";
import type { AskError } from "../../server/ask";
import { numberOf, type VectorResult, type VectorRow } from "../../server/prometheus";
import { useAnswer } from "../../server/use_answer";
import type { KnownRange } from "../../url/use_range";
import { plain } from "../../words/number";

export type Health = "unhealthy" | "throttled" | "hot" | "busy" | "idle";

export interface Gpu {
  readonly uuid: string;
  readonly host: string;
  readonly gpu: string;
  readonly model: string;
  readonly health: Health;
  readonly why: string;
}

const COUNTERS = [
  "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
  "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
] as const;
type Counter = (typeof COUNTERS)[number];

// Slowdown by hardware or heat, and the power brake; the cap on power is no trouble.
const SLOWDOWN_BITS = 0x8 | 0x20 | 0x40 | 0x80;
const HOT_C = 85;
const BUSY_RATIO = 0.05;

export function healthOf(value: (counter: Counter) => number): { health: Health; why: string } {
  const xid = value("DCGM_FI_DEV_XID_ERRORS");
  if (xid > 0) return { health: "unhealthy", why: `XID ${xid}` };
  const errors = value("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL");
  if (errors > 0) return { health: "unhealthy", why: `${errors} double-bit ECC errors` };
  const rows = value("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS");
  if (rows > 0) return { health: "unhealthy", why: `${rows} rows remapped for uncorrectable errors` };
  if (value("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS") & SLOWDOWN_BITS) return { health: "throttled", why: "slowed down by hardware or heat" };
  const celsius = value("DCGM_FI_DEV_GPU_TEMP");
  if (celsius >= HOT_C) return { health: "hot", why: `${celsius} °C` };
  const active = value("DCGM_FI_PROF_GR_ENGINE_ACTIVE");
  const busy = Number.isNaN(active) ? value("DCGM_FI_DEV_GPU_UTIL") / 100 : active;
  return busy > BUSY_RATIO
    ? { health: "busy", why: `${plain(busy * 100)} % busy, ${plain(celsius)} °C` }
    : { health: "idle", why: `${plain(celsius)} °C` };
}

export function gpusOf(rows: readonly VectorRow[]): Gpu[] {
  const byUuid = new Map<string, VectorRow[]>();
  for (const row of rows) {
    const uuid = row.metric["UUID"] ?? "";
    byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), row]);
  }
  const gpus = [...byUuid].map(([uuid, own]): Gpu => {
    const value = (counter: Counter) =>
      numberOf(own.find((row) => row.metric["__name__"] === counter)?.value?.[1] ?? "NaN");
    const labels = own[0]?.metric ?? {};
    return { uuid, host: labels["Hostname"] ?? "", gpu: labels["gpu"] ?? "", model: labels["modelName"] ?? "", ...healthOf(value) };
  });
  return gpus.sort((a, b) => a.host.localeCompare(b.host, "en", { numeric: true }) || Number(a.gpu) - Number(b.gpu));
}

export function useGpus(range: KnownRange): { gpus: readonly Gpu[] | null; error: AskError | null } {
  const query = `max by (__name__, UUID, gpu, Hostname, modelName) (last_over_time({__name__=~"${COUNTERS.join("|")}", UUID!=""}[2m]))`;
  const answer = useAnswer<VectorResult>(range.isKnown ? "query" : null, { query, time: range.to.toFixed(3) });
  const gpus = useMemo(() => (answer.data ? gpusOf(answer.data.result) : null), [answer.data]);
  return { gpus, error: answer.error };
}
