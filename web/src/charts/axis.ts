// Where points lie when a job is looked at by step, by time or by tokens.
import type { Align, StepsOfAttempt } from "../server/training";

export interface StepPoint {
  readonly step: number;
  readonly end: number;
  readonly seconds: number | null;
}

export function pointsOf(attempts: readonly StepsOfAttempt[]): StepPoint[] {
  return attempts.flatMap((attempt) =>
    attempt.step.map((step, i) => ({
      step,
      end: attempt.end[i] as number,
      seconds: attempt.step_seconds[i] ?? null,
    })));
}

// `tokensPerStep` null: the tokens axis has no points.
export function positionOf(point: StepPoint, align: Align, begin: number, tokensPerStep: number | null): number {
  if (align === "step") return point.step;
  if (align === "time") return point.end - begin;
  return tokensPerStep === null ? NaN : (point.step + 1) * tokensPerStep;
}

// Where a moment lies on the axis: by the last step that ended until then.
export function positionAt(points: readonly StepPoint[], moment: number, align: Align, begin: number,
                           tokensPerStep: number | null): number | null {
  if (align === "time") return moment - begin;
  let last: StepPoint | null = null;
  for (const point of points) {
    if (point.end > moment + 1e-6) break;
    last = point;
  }
  const found = last ?? points[0];
  if (!found) return null;
  const position = positionOf(found, align, begin, tokensPerStep);
  return Number.isNaN(position) ? null : position;
}

// Uninterrupted growth along the axis: of steps that an attempt did again, the later ones.
export function sorted(points: readonly StepPoint[], align: Align): StepPoint[] {
  if (align === "time") return [...points].sort((a, b) => a.end - b.end);
  const latest = new Map<number, StepPoint>();
  for (const point of points) latest.set(point.step, point);
  return [...latest.values()].sort((a, b) => a.step - b.step);
}
