import { expect, test } from "vitest";
import { carried } from "./location";

test.each([
  ["/jobs/a", "", "/jobs/a"],
  ["/jobs/a", "span=1h", "/jobs/a"],
  ["/jobs/a", "span=1h&refresh=5s", "/jobs/a?refresh=5s"],
  ["/compare?runs=a%2Cb", "refresh=1m", "/compare?runs=a%2Cb&refresh=1m"],
  ["/?refresh=15s", "refresh=1m", "/?refresh=15s"],
])("to %s from ?%s", (target, params, expected) => expect(carried(target, new URLSearchParams(params))).toBe(expected));
