import { expect, it } from "vitest";
import { extent, stretches } from "./bands";

const band = (low: (number | null)[], high: (number | null)[]) => ({ colour: "red", low, high });

it("divides a band at gaps", () => {
  expect(stretches(band([1, 2, null, 4, 5], [2, 3, 9, null, 6]))).toEqual([[0, 1], [4, 4]]);
  expect(stretches(band([null], [null]))).toEqual([]);
  expect(stretches(band([], []))).toEqual([]);
  expect(stretches(band([1], [1]))).toEqual([[0, 0]]);
});

it("makes room for spikes", () => {
  expect(extent(2, 3, [band([1, null], [2, 90])])).toEqual([1, 90]);
  expect(extent(2, 3, [])).toEqual([2, 3]);
  expect(extent(null, null, [band([-4], [-2])])).toEqual([-4, -2]);
});
