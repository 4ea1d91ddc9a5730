// The server's status answers.

export interface Count {
  readonly name: string;
  readonly value: number;
}

export interface TsdbStatus {
  readonly headStats: {
    readonly numSeries: number;
    readonly numLabelPairs: number;
    readonly chunkCount: number;
    readonly minTime: number; // Unix milliseconds
    readonly maxTime: number;
  };
}

export interface Cardinality {
  readonly series: number;
  readonly seriesInMemory: number;
  readonly seriesCountByJob: readonly Count[];
  readonly seriesCountByMetricName: readonly Count[];
  readonly labelValueCountByLabelName: readonly Count[];
  readonly seriesCountByLabelValuePair: readonly Count[];
  readonly churn: Readonly<Record<"last10m" | "last1h" | "last1d", { readonly appeared: number; readonly left: number }>>;
}

export interface MemoryAccount {
  readonly account: string;
  readonly limitBytes: number;
  readonly heldBytes: number;
  readonly refusals: number;
}

export interface MemoryStatus {
  readonly limitBytes: number;
  readonly heldBytes: number;
  readonly accounts: readonly MemoryAccount[];
}

export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly branch: string;
  readonly goVersion: string;
}

export interface RuntimeInfo {
  readonly startTime: string;
  readonly hostname: string;
  readonly CWD: string;
  readonly storageRetention: string;
}

export interface ActiveQuery {
  readonly id: number | string;
  readonly query: string;
  readonly path: string;
  readonly user: string;
  readonly state?: string;
  readonly [field: string]: unknown;
}

export interface Target {
  readonly labels: Readonly<Record<string, string>>;
  readonly scrapePool: string;
  readonly scrapeUrl: string;
  readonly health: string;
  readonly lastError: string;
  readonly lastScrape: string;
  readonly lastScrapeDuration: number;
}

export interface Targets {
  readonly activeTargets: readonly Target[];
}

// The sum of each metric's samples in a text exposition.
export function sumsByMetric(text: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{.*\})? (\S+)/.exec(line);
    if (match?.[1]) sums.set(match[1], (sums.get(match[1]) ?? 0) + Number(match[2]));
  }
  return sums;
}
