// Bands behind the lines of a chart, from the lowest to the highest value around each point.
import type uPlot from "uplot";

export interface Band {
  readonly colour: string;
  readonly low: readonly (number | null)[]; // by point of the x axis
  readonly high: readonly (number | null)[];
}

// Stretches of neighbouring points that have both edges: [first, last].
export function stretches(band: Band): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let first = -1;
  for (let i = 0; i <= band.low.length; i += 1) {
    const isKnown = typeof band.low[i] === "number" && typeof band.high[i] === "number";
    if (isKnown && first < 0) first = i;
    if (isKnown || first < 0) continue;
    found.push([first, i - 1]);
    first = -1;
  }
  return found;
}

// The range of values with those of the bands.
export function extent(low: number | null, high: number | null, bands: readonly Band[]): [number | null, number | null] {
  for (const band of bands) {
    for (const value of band.low) if (typeof value === "number" && (low === null || value < low)) low = value;
    for (const value of band.high) if (typeof value === "number" && (high === null || value > high)) high = value;
  }
  return [low, high];
}

// A single point is as wide as this.
const HALF_POINT_PX = 1;

function fill(plot: uPlot, x: readonly number[], band: Band, first: number, last: number): void {
  const { ctx } = plot;
  const ratio = window.devicePixelRatio || 1;
  const at = (i: number, value: number | null | undefined): [number, number] =>
    [plot.valToPos(x[i] as number, "x", true), plot.valToPos(value as number, "y", true)];
  const room = first === last ? HALF_POINT_PX * ratio : 0;
  ctx.beginPath();
  for (let i = first; i <= last; i += 1) {
    const [left, top] = at(i, band.high[i]);
    ctx.lineTo(left - room, top);
  }
  for (let i = last; i >= first; i -= 1) {
    const [left, bottom] = at(i, band.low[i]);
    ctx.lineTo(left + room, bottom);
  }
  if (room > 0) {
    const [left, top] = at(first, band.high[first]);
    ctx.lineTo(left + room, top);
  }
  ctx.closePath();
  ctx.fill();
}

export function bandsPlugin(x: readonly number[], bands: readonly Band[]): uPlot.Plugin {
  const draw = (plot: uPlot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = 0.25;
    for (const band of bands) {
      ctx.fillStyle = band.colour;
      for (const [first, last] of stretches(band)) fill(plot, x, band, first, last);
    }
    ctx.restore();
  };
  return { hooks: { drawAxes: [draw] } };
}
