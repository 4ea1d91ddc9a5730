import { expect, it } from "vitest";
import { withBands } from "./bands";

const low = [[0, "1"], [60, "2"]] as const;
const high = [[0, "9"], [60, "8"]] as const;

it("finds the extremes of each series", () => {
  const rows = [{ metric: { __name__: "m", gpu: "0" }, values: [[60, "5"]] as const }, { metric: { __name__: "m", gpu: "1" } }];
  const reduced = [
    { metric: { __name__: "m", __reduce__: "max", gpu: "0" }, values: high },
    { metric: { gpu: "0", __reduce__: "min", __name__: "m" }, values: low },
    { metric: { __name__: "m", __reduce__: "count", gpu: "0" }, values: [[60, "7"]] as const },
    { metric: { __name__: "n", __reduce__: "min", gpu: "1" }, values: low },
  ];
  expect(withBands(rows, reduced)).toEqual([{ ...rows[0], low, high }, rows[1]]);
});

it("leaves rows alone that have no extremes", () => {
  const rows = [{ metric: {}, values: low }];
  expect(withBands(rows, [])).toEqual(rows);
});
