// A query over the time range, one line per series.
import { useMemo } from "preact/hooks";
import { LineChart } from "../../charts/line_chart";
import { seriesColour } from "../../charts/palette";
import { Answered } from "../../parts/answered";
import { Empty } from "../../parts/notice";
import { showRange } from "../../parts/range_picker";
import { useReduced, withBands } from "../../server/bands";
import { stepFor, type MatrixResult, type MatrixRow } from "../../server/prometheus";
import { useAnswer } from "../../server/use_answer";
import { change } from "../../url/location";
import type { KnownRange } from "../../url/use_range";
import { plain, short } from "../../words/number";
import { aligned } from "./aligned";
import { Warnings } from "./warnings";

const POINTS = 500;
// Of an expression between two points, for the band behind its line. An expression may be expensive.
const EVALUATIONS = 4;
// More lines would be unreadable; a note says how many series there are.
const MAX_LINES = 200;

function Graph({ data, reduced }: { data: MatrixResult; reduced: readonly MatrixRow[] }) {
  const chart = useMemo(() => aligned(withBands(data.result.slice(0, MAX_LINES), reduced)), [data, reduced]);
  const lines = useMemo(() => chart.rows.map((row, at) => ({ ...row, colour: seriesColour(at) })), [chart]);
  if (chart.x.length === 0) return <Empty title="No series.">Try another time range, or check in Explain what the selector matches.</Empty>;
  return (
    <>
      <LineChart title="Query result over time" x={chart.x} lines={lines} isTime height={380}
                 unit={(value, digits) => (value !== null && Math.abs(value) >= 1e4 ? short(value, "", 1000, digits) : plain(value, digits))}
                 onZoom={(from, to) => showRange({ from, to })} onReset={() => change({ from: null, to: null })} />
      {data.result.length > MAX_LINES && <p class="note">Showing {MAX_LINES} of {data.result.length} series. Aggregate them, or use the table.</p>}
    </>
  );
}

export function GraphView({ query, range }: { query: string; range: KnownRange }) {
  const step = stepFor(range.from, range.to, POINTS);
  const params = { query, start: range.from.toFixed(3), end: range.to.toFixed(3), step };
  const answer = useAnswer<MatrixResult>("query_range", params);
  const reduced = useReduced({ ...params, resolution: Math.max(1, step / EVALUATIONS) }, answer.data !== null && answer.data.result.length <= MAX_LINES);
  return (
    <Answered answer={answer} height={400}>
      {(data) => <><Warnings of={answer} /><Graph data={data} reduced={reduced} /></>}
    </Answered>
  );
}
