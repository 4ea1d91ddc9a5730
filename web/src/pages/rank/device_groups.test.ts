import { expect, test } from "vitest";
import { DEVICE_ROLES, throttleWords } from "./device_groups";

test.each([
  [0, []],
  [0x4, ["the power limit"]],
  [0x48, ["hardware slowdown", "heat (hardware)"]],
])("throttle reasons %i", (bits, expected) => expect(throttleWords(bits)).toEqual(expected));

test("a number is drawn once", () => {
  expect(new Set(DEVICE_ROLES).size).toBe(DEVICE_ROLES.length);
});
