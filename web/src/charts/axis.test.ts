import { expect, test } from "vitest";
import { pointsOf, positionAt, positionOf, sorted } from "./axis";

const attempt = (number: number, first: number, ends: number[]) => ({
  attempt: number, first_step: first, last_step: first + ends.length - 1,
  step: ends.map((_, i) => first + i), end: ends, step_seconds: ends.map(() => 1),
  behind_seconds: ends.map(() => 0), pacing: { median_seconds: 1, spread_seconds: 0 },
});
const points = pointsOf([attempt(0, 0, [101, 102, 103]), attempt(1, 2, [110, 111])]);

test("a step has a different position on each axis", () => {
  const point = { step: 9, end: 150, seconds: 1 };
  expect(positionOf(point, "step", 100, 64)).toBe(9);
  expect(positionOf(point, "time", 100, 64)).toBe(50);
  expect(positionOf(point, "tokens", 100, 64)).toBe(640);
  expect(positionOf(point, "tokens", 100, null)).toBeNaN();
});

test("a repeated step counts once, with its later time", () => {
  expect(sorted(points, "step").map((point) => [point.step, point.end])).toEqual(
    [[0, 101], [1, 102], [2, 110], [3, 111]]);
  expect(sorted(points, "time").map((point) => point.step)).toEqual([0, 1, 2, 2, 3]);
});

test("a moment lies at the last step that had ended", () => {
  expect(positionAt(points, 102.5, "step", 100, null)).toBe(1);
  expect(positionAt(points, 50, "step", 100, null)).toBe(0);
  expect(positionAt(points, 105, "time", 100, null)).toBe(5);
  expect(positionAt([], 105, "step", 100, null)).toBeNull();
});
