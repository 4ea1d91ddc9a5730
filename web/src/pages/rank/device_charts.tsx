// A GPU's counters over time, by role, independent of the exporter.
import { useMemo } from "preact/hooks";
import { LineChart } from "../../charts/line_chart";
import { seriesColour } from "../../charts/palette";
import { Card } from "../../parts/card";
import { Empty, Failure, Loading } from "../../parts/notice";
import { useReduced, withBands, type BandedRow } from "../../server/bands";
import { stepFor, type MatrixResult, type MatrixRow } from "../../server/prometheus";
import { namesPattern, roleOf, rolesNamed, roleWords, useRoles, type Roles } from "../../server/roles";
import { useAnswer } from "../../server/use_answer";
import { aligned } from "../explore/aligned";
import { DEVICE_GROUPS, DEVICE_ROLES, THROTTLE_ROLE, throttleWords, type DeviceGroup } from "./device_groups";

interface DeviceChartsProps {
  readonly selectors: readonly string[] | null; // {UUID="…"}; the first match wins. Null: not known yet
  readonly from: number; // Unix seconds
  readonly to: number;
  readonly onZoom: (from: number, to: number) => void;
  readonly onReset: () => void;
}

const POINTS = 400;
// Samples up to this far apart are connected.
const LOOKBACK = "1m";

// The rows by role. If a role has several names, the catalogue's first wins.
export function byRole(rows: readonly BandedRow[], roles: Roles): ReadonlyMap<string, BandedRow> {
  const found = new Map<string, BandedRow>();
  for (const role of rolesNamed(roles, DEVICE_ROLES)) {
    for (const name of role.names) {
      const row = rows.find((candidate) => candidate.metric["__name__"] === name.metric && roleOf([role], name.metric));
      if (!row || found.has(role.role)) continue;
      found.set(role.role, { ...row, metric: { __name__: roleWords(role.role) } });
    }
  }
  return found;
}

function queryOf(roles: Roles, selectors: readonly string[]): string {
  const name = `__name__=~"${namesPattern(rolesNamed(roles, DEVICE_ROLES))}"`;
  return selectors
    .map((selector) => `max by (__name__) (last_over_time({${name}, ${selector.slice(1)}[${LOOKBACK}]))`)
    .join(" or ");
}

function GroupChart({ group, rows, props }: { group: DeviceGroup; rows: ReadonlyMap<string, BandedRow>; props: DeviceChartsProps }) {
  const chart = useMemo(() => aligned(group.roles.flatMap((role) => rows.get(role) ?? [])), [rows, group]);
  const lines = useMemo(
    () => chart.rows.map((row, at) => ({ ...row, colour: seriesColour(at) })), [chart]);
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{group.title}</h3>
      <LineChart title={group.title} x={chart.x} lines={lines} isTime unit={group.unit} onZoom={props.onZoom} onReset={props.onReset} syncKey="device" />
    </div>
  );
}

function Throttling({ row }: { row: MatrixRow | undefined }) {
  if (!row?.values) return null;
  let bits = 0;
  for (const [, value] of row.values) bits |= Number(value);
  return <p class="note">Throttle reasons: {throttleWords(bits).join(", ") || "none"}.</p>;
}

const NoCounters = () => (
  <Empty title="No counters for this GPU in this time range.">
    Send metrics from dcgm-exporter or another supported exporter, labelled with the GPU's UUID or with <code>job</code> and <code>rank</code>.
  </Empty>
);

export function DeviceCharts(props: DeviceChartsProps) {
  const roles = useRoles();
  const query = roles.data && props.selectors ? queryOf(roles.data, props.selectors) : null;
  const params = {
    query, start: props.from.toFixed(3), end: props.to.toFixed(3), step: stepFor(props.from, props.to, POINTS), units: "role",
  };
  const answer = useAnswer<MatrixResult>(query ? "query_range" : null, params);
  const reduced = useReduced(params, query !== null && answer.data !== null);
  const rows = useMemo(() => roles.data && answer.data && byRole(withBands(answer.data.result, reduced), roles.data),
                       [roles.data, answer.data, reduced]);
  const error = roles.error ?? answer.error;
  return (
    <Card title="GPU counters">
      {error && <Failure error={error} />}
      {!rows && !error && <Loading height={300} />}
      {rows?.size === 0 && <NoCounters />}
      {rows && rows.size > 0 && (
        <>
          <div class="grid charts">
            {DEVICE_GROUPS.map((group) => <GroupChart key={group.title} group={group} rows={rows} props={props} />)}
          </div>
          <Throttling row={rows.get(THROTTLE_ROLE)} />
        </>
      )}
    </Card>
  );
}
