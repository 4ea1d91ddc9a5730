import { expect, test } from "vitest";
import { sumsByMetric } from "./status";

test("a metric's samples are summed, comments are ignored", () => {
  const text = '# TYPE a counter\na{b="x"} 1\na{b="y z"} 2.5\nc 3e2\n\n';
  expect(Object.fromEntries(sumsByMetric(text))).toEqual({ a: 3.5, c: 300 });
});
