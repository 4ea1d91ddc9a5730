import { expect, test } from "vitest";
import { colourSpan, extremes, quantile, reduced } from "./reduce";

test("one late cell among a thousand ranks stays visible", () => {
  const rows = Array.from({ length: 1024 }, (_, rank) =>
    Array.from({ length: 500 }, (__, step) => (rank === 700 && step === 123 ? 9 : 1)));
  const small = reduced(rows, 256, 100);
  expect([small.length, small[0]?.length]).toEqual([256, 100]);
  expect(small[175]?.[24]).toBe(9);
  expect(small.flat().filter((value) => value === 9)).toHaveLength(1);
});

test("low outliers survive like high ones", () => {
  expect(reduced([[5, 5, 5, 0, 5, 6]], 1, 2)).toEqual([[5, 0]]);
});

test("rows that fit are unchanged", () => {
  const rows = [[1, null], [2, 3]];
  expect(reduced(rows, 2, 2)).toBe(rows);
});

test("cells without numbers stay empty", () => {
  expect(reduced([[null, null, 1, null]], 1, 2)).toEqual([[null, 1]]);
  expect(extremes([[null]])).toBeNull();
  expect(quantile([[null]], 0.5)).toBeNull();
});

test("a scale shows outliers, and an absurd value does not flatten it", () => {
  const row = (odd: number) => Array.from({ length: 1000 }, (_, i) => (i === 0 ? odd : i % 10));
  expect(colourSpan([row(60)])).toEqual({ low: 0, high: 60 });
  expect(colourSpan([row(1000)])).toEqual({ low: 0, high: 9 + 20 * 9 });
  expect(colourSpan([[3, 3, 3]])).toEqual({ low: 3, high: 3 });
});
