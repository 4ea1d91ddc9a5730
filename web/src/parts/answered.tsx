// The three states of a request: loading, answered, failed.
import type { ComponentChildren } from "preact";
import type { Asked } from "../server/use_answer";
import { Failure, Loading } from "./notice";

interface AnsweredProps<T> {
  readonly asked: Asked<T>;
  readonly height?: number;
  readonly children: (data: T) => ComponentChildren;
}

export function Answered<T>({ asked, height, children }: AnsweredProps<T>) {
  if (asked.error) return <Failure error={asked.error} />;
  if (asked.data === null) return <Loading {...(height ? { height } : {})} />;
  return <div class={asked.isLoading ? "stale" : ""}>{children(asked.data)}</div>;
}
