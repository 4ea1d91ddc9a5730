// Running and queued queries, and a way to cancel them.
import { useState } from "preact/hooks";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import { command } from "../../server/ask";
import { refresh } from "../../server/refresh";
import { useAnswer } from "../../server/use_answer";
import { bytes, count, seconds } from "../../words/number";

interface ActiveQuery {
  readonly id: number;
  readonly path: string;
  readonly query: string;
  readonly user: string;
  readonly client: string;
  readonly state: string;
  readonly ageSeconds: number;
  readonly samplesRead: number;
  readonly peakMemoryBytes: number;
}

export function ActiveQueries() {
  const active = useAnswer<readonly ActiveQuery[]>("status/active_queries");
  const [trouble, setTrouble] = useState("");
  const cancel = (query: ActiveQuery) =>
    command("POST", `status/active_queries/${query.id}`).then(refresh, (error: Error) => setTrouble(error.message));
  return (
    <Card title="Active queries" note={trouble || "press r to refresh"}>
      <Answered answer={active} height={40}>
        {(queries) => queries.length === 0 ? <Empty title="No active queries." /> : (
          <Table caption="Active queries" rows={queries} keyOf={(query) => String(query.id)} columns={[
            { name: "Query", cell: (query) => <code>{query.query || query.path}</code> },
            { name: "State", cell: (query) => query.state },
            { name: "Duration", cell: (query) => seconds(query.ageSeconds), isNumber: true },
            { name: "Samples", cell: (query) => count(query.samplesRead), isNumber: true },
            { name: "Memory", cell: (query) => bytes(query.peakMemoryBytes), isNumber: true },
            { name: "Client", cell: (query) => query.user || query.client, isWide: true },
            { name: "", cell: (query) => <button type="button" onClick={() => cancel(query)}>Cancel</button> },
          ]} />
        )}
      </Answered>
    </Card>
  );
}
