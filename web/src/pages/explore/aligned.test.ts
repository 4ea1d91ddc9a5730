import { expect, test } from "vitest";
import { aligned } from "./aligned";

test("series with different times share one axis, with gaps", () => {
  const chart = aligned([
    { metric: { __name__: "a" }, values: [[1, "10"], [3, "30"]] },
    { metric: { __name__: "b" }, values: [[2, "20"], [3, "+Inf"]] },
  ]);
  expect(chart.x).toEqual([1, 2, 3]);
  expect(chart.rows).toEqual([
    { name: "a", values: [10, null, 30] },
    { name: "b", values: [null, 20, null] },
  ]);
});

test("a histogram is drawn as its count", () => {
  const chart = aligned([{ metric: {}, histograms: [[1, { count: "7", sum: "3" }]] }]);
  expect(chart.rows).toEqual([{ name: "{}", values: [7] }]);
});

test("a band has the times of the lines", () => {
  const chart = aligned([
    { metric: {}, values: [[1, "10"], [3, "30"]], low: [[1, "5"], [2, "1"]], high: [[1, "15"], [3, "NaN"]] },
  ]);
  expect(chart.rows).toEqual([{ name: "{}", values: [10, 30], low: [5, null], high: [15, null] }]);
});
