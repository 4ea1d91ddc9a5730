// Colours that are distinguishable with any colour vision (after Okabe and Ito), and scales whose
// lightness grows with the value.

export const SERIES_COLOURS = [
  "#0a84d6", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b3a000", "#7f7f9f",
] as const;

export const seriesColour = (at: number): string => SERIES_COLOURS[at % SERIES_COLOURS.length] as string;

export const CLASS_COLOURS: Readonly<Record<string, string>> = {
  compute_bound: "#009e73",
  memory_bound: "#56b4e9",
  communication_bound: "#e69f00",
  input_bound: "#d55e00",
  waiting: "#cc79a7",
  idle: "#8a93a0",
  fake_load: "#f0e442",
  unknown: "#4d5562",
};

export const BIN_COLOURS: Readonly<Record<string, string>> = {
  productive: "#009e73",
  straggler_wait: "#d55e00",
  communication_exposed: "#e69f00",
  data_stall: "#f0e442",
  recomputed: "#cc79a7",
  recovery: "#a0529c",
  start_up: "#56b4e9",
  unhealthy: "#b2182b",
  idle_held: "#8a93a0",
  checkpoint: "#0072b2",
  evaluation: "#4b8f8c",
  pause: "#b8a05a",
  host_stall: "#c9b458",
  fake_load: "#7f2704",
};

type Rgb = readonly [number, number, number];

// Samples of cividis, a colour map made for colour-blind readers: dark blue to yellow.
const SEQUENTIAL: readonly Rgb[] = [
  [0, 32, 77], [0, 52, 110], [57, 72, 107], [87, 92, 109], [112, 113, 115], [138, 134, 120],
  [166, 156, 117], [195, 179, 105], [225, 204, 85], [255, 234, 70],
];

function between(from: Rgb, to: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => {
    const [a, b] = [from[i as 0], to[i as 0]];
    return Math.round(a + (b - a) * share);
  }) as unknown as Rgb;
}

// The colour at `share` of the scale, 0..1.
export function scaleColour(share: number): Rgb {
  const place = Math.min(1, Math.max(0, share)) * (SEQUENTIAL.length - 1);
  const at = Math.min(SEQUENTIAL.length - 2, Math.floor(place));
  return between(SEQUENTIAL[at] as Rgb, SEQUENTIAL[at + 1] as Rgb, place - at);
}

export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
