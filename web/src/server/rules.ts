// Alerts and rules, in the Prometheus API's form.
import type { Labels } from "./prometheus";

export interface Alert {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly state: string;
  readonly activeAt: string;
  readonly value: string;
}

export interface Alerts {
  readonly alerts: readonly Alert[];
}

export interface Rule {
  readonly name: string;
  readonly type: "alerting" | "recording";
  readonly query: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state?: string;
  readonly duration?: number;
  readonly evaluationTime: number;
  readonly alerts?: readonly Alert[];
}

export interface RuleGroup {
  readonly name: string;
  readonly file: string;
  readonly interval: number;
  readonly rules: readonly Rule[];
}

export interface RuleGroups {
  readonly groups: readonly RuleGroup[];
}
