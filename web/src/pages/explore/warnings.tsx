// The server's warnings about a query.
import type { AnswerState } from "../../server/use_answer";

export const Warnings = ({ of }: { of: AnswerState<unknown> }) => (
  <>{of.warnings.map((warning) => <p key={warning} class="warning">▲ {warning}</p>)}</>
);
