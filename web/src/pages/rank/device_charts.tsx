// The counters of a GPU over time.
import { useMemo } from "preact/hooks";
import { LineChart } from "../../charts/line_chart";
import { seriesColour } from "../../charts/palette";
import { Card } from "../../parts/card";
import { Empty, Failure, Loading } from "../../parts/notice";
import { quoted, stepFor, type MatrixResult } from "../../server/prometheus";
import { useAnswer } from "../../server/use_answer";
import { aligned } from "../explore/aligned";
import { DEVICE_GROUPS, THROTTLE_COUNTER, throttleWords, type DeviceGroup } from "./device_groups";

interface DeviceChartsProps {
  readonly selector: Readonly<Record<string, string>>;
  readonly from: number; // Unix seconds
  readonly to: number;
  readonly onZoom: (from: number, to: number) => void;
  readonly onReset: () => void;
}

const POINTS = 400;
// Samples that are this far apart still make a line.
const LOOKBACK = "1m";

const shortName = (metric: string) => metric.replace(/^DCGM_FI_(DEV|PROF)_/, "").toLowerCase().replaceAll("_", " ");

function useCounters(props: DeviceChartsProps) {
  const names = [...DEVICE_GROUPS.flatMap((group) => group.counters), THROTTLE_COUNTER].join("|");
  const matchers = Object.entries(props.selector).map(([name, value]) => `${name}=${quoted(value)}`).join(", ");
  const query = `max by (__name__) (last_over_time({__name__=~"${names}", ${matchers}}[${LOOKBACK}]))`;
  return useAnswer<MatrixResult>("query_range", {
    query, start: props.from.toFixed(3), end: props.to.toFixed(3), step: stepFor(props.from, props.to, POINTS),
  });
}

function GroupChart({ group, data, props }: { group: DeviceGroup; data: MatrixResult; props: DeviceChartsProps }) {
  const chart = useMemo(
    () => aligned(data.result.filter((row) => group.counters.includes(row.metric["__name__"] ?? ""))), [data, group]);
  const lines = useMemo(
    () => chart.rows.map((row, at) => ({ name: shortName(row.name), colour: seriesColour(at), values: row.values })), [chart]);
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{group.title}</h3>
      <LineChart title={group.title} x={chart.x} lines={lines} isTime unit={group.unit} onZoom={props.onZoom} onReset={props.onReset} syncKey="device" />
    </div>
  );
}

function Throttling({ data }: { data: MatrixResult }) {
  const row = data.result.find((candidate) => candidate.metric["__name__"] === THROTTLE_COUNTER);
  if (!row?.values) return null;
  let bits = 0;
  for (const [, value] of row.values) bits |= Number(value);
  return <p class="note">Clocks were held back by: {throttleWords(bits).join(", ") || "nothing"}.</p>;
}

export function DeviceCharts(props: DeviceChartsProps) {
  const asked = useCounters(props);
  return (
    <Card title="GPU counters">
      {asked.error && <Failure error={asked.error} />}
      {!asked.data && !asked.error && <Loading height={300} />}
      {asked.data?.result.length === 0 && (
        <Empty title="No counters of this GPU in this time.">Send those of dcgm-exporter, with the label <code>UUID</code>, or with <code>job</code> and <code>rank</code>.</Empty>
      )}
      {asked.data && asked.data.result.length > 0 && (
        <>
          <div class="grid charts">
            {DEVICE_GROUPS.map((group) => <GroupChart key={group.title} group={group} data={asked.data as MatrixResult} props={props} />)}
          </div>
          <Throttling data={asked.data} />
        </>
      )}
    </Card>
  );
}
