import { expect, test } from "vitest";
import { numberOf, quoted, seriesName, stepFor } from "./prometheus";

test.each([
  ["1.5e3", 1500],
  ["+Inf", Infinity],
  ["-Inf", -Infinity],
  ["NaN", NaN],
])("numberOf %s", (text, expected) => expect(numberOf(text)).toBe(expected));

test.each([
  [{ __name__: "up", job: "a" }, 'up{job="a"}'],
  [{ __name__: "up" }, "up"],
  [{ job: 'a"b' }, '{job="a\\"b"}'],
  [{}, "{}"],
])("seriesName %j", (labels, expected) => expect(seriesName(labels)).toBe(expected));

test("steps are whole seconds unless the range is short", () => {
  expect(stepFor(0, 3600, 500)).toBe(8);
  expect(stepFor(0, 40, 400)).toBe(0.1);
  expect(stepFor(0, 1, 1000)).toBe(0.05);
});

test("a label value becomes a string literal", () => expect(quoted('a"b\\')).toBe('"a\\"b\\\\"'));
