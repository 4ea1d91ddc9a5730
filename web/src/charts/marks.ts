// Events on a chart: a line for a moment, a band for an interval, with its name at the top.
import type uPlot from "uplot";
import { colour } from "../parts/use_theme";
import type { Tone } from "../words/training";

export interface Mark {
  readonly from: number; // on the chart's axis
  readonly to: number;
  readonly name: string;
  readonly tone: Tone;
}

const MIN_BAND_PX = 3;
const NAME_ROOM_PX = 6;

export function marksPlugin(marks: readonly Mark[]): uPlot.Plugin {
  const draw = (plot: uPlot) => {
    const { ctx, bbox } = plot;
    const ratio = window.devicePixelRatio || 1;
    ctx.save();
    ctx.font = `${10 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    let nameEnds = -Infinity;
    for (const mark of marks) {
      const left = Math.max(bbox.left, plot.valToPos(mark.from, "x", true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(mark.to, "x", true));
      if (right < bbox.left || left > bbox.left + bbox.width) continue;
      const tone = colour(mark.tone === "calm" ? "muted" : mark.tone);
      ctx.fillStyle = tone;
      ctx.globalAlpha = 0.14;
      ctx.fillRect(left, bbox.top, Math.max(MIN_BAND_PX * ratio, right - left), bbox.height);
      ctx.globalAlpha = 0.9;
      ctx.fillRect(left, bbox.top, ratio, bbox.height);
      const wide = ctx.measureText(mark.name).width;
      if (left > nameEnds && left + wide < bbox.left + bbox.width) {
        ctx.fillText(mark.name, left + 3 * ratio, bbox.top + 2 * ratio);
        nameEnds = left + wide + NAME_ROOM_PX * ratio;
      }
    }
    ctx.restore();
  };
  return { hooks: { draw } };
}
