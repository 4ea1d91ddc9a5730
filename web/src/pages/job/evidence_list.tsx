// The numbers that a verdict rests on.
import type { Evidence } from "../../server/training";
import { withUnit } from "../../words/number";
import { word } from "../../words/training";

export function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  return (
    <ul class="evidence">
      {evidence.map((piece) => (
        <li key={`${piece.signal} ${piece.words}`}>
          <b>{withUnit(piece.value, piece.unit)}</b>
          <span>
            {piece.signal.startsWith("DCGM") ? <code>{piece.signal}</code> : word(piece.signal)}
            {piece.reference !== null && <> against {withUnit(piece.reference, piece.unit)}</>}
            {piece.words && <span class="note"> {piece.words}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
