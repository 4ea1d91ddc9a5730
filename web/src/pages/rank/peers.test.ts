import { expect, test } from "vitest";
import { medianOfOthers } from "./peers";

test("the median leaves the rank itself out", () => {
  expect(medianOfOthers([[9, 9], [1, 2], [3, null], [5, 4]], 0)).toEqual([3, 3]);
  expect(medianOfOthers([[1, 1], [9, null]], 0)).toEqual([9, null]);
  expect(medianOfOthers([], 0)).toEqual([]);
});
