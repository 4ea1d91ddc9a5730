import { expect, test } from "vitest";
import type { JobEvent } from "../server/training";
import { eventKind, eventName } from "./event";

const found: JobEvent = { kind: "loss_spike", from: 1, to: 2, step: 3, ranks: [], evidence: [], words: "", annotation: null };
const annotated = (kind: string, text: string): JobEvent =>
  ({ ...found, kind: "annotation", words: text, annotation: { id: "1", kind, text, is_open: false, tags: [] } });

test("an event has the name of its kind", () => {
  expect(eventKind(found)).toBe("loss spike");
  expect(eventName(found)).toBe("loss spike");
});

test("an annotation is marked as one, and has its text on charts", () => {
  expect(eventKind(annotated("profile", "nsys"))).toBe("profile (annotation)");
  expect(eventName(annotated("profile", "nsys"))).toBe("profile: nsys");
  expect(eventName(annotated("profile", ""))).toBe("profile");
  expect(eventName(annotated("note", "new data"))).toBe("new data");
});

test("a long text is cut", () => {
  const name = eventName(annotated("note", "x".repeat(100)));
  expect(name).toHaveLength(40);
  expect(name.endsWith("…")).toBe(true);
});
