// Names of events: those that the server found, and annotations.
import type { JobEvent } from "../server/training";
import { word } from "./training";

// A chart has no room for more characters.
const MAX_NAME = 40;

export function eventKind(event: JobEvent): string {
  return event.annotation ? `${word(event.annotation.kind)} (annotation)` : word(event.kind);
}

// On a chart.
export function eventName(event: JobEvent): string {
  if (!event.annotation) return word(event.kind);
  const { kind, text } = event.annotation;
  const name = text === "" ? word(kind) : kind === "note" ? text : `${word(kind)}: ${text}`;
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
}
