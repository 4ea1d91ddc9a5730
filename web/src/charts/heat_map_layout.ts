// Where the cells of a heat map lie on its canvas, in CSS pixels.

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface Layout {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly fullHeight: number;
  readonly rows: number;
  readonly columns: number;
  readonly rowHeight: number;
  readonly cellsWide: number; // how many fit on the screen
  readonly cellsHigh: number;
  readonly namedRows: readonly number[];
  readonly namedColumns: readonly number[];
}

// Up to this many rows get at least one pixel each.
export const MAX_HEIGHT = 420;
const ROW_HEIGHT = 26;
const NAME_HEIGHT = 14;
const COLUMN_NAME_WIDTH = 110;
const BELOW = 22;
const DIGIT_WIDTH = 6.4;
const ROOM_FOR_NAMES = 70;
const COLUMNS_ROUNDED_TO = 50;

// How many columns to request for `fullWidth`, rounded down so that resizing by a pixel does not
// cause another request.
export function columnsFor(fullWidth: number): number {
  return Math.max(COLUMNS_ROUNDED_TO, Math.floor((fullWidth - ROOM_FOR_NAMES) / COLUMNS_ROUNDED_TO) * COLUMNS_ROUNDED_TO);
}

// Indices of evenly spaced items, at most `most` of `count`, to be labelled.
function everyFew(count: number, most: number): number[] {
  const raw = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const power = 2 ** Math.ceil(Math.log2(raw));
  return Array.from({ length: Math.ceil(count / power) }, (_, i) => i * power);
}

export function layoutOf(fullWidth: number, rows: number, columns: number, rowName: (row: number) => string): Layout {
  const longest = Math.max(0, ...everyFew(rows, 64).map((row) => rowName(row).length));
  const left = Math.min(fullWidth / 3, Math.ceil(longest * DIGIT_WIDTH) + 12);
  const width = Math.max(0, fullWidth - left);
  const height = Math.min(MAX_HEIGHT, rows * ROW_HEIGHT);
  return {
    left, top: 0, width, height, fullHeight: height + BELOW, rows, columns,
    rowHeight: rows ? height / rows : 0,
    cellsWide: Math.max(1, Math.floor(width)),
    cellsHigh: Math.max(1, Math.floor(height)),
    namedRows: everyFew(rows, height / NAME_HEIGHT),
    namedColumns: everyFew(columns, width / COLUMN_NAME_WIDTH),
  };
}

export function cellAt(layout: Layout, x: number, y: number): Cell | null {
  if (layout.rows === 0 || layout.columns === 0) return null;
  const column = Math.floor(((x - layout.left) / layout.width) * layout.columns);
  const row = Math.floor((y - layout.top) / layout.rowHeight);
  if (column < 0 || column >= layout.columns || row < 0 || row >= layout.rows) return null;
  return { row, column };
}
