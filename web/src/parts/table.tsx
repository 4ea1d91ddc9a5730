// A table that can be sorted by clicking a column header.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly sort?: (row: Row) => number | string | null;
  readonly isNumber?: boolean;
  readonly isWide?: boolean; // hidden on phones
  readonly isWidest?: boolean; // hidden on small screens too
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  const [order, setOrder] = useState<{ at: number; isDown: boolean } | null>(null);
  const key = order && columns[order.at]?.sort;
  const shown = key ? [...rows].sort((a, b) => compare(key(a), key(b)) * (order.isDown ? -1 : 1)) : rows;
  const turn = (at: number) =>
    setOrder((before) => (before?.at === at ? { at, isDown: !before.isDown } : { at, isDown: !!columns[at]?.isNumber }));
  const classOf = (column: Column<Row>) => `${column.isNumber ? "number" : ""} ${column.isWide ? "wide" : ""} ${column.isWidest ? "widest" : ""}`;
  const sortedAs = (at: number) => (order?.at !== at ? "none" : order.isDown ? "descending" : "ascending");
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={column.name} scope="col" class={classOf(column)} aria-sort={column.sort ? sortedAs(at) : undefined}>
                {column.sort ? <button type="button" onClick={() => turn(at)}>{column.name}</button> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => <td key={column.name} class={classOf(column)}>{column.cell(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
