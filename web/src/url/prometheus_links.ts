// Translates addresses of Prometheus' page, which alerts, dashboards and people link to.
import { address, type Place } from "./location";

// One query of such an address.
export interface LinkedQuery {
  readonly query: string;
  readonly target: string; // its address in Explore
  readonly unread: readonly string[]; // invalid times and durations, as "g0.end_input=..."
}

const PLACES: Readonly<Record<string, string>> = {
  "rules": "/alerts#rules",
  "alertmanager-discovery": "/alerts",
  "targets": "/status#targets",
  "service-discovery": "/status#targets",
  "tsdb-status": "/status#cardinality",
  "config": "/status#configuration",
  "flags": "/status#flags",
};
const QUERY_PLACES = new Set(["graph", "query"]);

const DEFAULT_RANGE_S = 3600;
// Ranges that the range picker offers by name.
const NAMED_SPANS: Readonly<Record<number, string>> = {
  300: "5m", 900: "15m", 3600: "1h", 21_600: "6h", 86_400: "1d", 604_800: "7d", 2_592_000: "30d",
};
const UNITS_S: Readonly<Record<string, number>> = {
  ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000,
};

// Seconds of a duration such as "1h30m"; null if invalid.
function durationOf(text: string): number | null {
  if (!/^(\d+(ms|[smhdwy]))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g)) seconds += Number(amount) * (UNITS_S[unit ?? ""] ?? 0);
  return seconds > 0 ? seconds : null;
}

// Unix seconds of "2026-01-31 12:00:00" (UTC) or of a plain number; null if invalid.
function timeOf(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/.test(text)) return null;
  const iso = text.replace(" ", "T");
  const time = Date.parse(iso.includes("T") && !iso.endsWith("Z") ? `${iso}Z` : iso);
  return Number.isNaN(time) ? null : time / 1000;
}

function viewOf(tab: string | null): "graph" | "table" | "explain" {
  if (tab === "0" || tab === "graph") return "graph";
  return tab === "explain" || tab === "tree" ? "explain" : "table";
}

function rangeOf(end: number | null, length: number) {
  if (end !== null) return { from: (end - length).toFixed(3), to: end.toFixed(3) };
  const named = NAMED_SPANS[length];
  return named ? { span: named } : { from: `now-${Math.ceil(length)}s`, to: "now" };
}

function linkedQuery(given: URLSearchParams, at: number): LinkedQuery | null {
  const query = given.get(`g${at}.expr`)?.trim();
  if (!query) return null;
  const unread: string[] = [];
  const read = (name: string, parse: (text: string) => number | null) => {
    const text = given.get(`g${at}.${name}`)?.trim();
    const value = text ? parse(text) : null;
    if (text && value === null) unread.push(`g${at}.${name}=${text}`);
    return value;
  };
  const view = viewOf(given.get(`g${at}.tab`));
  const end = read("end_input", timeOf);
  const moment = read("moment_input", timeOf);
  const range = rangeOf(view === "graph" ? (end ?? moment) : (moment ?? end), read("range_input", durationOf) ?? DEFAULT_RANGE_S);
  return { query, unread, target: address("/explore", { q: query, view, ...range }) };
}

// The queries g0, g1, ... of `search`, by number.
export function linkedQueries(search: string): readonly LinkedQuery[] {
  const given = new URLSearchParams(search);
  const numbers = new Set<number>();
  for (const name of given.keys()) {
    const match = /^g(\d{1,6})\.expr$/.exec(name);
    if (match) numbers.add(Number(match[1]));
  }
  return [...numbers].sort((a, b) => a - b).flatMap((at) => linkedQuery(given, at) ?? []);
}

// Keeps the link if it contains more than Explore can show, so that Explore can say so.
export const withLink = (target: string, search: string): string => `${target}&${new URLSearchParams({ link: search })}`;

// The equivalent address on this page; null for addresses that are not specific to Prometheus.
export function fromPrometheus({ path, params }: Place): string | null {
  const [name = "", ...more] = path.split("/").filter(Boolean);
  if (more.length > 0) return null;
  if (!QUERY_PLACES.has(name)) return PLACES[name] ?? null;
  const search = params.toString();
  const queries = linkedQueries(search);
  const [first] = queries;
  if (!first) return "/explore";
  return queries.length > 1 || first.unread.length > 0 ? withLink(first.target, search) : first.target;
}
