// Which metrics, jobs and labels the series belong to.
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import type { Cardinality, Count } from "../../server/status";
import { useAnswer } from "../../server/use_answer";
import { count } from "../../words/number";

function Bars({ title, counts }: { title: string; counts: readonly Count[] }) {
  const most = Math.max(1, ...counts.map((row) => row.value));
  return (
    <div class="bars">
      <h3>{title}</h3>
      {counts.map((row) => (
        <div key={row.name} class="bar-row">
          <span class="bar-name" title={row.name}>{row.name || "(none)"}</span>
          <span class="bar-track"><span class="bar-fill" style={{ width: `${(row.value / most) * 100}%` }} /></span>
          <span class="number">{count(row.value)}</span>
        </div>
      ))}
    </div>
  );
}

export function CardinalityCard() {
  const answer = useAnswer<Cardinality>("status/cardinality", { limit: 10 });
  const words = (data: Cardinality) =>
    `${count(data.series)} series, ${count(data.seriesInMemory)} recently written; ` +
    `${count(data.churn.last1h.appeared)} new and ${count(data.churn.last1h.left)} gone in the last hour`;
  return (
    <Card title="Series" id="cardinality" note={answer.data ? words(answer.data) : ""}>
      <Answered answer={answer} height={240}>
        {(data) => (
          <div class="grid">
            <Bars title="by metric" counts={data.seriesCountByMetricName} />
            <Bars title="by job" counts={data.seriesCountByJob} />
            <Bars title="values per label" counts={data.labelValueCountByLabelName} />
            <Bars title="by label pair" counts={data.seriesCountByLabelValuePair} />
          </div>
        )}
      </Answered>
    </Card>
  );
}
