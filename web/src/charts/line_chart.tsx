// Lines over one axis: hovering reads all of them, dragging zooms, marks show events.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour, useTheme } from "../parts/use_theme";
import { clock, tick } from "../words/moment";
import { apart, plain, short } from "../words/number";
import { bandsPlugin, extent, type Band } from "./bands";
import { marksPlugin, type Mark } from "./marks";
import { useWidth } from "./use_width";

export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly width?: number;
  // The lowest and highest values around each point.
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
}

export interface LineChartProps {
  readonly title: string; // for screen readers
  readonly x: readonly number[];
  readonly lines: readonly Line[];
  readonly isTime?: boolean; // x is in Unix seconds
  readonly height?: number;
  readonly marks?: readonly Mark[];
  readonly unit?: (value: number | null, digits?: number) => string;
  readonly xWords?: (x: number) => string;
  readonly onZoom?: (from: number, to: number) => void;
  readonly onReset?: () => void;
  readonly syncKey?: string;
}

// The legend lists at most this many lines.
const MAX_LEGEND = 24;

function optionsOf(props: LineChartProps, width: number, onCursor: (at: number | null) => void): uPlot.Options {
  const axis = {
    stroke: colour("muted"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line"), width: 1, size: 4 },
    size: 30,
    font: "11px system-ui, sans-serif",
  };
  const unit = props.unit ?? plain;
  const bands = bandsOf(props.lines);
  return {
    width,
    height: props.height ?? 170,
    legend: { show: false },
    padding: [10, 12, 0, 0],
    scales: { x: { time: props.isTime ?? false }, y: { range: (_, low, high) => rangeOfValues(...extent(low, high, bands)) } },
    cursor: {
      drag: { x: !!props.onZoom, y: false, setScale: false },
      points: { size: 6 },
      ...(props.syncKey ? { sync: { key: props.syncKey, setSeries: false } } : {}),
    },
    series: [
      {},
      ...props.lines.map((line) => ({
        label: line.name,
        stroke: line.colour,
        width: line.width ?? 1.5,
        spanGaps: false,
        points: { show: line.values.length < 2 },
      })),
    ],
    axes: [
      props.isTime ? { ...axis, space: 76, values: (_, all, __, ___, apart) => all.map((x) => tick(x, apart)) } : { ...axis, space: 60, values: (_, all) => all.map((x) => short(x)) },
      { ...axis, size: 64, values: (_, all) => apart(all, unit) },
    ],
    plugins: [bandsPlugin(props.x, bands), marksPlugin(props.marks ?? [])],
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          if (plot.select.width < 4 || !props.onZoom) return;
          const from = plot.posToVal(plot.select.left, "x");
          const to = plot.posToVal(plot.select.left + plot.select.width, "x");
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          props.onZoom(from, to);
        },
      ],
    },
  };
}

function bandsOf(lines: readonly Line[]): Band[] {
  return lines.flatMap(({ colour, low, high }) => (low && high ? [{ colour, low, high }] : []));
}

// Adds a margin above and below; a flat line gets one too.
function rangeOfValues(low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

export function LineChart(props: LineChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const theme = useTheme();
  const [cursor, setCursor] = useState<number | null>(null);
  const { x, lines, marks } = props;
  const latest = useRef(props);
  latest.current = props;
  const data = useMemo(() => [x, ...lines.map((line) => line.values)] as unknown as uPlot.AlignedData, [x, lines]);

  useEffect(() => {
    if (!box.current || width === 0) return;
    const plot = new uPlot(optionsOf(latest.current, width, setCursor), data, box.current);
    const reset = () => latest.current.onReset?.();
    plot.over.addEventListener("dblclick", reset);
    return () => plot.destroy();
  }, [data, marks, width, theme, props.height, props.isTime]);

  const at = cursor ?? x.length - 1;
  const unit = props.unit ?? plain;
  const words = props.xWords ?? (props.isTime ? clock : (value: number) => short(value));
  return (
    <figure class="chart">
      <div ref={box} class="plot" role="img" aria-label={props.title} style={{ minHeight: `${props.height ?? 170}px` }} />
      <figcaption class="legend">
        <span class="legend-x">{x.length > 0 ? words(x[at] as number) : ""}</span>
        {lines.slice(0, MAX_LEGEND).map((line) => (
          <span key={line.name} class="legend-item">
            <span class="swatch" style={{ background: line.colour }} aria-hidden="true" />
            {line.name} <b>{unit(line.values[at] ?? null)}</b>
          </span>
        ))}
        {lines.length > MAX_LEGEND && <span class="note">and {lines.length - MAX_LEGEND} more</span>}
      </figcaption>
    </figure>
  );
}
