// Positions of points on a job's step, time or token axis.
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

// NaN on the tokens axis if `tokensPerStep` is null.
export function positionOf(point: StepPoint, align: Align, begin: number, tokensPerStep: number | null): number {
  if (align === "step") return point.step;
  if (align === "time") return point.end - begin;
  return tokensPerStep === null ? NaN : (point.step + 1) * tokensPerStep;
}

// Where a moment lies on the axis: at the last step that ended by then.
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

// Points in increasing order. Of repeated steps, only the latest attempt's point remains.
export function sorted(points: readonly StepPoint[], align: Align): StepPoint[] {
  if (align === "time") return [...points].sort((a, b) => a.end - b.end);
  const latest = new Map<number, StepPoint>();
  for (const point of points) latest.set(point.step, point);
  return [...latest.values()].sort((a, b) => a.step - b.step);
}
