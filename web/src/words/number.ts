// Formats numbers for people. Unknown values are a dash.

export const DASH = "–";
const FEWEST_DIGITS = 3;
const MOST_DIGITS = 7;

// Anything shorter is a rounding error of a subtraction.
const SHORTEST_SECONDS = 1e-9;

const isKnown = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && !Number.isNaN(value);

// Formats `values` with enough digits to tell neighbours apart, for axes whose values hardly
// change.
export function apart(values: readonly number[], unit: (value: number, digits?: number) => string): string[] {
  for (let digits = FEWEST_DIGITS; digits < MOST_DIGITS; digits += 1) {
    const words = values.map((value) => unit(value, digits));
    if (new Set(words).size === values.length) return words;
  }
  return values.map((value) => unit(value, MOST_DIGITS));
}

// About three significant digits: 0.00123, 1.23, 1,234.
export function plain(value: number | null | undefined, digits = FEWEST_DIGITS): string {
  if (!isKnown(value)) return DASH;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(digits - 1);
  if (size >= 10 ** digits) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(digits)));
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

// 320 k, 1.5 M.
export function short(value: number | null | undefined, unit = "", base = 1000, digits = FEWEST_DIGITS): string {
  if (!isKnown(value)) return DASH;
  let size = value;
  let at = 0;
  while (Math.abs(size) >= base && at < PREFIXES.length - 1) {
    size /= base;
    at += 1;
  }
  const prefix = `${PREFIXES[at]}${base === 1024 && at > 0 ? "i" : ""}${unit}`;
  return prefix ? `${plain(size, digits)} ${prefix}` : plain(size, digits);
}

export const bytes = (value: number | null | undefined): string => short(value, "B", 1024);

export function percent(ratio: number | null | undefined, digits = 1): string {
  if (!isKnown(ratio)) return DASH;
  const rounded = (ratio * 100).toFixed(digits);
  // Avoids "-0.0".
  return `${Number(rounded) === 0 ? rounded.replace("-", "") : rounded} %`;
}

// A percentage with `digits` significant digits, for charts: 45 %, 45.2 %.
export const share = (ratio: number | null, digits = FEWEST_DIGITS): string => percent(ratio, Math.max(0, digits - FEWEST_DIGITS));

export const count = (value: number | null | undefined): string =>
  isKnown(value) ? Math.round(value).toLocaleString("en-US") : DASH;

// A number with the server's unit.
export function withUnit(value: number | null | undefined, unit: string): string {
  if (!isKnown(value)) return DASH;
  if (unit === "ratio" || unit.startsWith("share of")) return percent(value);
  if (unit === "seconds" || unit === "s") return seconds(value);
  if (unit === "bytes") return bytes(value);
  if (unit === "bytes/s") return short(value, "B/s");
  return unit ? `${plain(value)} ${unit.replaceAll("_", " ")}` : plain(value);
}

// 204 ms, 1.62 s, 3 m 20 s, 5 h 12 m, 2 d 4 h.
export function seconds(value: number | null | undefined, digits = FEWEST_DIGITS): string {
  if (!isKnown(value)) return DASH;
  const size = Math.abs(value);
  if (size < SHORTEST_SECONDS) return "0 s";
  if (size < 1e-3) return `${plain(value * 1e6, digits)} µs`;
  if (size < 1) return `${plain(value * 1e3, digits)} ms`;
  if (size < 60) return `${plain(value, digits)} s`;
  const [big, small, bigName, smallName] =
    size < 3600 ? [60, 1, "m", "s"] : size < 86_400 ? [3600, 60, "h", "m"] : ([86_400, 3600, "d", "h"] as const);
  const whole = Math.floor(size / big);
  const rest = Math.floor((size - whole * big) / small);
  return `${value < 0 ? "−" : ""}${whole} ${bigName}${rest ? ` ${rest} ${smallName}` : ""}`;
}
