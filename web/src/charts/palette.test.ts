import { expect, test } from "vitest";
import { rgbOf, scaleColour } from "./palette";

const lightness = ([r, g, b]: readonly [number, number, number]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

test("the scale grows lighter all the way", () => {
  const steps = Array.from({ length: 101 }, (_, i) => lightness(scaleColour(i / 100)));
  for (let i = 1; i < steps.length; i += 1) expect(steps[i]).toBeGreaterThanOrEqual(steps[i - 1] as number);
});

test("values outside the scale get its end colours", () => {
  expect(scaleColour(-1)).toEqual([0, 32, 77]);
  expect(scaleColour(2)).toEqual([255, 234, 70]);
});

test("hexadecimal colours", () => expect(rgbOf("#0a84d6")).toEqual([10, 132, 214]));
