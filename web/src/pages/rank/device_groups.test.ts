import { expect, test } from "vitest";
import { DEVICE_GROUPS, throttleWords } from "./device_groups";

test.each([
  [0, []],
  [0x4, ["the power limit"]],
  [0x48, ["hardware slowdown", "heat (hardware)"]],
])("throttle reasons %i", (bits, expected) => expect(throttleWords(bits)).toEqual(expected));

test("a counter is drawn once", () => {
  const counters = DEVICE_GROUPS.flatMap((group) => group.counters);
  expect(new Set(counters).size).toBe(counters.length);
});
