import { expect, test } from "vitest";
import { cellAt, layoutOf } from "./heat_map_layout";

const four = layoutOf(420, 4, 10, () => "1");

test("a cell is where it was painted", () => {
  const cellWidth = four.width / 10;
  expect(cellAt(four, four.left + 0.5, 0.5)).toEqual({ row: 0, column: 0 });
  expect(cellAt(four, four.left + 3.5 * cellWidth, 2.5 * four.rowHeight)).toEqual({ row: 2, column: 3 });
  expect(cellAt(four, four.left - 1, 5)).toBeNull();
  expect(cellAt(four, four.left + 5, four.height + 1)).toBeNull();
});

test("a thousand ranks fit, and only a few are labelled", () => {
  const layout = layoutOf(900, 1024, 200, String);
  expect(layout.height).toBeLessThanOrEqual(420);
  expect(layout.namedRows.length).toBeLessThanOrEqual(30);
  expect(layout.namedRows[0]).toBe(0);
});

test("without rows there is no cell", () => {
  expect(cellAt(layoutOf(400, 0, 0, String), 50, 5)).toBeNull();
});
