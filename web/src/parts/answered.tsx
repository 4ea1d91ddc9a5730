// The three states of a request: loading, answered, failed.
import type { ComponentChildren } from "preact";
import type { AnswerState } from "../server/use_answer";
import { Failure, Loading } from "./notice";

interface AnsweredProps<T> {
  readonly answer: AnswerState<T>;
  readonly height?: number;
  readonly children: (data: T) => ComponentChildren;
}

export function Answered<T>({ answer, height, children }: AnsweredProps<T>) {
  if (answer.error) return <Failure error={answer.error} />;
  if (answer.data === null) return <Loading {...(height ? { height } : {})} />;
  return <div class={answer.isLoading ? "stale" : ""}>{children(answer.data)}</div>;
}
