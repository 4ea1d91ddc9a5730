// A heat map on a canvas: a number or a class for every row and column, for example a thousand
// ranks by hundreds of steps. Hovering or the arrow keys read a cell, dragging sideways zooms, a
// click selects a cell.
import { useEffect, useRef, useState } from "preact/hooks";
import { colour, useTheme } from "../parts/use_theme";
import { cellAt, layoutOf, type Cell, type Layout } from "./heat_map_layout";
import { reduced, type Rows } from "./reduce";
import { useWidth } from "./use_width";

export interface HeatMapProps {
  readonly title: string;
  readonly values: Rows; // a row per rank, a column per bin
  readonly colourOf: (value: number) => readonly [number, number, number];
  readonly rowName: (row: number) => string;
  readonly columnName: (column: number) => string;
  readonly words: (cell: Cell, value: number | null) => string;
  readonly onBrush?: (first: number, last: number) => void;
  readonly onReset?: () => void;
  readonly onCell?: (cell: Cell) => void;
}

const HALF_LETTER = 6;

function paint(context: CanvasRenderingContext2D, layout: Layout, props: HeatMapProps): void {
  const rows = reduced(props.values, layout.cellsHigh, layout.cellsWide);
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  if (height === 0 || width === 0) return;
  const image = new ImageData(width, height);
  rows.forEach((row, y) =>
    row.forEach((value, x) => {
      if (value === null) return;
      const at = (y * width + x) * 4;
      [image.data[at], image.data[at + 1], image.data[at + 2]] = props.colourOf(value);
      image.data[at + 3] = 255;
    }));
  const small = new OffscreenCanvas(width, height);
  small.getContext("2d")?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, layout.left, layout.top, layout.width, layout.height);
}

function paintNames(context: CanvasRenderingContext2D, layout: Layout, props: HeatMapProps): void {
  context.fillStyle = colour("muted");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const row of layout.namedRows) {
    // Where rows are thinner than letters, the first row's name would be cut off at the top.
    const middle = Math.max(HALF_LETTER, layout.top + (row + 0.5) * layout.rowHeight);
    context.fillText(props.rowName(row), layout.left - 6, middle);
  }
  context.textBaseline = "top";
  for (const column of layout.namedColumns) {
    const x = layout.left + (column / layout.columns) * layout.width;
    context.textAlign = column === 0 ? "left" : "center";
    context.fillText(props.columnName(column), x, layout.top + layout.height + 5);
  }
}

function paintCursor(context: CanvasRenderingContext2D, layout: Layout, cell: Cell, from: Cell | null): void {
  const x = (column: number) => layout.left + (column / layout.columns) * layout.width;
  context.strokeStyle = colour("text");
  if (from) {
    const [first, last] = [Math.min(from.column, cell.column), Math.max(from.column, cell.column)];
    context.fillStyle = colour("accent");
    context.globalAlpha = 0.3;
    context.fillRect(x(first), layout.top, x(last + 1) - x(first), layout.height);
    context.globalAlpha = 1;
  }
  const width = Math.max(3, x(cell.column + 1) - x(cell.column));
  context.strokeRect(x(cell.column), layout.top + cell.row * layout.rowHeight, width, Math.max(3, layout.rowHeight));
}

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
};

export function HeatMap(props: HeatMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const theme = useTheme();
  const [cell, setCell] = useState<Cell | null>(null);
  const [brush, setBrush] = useState<Cell | null>(null);
  const base = useRef<ImageBitmap | OffscreenCanvas | null>(null);
  const rows = props.values.length;
  const columns = props.values[0]?.length ?? 0;
  const layout = layoutOf(width, rows, columns, props.rowName);

  useEffect(() => {
    if (width === 0 || rows === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const drawn = new OffscreenCanvas(width * ratio, layout.fullHeight * ratio);
    const context = drawn.getContext("2d") as unknown as CanvasRenderingContext2D;
    context.scale(ratio, ratio);
    paint(context, layout, props);
    paintNames(context, layout, props);
    base.current = drawn;
  }, [props.values, props.colourOf, width, theme]);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !base.current) return;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width * ratio, layout.fullHeight * ratio);
    context.drawImage(base.current, 0, 0);
    context.scale(ratio, ratio);
    if (cell) paintCursor(context, layout, cell, brush);
  }, [props.values, props.colourOf, width, theme, cell, brush]);

  const under = (event: PointerEvent) => cellAt(layout, event.offsetX, event.offsetY);
  const release = (event: PointerEvent) => {
    const end = under(event) ?? cell;
    setBrush(null);
    if (!brush || !end) return;
    if (Math.abs(end.column - brush.column) >= 1 && props.onBrush) {
      props.onBrush(Math.min(brush.column, end.column), Math.max(brush.column, end.column));
    } else {
      props.onCell?.(end);
    }
  };
  const step = (event: KeyboardEvent) => {
    if (event.key === "Enter" && cell) return props.onCell?.(cell);
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    const { row, column } = cell ?? { row: 0, column: 0 };
    setCell({
      row: Math.min(rows - 1, Math.max(0, row + by[0])),
      column: Math.min(columns - 1, Math.max(0, column + by[1])),
    });
  };
  const ratio = window.devicePixelRatio || 1;
  return (
    <figure class="heat-map" ref={box}>
      <canvas ref={canvas} width={width * ratio} height={layout.fullHeight * ratio} tabIndex={0} role="img"
              aria-label={`${props.title}. Use the arrow keys to read cells.`}
              style={{ width: `${width}px`, height: `${layout.fullHeight}px` }}
              onPointerMove={(event) => setCell(under(event))}
              onPointerLeave={() => !brush && setCell(null)}
              onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                setBrush(under(event));
              }}
              onPointerUp={release} onPointerCancel={() => setBrush(null)}
              onDblClick={() => props.onReset?.()} onKeyDown={step} />
      <figcaption class="readout" aria-live="polite">
        {cell ? props.words(cell, props.values[cell.row]?.[cell.column] ?? null) : "Hover to read values, drag to zoom, click to open the rank."}
      </figcaption>
    </figure>
  );
}
