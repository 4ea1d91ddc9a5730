// Memory that clients use of the memory budget, by account.
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Table } from "../../parts/table";
import type { MemoryStatus } from "../../server/status";
import { useAnswer } from "../../server/use_answer";
import { bytes, count } from "../../words/number";

// "No limit" is the largest representable number.
const NO_LIMIT_BYTES = 2 ** 58;

function limit(limitBytes: number): string {
  return limitBytes >= NO_LIMIT_BYTES ? "none" : bytes(limitBytes);
}

export function MemoryCard() {
  const answer = useAnswer<MemoryStatus>("status/memory");
  const words = (data: MemoryStatus) => `${bytes(data.heldBytes)} held for clients, limit ${limit(data.limitBytes)}`;
  return (
    <Card title="Memory" note={answer.data ? words(answer.data) : ""}>
      <Answered answer={answer} height={240}>
        {(data) => (
          <Table caption="Memory held for clients" rows={data.accounts} keyOf={(account) => account.account} columns={[
            { name: "Account", cell: (account) => account.account },
            { name: "Held", cell: (account) => bytes(account.heldBytes), isNumber: true },
            { name: "Limit", cell: (account) => limit(account.limitBytes), isNumber: true },
            { name: "Refused", cell: (account) => count(account.refusals), isNumber: true },
          ]} />
        )}
      </Answered>
    </Card>
  );
}
