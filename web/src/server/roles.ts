// The server's catalogue of roles, which identifies series independent of the exporter's names.
// Queries with `units=role` return them in the role's unit.
import type { Labels } from "./prometheus";
import { useAnswer, type AnswerState } from "./use_answer";

export interface RoleName {
  readonly metric: string;
  readonly label: string; // that the series must have; "": none
}

export interface Role {
  readonly role: string;
  readonly scope: string;
  readonly names: readonly RoleName[];
}

export interface Roles {
  readonly roles: readonly Role[];
}

export const ROLES = "training/roles";

export const useRoles = (): AnswerState<Roles> => useAnswer<Roles>(ROLES);

export const rolesNamed = (roles: Roles, wanted: readonly string[]): readonly Role[] =>
  wanted.flatMap((name) => roles.roles.find((role) => role.role === name) ?? []);

// Skips names that also need a label, because charts query by name alone.
const plainNames = (role: Role) => role.names.filter((name) => name.label === "");

// A regular expression that matches all metric names of `roles`.
export const namesPattern = (roles: readonly Role[]): string =>
  [...new Set(roles.flatMap((role) => plainNames(role).map((name) => name.metric)))].join("|");

// The role and name of a metric, from the first of `roles` that has it.
export function roleOf(roles: readonly Role[], metric: string): { role: Role; name: RoleName } | null {
  for (const role of roles) {
    const name = plainNames(role).find((candidate) => candidate.metric === metric);
    if (name) return { role, name };
  }
  return null;
}

// "SM active" for gpu_sm_active_ratio.
const UNITS = /_(ratio|watts|hertz|celsius|bytes|bytes_per_second|seconds|joules)$/;
const SPELT = /\b(sm|dram|pcie|nvlink|gr|xid|ecc|rx|tx|fp\d\d)\b/g;
export const roleWords = (role: string): string =>
  role.replace(/^gpu_/, "").replace(/_total$/, "").replace(UNITS, "").replaceAll("_", " ")
    .replace(SPELT, (letters) => (letters === "pcie" ? "PCIe" : letters === "nvlink" ? "NVLink" : letters.toUpperCase()));

// The labels by which exporters identify a device, most common first.
export const UUID_LABELS = ["UUID", "uuid", "gpu_uuid", "hw_id"] as const;
export const HOST_LABELS = ["Hostname", "hostname", "host", "node"] as const;
export const INDEX_LABELS = ["gpu", "device"] as const;
export const MODEL_LABELS = ["modelName", "model", "gpu_model"] as const;

export const firstOf = (labels: Labels, names: readonly string[]): string =>
  names.map((name) => labels[name]).find(Boolean) ?? "";
