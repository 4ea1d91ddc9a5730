// The verdict of each detection method, and of well-known alerting rules for comparison.
import { Badge } from "../../parts/badge";
import { Table } from "../../parts/table";
import type { Stragglers } from "../../server/training";
import { plain } from "../../words/number";
import { word } from "../../words/training";

export function MethodsTable({ data }: { data: Stragglers }) {
  if (data.methods.length === 0 && data.presets.length === 0) return null;
  return (
    <details>
      <summary>Other methods and well-known rules</summary>
      <div class="grid">
        <Table caption="Methods" rows={data.methods} keyOf={(row) => row.method} columns={[
          { name: "Method", cell: (row) => word(row.method) },
          { name: "Verdict", cell: (row) => <Badge name={row.verdict} /> },
          { name: "Ranks", cell: (row) => row.ranks.join(", ") },
        ]} />
        <Table caption="Well-known rules" rows={data.presets} keyOf={(row) => row.name} columns={[
          { name: "Rule", cell: (row) => <span title={row.sees}>{word(row.name)}</span> },
          { name: "Fires", cell: (row) => (row.fires ? `yes${row.rank === null ? "" : `, rank ${row.rank}`}` : "no") },
          { name: "Value", cell: (row) => plain(row.value), isNumber: true },
          { name: "Threshold", cell: (row) => plain(row.threshold), isNumber: true },
        ]} />
      </div>
    </details>
  );
}
