import { expect, test } from "vitest";
import { momentOf, moved, rangeOf, zoomed } from "./time_range";

const NOW = 1_800_000_000;
const of = (query: string, newest: number | null) => rangeOf(new URLSearchParams(query), NOW, newest);

test.each([
  ["now", NOW],
  ["now-90m", NOW - 5400],
  ["1700000000.5", 1700000000.5],
  ["yesterday", null],
  ["", null],
])("momentOf %s", (text, expected) => expect(momentOf(text, NOW)).toBe(expected));

test("a live range ends now, a recording's at its last sample", () => {
  expect(of("", NOW - 10)).toEqual({ from: NOW - 3600, to: NOW });
  expect(of("", NOW - 90_000)).toEqual({ from: NOW - 93_600, to: NOW - 90_000 });
  expect(of("", null)).toEqual({ from: NOW - 3600, to: NOW });
});

test("parameters win, and a reversed range is corrected", () => {
  expect(of("span=6h", null)).toEqual({ from: NOW - 21_600, to: NOW });
  expect(of("from=100&to=200", NOW)).toEqual({ from: 100, to: 200 });
  expect(of("from=300&to=200", NOW)).toEqual({ from: 200 - 3600, to: 200 });
});

test("moving keeps the length, zooming keeps the middle", () => {
  expect(moved({ from: 100, to: 200 }, -0.5)).toEqual({ from: 50, to: 150 });
  expect(zoomed({ from: 100, to: 200 }, 2)).toEqual({ from: 50, to: 250 });
});
