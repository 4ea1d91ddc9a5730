// What numbers say, whoever wrote them under whatever name: the server's catalogue of roles, and its use on series.
import { numberOf, type Labels, type MatrixRow } from "./prometheus";
import { useAnswer, type Asked } from "./use_answer";

export interface RoleName {
  readonly metric: string;
  readonly factor: number;
  readonly stored: "gauge" | "counter" | "gauge_or_counter" | "percent_or_ratio";
  readonly part: string;
  readonly label: string;
  readonly label_value: string;
}

export interface Role {
  readonly role: string;
  readonly unit: string;
  readonly scope: string;
  readonly kind: "gauge" | "total";
  readonly help: string;
  readonly names: readonly RoleName[];
}

export interface Roles {
  readonly roles: readonly Role[];
}

export const ROLES = "training/roles";

export const useRoles = (): Asked<Roles> => useAnswer<Roles>(ROLES);

export const rolesNamed = (roles: Roles, wanted: readonly string[]): readonly Role[] =>
  wanted.flatMap((name) => roles.roles.find((role) => role.role === name) ?? []);

// Names that need a label beside them are left out: a chart asks by name alone.
const plainNames = (role: Role) => role.names.filter((name) => name.label === "");

// A matcher's regular expression of all names of `roles`.
export const namesPattern = (roles: readonly Role[]): string =>
  [...new Set(roles.flatMap((role) => plainNames(role).map((name) => name.metric)))].join("|");

// The role and name behind a series; the first of `roles` that has the name.
export function roleOf(roles: readonly Role[], metric: string): { role: Role; name: RoleName } | null {
  for (const role of roles) {
    const name = plainNames(role).find((candidate) => candidate.metric === metric);
    if (name) return { role, name };
  }
  return null;
}

// "SM active" of gpu_sm_active_ratio.
const UNITS = /_(ratio|watts|hertz|celsius|bytes|bytes_per_second|seconds|joules)$/;
const SPELT = /\b(sm|dram|pcie|nvlink|gr|xid|ecc|rx|tx|fp\d\d)\b/g;
export const roleWords = (role: string): string =>
  role.replace(/^gpu_/, "").replace(/_total$/, "").replace(UNITS, "").replaceAll("_", " ")
    .replace(SPELT, (letters) => (letters === "pcie" ? "PCIe" : letters === "nvlink" ? "NVLink" : letters.toUpperCase()));

const HIGHEST_RATIO = 1.5;
// Fewer samples that only grow may be a gauge by chance.
const FEWEST_OF_COUNTER = 4;

// A gauge that so many exporters write as a counter is one if it never falls and keeps growing.
function growsOnly(values: readonly (readonly [number, number])[]): boolean {
  const steps = values.slice(1).map(([, value], at) => value - (values[at] as readonly [number, number])[1]);
  return values.length >= FEWEST_OF_COUNTER && steps.every((step) => step >= 0) && steps.filter((step) => step > 0).length > steps.length / 2;
}

// By how much it grows a second; what falls began anew, and says nothing at that place.
function rates(values: readonly (readonly [number, number])[]): [number, number][] {
  return values.slice(1).flatMap(([at, value], i): [number, number][] => {
    const [before, was] = values[i] as readonly [number, number];
    return value >= was && at > before ? [[at, (value - was) / (at - before)]] : [];
  });
}

// The samples of `row` in the role's unit.
export function inUnitOf(role: Role, name: RoleName, row: MatrixRow): readonly (readonly [number, number])[] {
  const values = (row.values ?? []).map(([at, text]) => [at, numberOf(text)] as const);
  const isCounter = name.stored === "counter" || (name.stored === "gauge_or_counter" && growsOnly(values));
  const read = role.kind === "gauge" && isCounter ? rates(values) : values;
  const isPercent = name.stored === "percent_or_ratio" && values.some(([, value]) => value > HIGHEST_RATIO);
  const factor = isPercent ? 0.01 : name.factor;
  return read.map(([at, value]) => [at, value * factor]);
}

// The labels under which exporters name a device, the most usual first.
export const UUID_LABELS = ["UUID", "uuid", "gpu_uuid", "hw_id"] as const;
export const HOST_LABELS = ["Hostname", "hostname", "host", "node"] as const;
export const INDEX_LABELS = ["gpu", "device"] as const;
export const MODEL_LABELS = ["modelName", "model", "gpu_model"] as const;

export const firstOf = (labels: Labels, names: readonly string[]): string =>
  names.map((name) => labels[name]).find(Boolean) ?? "";
