// The GPUs that report, and the health of each, from the latest values of a few counters.
import { useMemo } from "preact/hooks";
import type { AskError } from "../../server/ask";
import { numberOf, type VectorResult, type VectorRow } from "../../server/prometheus";
import {
  firstOf, HOST_LABELS, INDEX_LABELS, MODEL_LABELS, namesPattern, rolesNamed, useRoles, UUID_LABELS, type Role,
} from "../../server/roles";
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

const ROLES_OF_HEALTH = [
  "gpu_temperature_celsius", "gpu_utilization_ratio", "gpu_gr_engine_active_ratio", "gpu_throttle_reasons", "gpu_xid",
  "gpu_ecc_uncorrected_total", "gpu_remapped_rows_uncorrectable_total",
] as const;
type HealthRole = (typeof ROLES_OF_HEALTH)[number];

// Hardware and thermal slowdown, and the power brake. Running at the power cap is normal.
const SLOWDOWN_BITS = 0x8 | 0x20 | 0x40 | 0x80;
const HOT_C = 85;
const BUSY_RATIO = 0.05;

export function healthOf(value: (role: HealthRole) => number): { health: Health; why: string } {
  const xid = value("gpu_xid");
  if (xid > 0) return { health: "unhealthy", why: `XID ${xid}` };
  const errors = value("gpu_ecc_uncorrected_total");
  if (errors > 0) return { health: "unhealthy", why: `${errors} double-bit ECC errors` };
  const rows = value("gpu_remapped_rows_uncorrectable_total");
  if (rows > 0) return { health: "unhealthy", why: `${rows} rows remapped for uncorrectable errors` };
  if (value("gpu_throttle_reasons") & SLOWDOWN_BITS) return { health: "throttled", why: "slowed down by hardware or heat" };
  const celsius = value("gpu_temperature_celsius");
  if (celsius >= HOT_C) return { health: "hot", why: `${celsius} °C` };
  const active = value("gpu_gr_engine_active_ratio");
  const busy = Number.isNaN(active) ? value("gpu_utilization_ratio") : active;
  return busy > BUSY_RATIO
    ? { health: "busy", why: `${plain(busy * 100)} % busy, ${plain(celsius)} °C` }
    : { health: "idle", why: `${plain(celsius)} °C` };
}

// The latest value of a role among a GPU's series.
function newest(own: readonly VectorRow[], role: Role | undefined): number {
  for (const name of role?.names ?? []) {
    const row = own.find((candidate) => candidate.metric["__name__"] === name.metric);
    if (row?.value) return numberOf(row.value[1]);
  }
  return NaN;
}

export function gpusOf(rows: readonly VectorRow[], roles: readonly Role[]): Gpu[] {
  const byUuid = new Map<string, VectorRow[]>();
  for (const row of rows) {
    const uuid = firstOf(row.metric, UUID_LABELS);
    if (uuid) byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), row]);
  }
  const gpus = [...byUuid].map(([uuid, own]): Gpu => {
    const value = (wanted: HealthRole) => newest(own, roles.find((role) => role.role === wanted));
    const labels = own[0]?.metric ?? {};
    return {
      uuid, host: firstOf(labels, HOST_LABELS), gpu: firstOf(labels, INDEX_LABELS), model: firstOf(labels, MODEL_LABELS), ...healthOf(value),
    };
  });
  return gpus.sort((a, b) => a.host.localeCompare(b.host, "en", { numeric: true }) || Number(a.gpu) - Number(b.gpu));
}

const KEPT = ["__name__", ...UUID_LABELS, ...HOST_LABELS, ...INDEX_LABELS, ...MODEL_LABELS].join(", ");

export function useGpus(range: KnownRange): { gpus: readonly Gpu[] | null; error: AskError | null } {
  const known = useRoles();
  const roles = useMemo(() => known.data && rolesNamed(known.data, ROLES_OF_HEALTH), [known.data]);
  const query = roles && `max by (${KEPT}) (last_over_time({__name__=~"${namesPattern(roles)}"}[2m]))`;
  const answer = useAnswer<VectorResult>(range.isKnown && query ? "query" : null, { query, time: range.to.toFixed(3), units: "role" });
  const gpus = useMemo(() => (answer.data && roles ? gpusOf(answer.data.result, roles) : null), [answer.data, roles]);
  return { gpus, error: known.error ?? answer.error };
}
