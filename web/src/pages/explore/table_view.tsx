// A query's result at the end of the time range.
import { Answered } from "../../parts/answered";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import { numberOf, seriesName, type QueryResult, type VectorRow } from "../../server/prometheus";
import { useAnswer } from "../../server/use_answer";
import type { KnownRange } from "../../url/use_range";
import { dayAndClock } from "../../words/moment";
import { count } from "../../words/number";
import { Warnings } from "./warnings";

const MAX_ROWS = 1000;

const textOf = (row: VectorRow) =>
  row.histogram ? `count ${row.histogram[1].count}, sum ${row.histogram[1].sum}` : (row.value?.[1] ?? "");

function Result({ data }: { data: QueryResult }) {
  if (data.resultType === "scalar" || data.resultType === "string") return <p class="scalar">{data.result[1]}</p>;
  if (data.resultType === "matrix") return <Empty title="The result is a range vector.">Wrap it in a function such as rate() or last_over_time().</Empty>;
  if (data.result.length === 0) return <Empty title="No series.">Try another time range, or check in Explain what the selector matches.</Empty>;
  return (
    <>
      <p class="note">{count(data.result.length)} series{data.result.length > MAX_ROWS && `, showing the first ${MAX_ROWS}`}</p>
      <Table caption="Query result" rows={data.result.slice(0, MAX_ROWS)} keyOf={(row) => seriesName(row.metric)} columns={[
        { name: "Series", cell: (row) => <code>{seriesName(row.metric)}</code>, sort: (row) => seriesName(row.metric) },
        { name: "Value", cell: (row) => <code>{textOf(row)}</code>, sort: (row) => numberOf(row.value?.[1] ?? "NaN"), isNumber: true },
      ]} />
    </>
  );
}

export function TableView({ query, range }: { query: string; range: KnownRange }) {
  const answer = useAnswer<QueryResult>("query", { query, time: range.to.toFixed(3) });
  return (
    <Answered answer={answer} height={200}>
      {(data) => <><p class="note">at {dayAndClock(range.to)}</p><Warnings of={answer} /><Result data={data} /></>}
    </Answered>
  );
}
