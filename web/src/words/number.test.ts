import { expect, test } from "vitest";
import { apart, bytes, count, percent, plain, seconds, share, short, withUnit } from "./number";

test.each([
  [0, "0"],
  [0.20454, "0.205"],
  [1234.5, "1,235"],
  [12.345, "12.3"],
  [1e-7, "1.00e-7"],
  [null, "–"],
  [NaN, "–"],
  [Infinity, "∞"],
])("plain %s", (value, expected) => expect(plain(value)).toBe(expected));

test.each([
  [320_416, "320 k"],
  [1_500_000, "1.5 M"],
  [12, "12"],
])("short %s", (value, expected) => expect(short(value)).toBe(expected));

test.each([
  [0.0002, "200 µs"],
  [-1.78e-15, "0 s"],
  [0.2045, "205 ms"],
  [40.18, "40.2 s"],
  [200, "3 m 20 s"],
  [3600, "1 h"],
  [187_200, "2 d 4 h"],
  [-90, "−1 m 30 s"],
])("seconds %s", (value, expected) => expect(seconds(value)).toBe(expected));

test("units", () => {
  expect(bytes(1536)).toBe("1.5 KiB".replace("K", "k"));
  expect(percent(0.4638)).toBe("46.4 %");
  expect(percent(-0.0004)).toBe("0.0 %");
  expect(percent(-0.004)).toBe("-0.4 %");
  expect(count(1234567)).toBe("1,234,567");
  expect(withUnit(0.145, "ratio")).toBe("14.5 %");
  expect(withUnit(3, "samples_per_second")).toBe("3 samples per second");
});

test("axis ticks differ from their neighbours", () => {
  expect(apart([1, 1.0005, 1.001], seconds)).toEqual(["1 s", "1.0005 s", "1.001 s"]);
  expect(apart([1, 2, 3], seconds)).toEqual(["1 s", "2 s", "3 s"]);
  expect(apart([0.45, 0.452], share)).toEqual(["45.0 %", "45.2 %"]);
  expect(apart([2, 2], plain)).toEqual(["2", "2"]);
});
