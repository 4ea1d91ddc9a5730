// The numbers behind a verdict.
import { roleOf, roleWords, useRoles, type Role } from "../../server/roles";
import type { Evidence } from "../../server/training";
import { withUnit } from "../../words/number";
import { word } from "../../words/training";

// The words for a counter's role; its metric name until the catalogue is loaded.
function signalName(signal: string, roles: readonly Role[]) {
  const role = roleOf(roles, signal)?.role;
  if (role) return <span title={signal}>{roleWords(role.role)}</span>;
  return signal.startsWith("DCGM") ? <code>{signal}</code> : word(signal);
}

export function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  const roles = useRoles().data?.roles ?? [];
  return (
    <ul class="evidence">
      {evidence.map((piece) => (
        <li key={`${piece.signal} ${piece.words}`}>
          <b>{withUnit(piece.value, piece.unit)}</b>
          <span>
            {signalName(piece.signal, roles)}
            {piece.reference !== null && <> vs. {withUnit(piece.reference, piece.unit)}</>}
            {piece.words && <span class="note"> {piece.words}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
