import { expect, test } from "vitest";
import { DEVICE_ROLES, throttleWords } from "./device_groups";

test.each([
  [0, []],
  [0x4, ["power limit"]],
  [0x48, ["hardware slowdown", "hardware thermal slowdown"]],
])("throttle reasons %i", (bits, expected) => expect(throttleWords(bits)).toEqual(expected));

test("each counter appears in one chart", () => {
  expect(new Set(DEVICE_ROLES).size).toBe(DEVICE_ROLES.length);
});
