// The server's warnings about a query.
import type { Asked } from "../../server/use_answer";

export const Warnings = ({ of }: { of: Asked<unknown> }) => (
  <>{of.warnings.map((warning) => <p key={warning} class="warning">▲ {warning}</p>)}</>
);
