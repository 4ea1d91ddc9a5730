// What the other ranks do at the same time.
import type { Grid } from "../../server/training";

// The median of all rows but `row`, column by column; null where no other row has a number.
export function medianOfOthers(grid: Grid, row: number): (number | null)[] {
  const columns = grid[0]?.length ?? 0;
  return Array.from({ length: columns }, (_, column) => {
    const others: number[] = [];
    grid.forEach((values, at) => {
      const value = values[column];
      if (at !== row && value !== null && value !== undefined) others.push(value);
    });
    others.sort((a, b) => a - b);
    const middle = others.length / 2;
    if (others.length === 0) return null;
    if (others.length % 2 === 1) return others[Math.floor(middle)] as number;
    return ((others[middle - 1] as number) + (others[middle] as number)) / 2;
  });
}
