// Alerts that fire or are about to, and the rules behind them.
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import type { Alert, Alerts, Rule, RuleGroup, RuleGroups } from "../../server/rules";
import { useAnswer } from "../../server/use_answer";
import { address } from "../../url/location";
import { jobPath } from "../../url/routes";
import { ago } from "../../words/moment";
import { plain, seconds } from "../../words/number";

const nameOf = (alert: Alert) => alert.labels["alertname"] ?? "alert";

function otherLabels(alert: Alert): string {
  return Object.entries(alert.labels).filter(([name]) => name !== "alertname" && name !== "job")
    .map(([name, value]) => `${name}=${value}`).join(", ");
}

const AlertTable = ({ alerts }: { alerts: readonly Alert[] }) => (
  <Table caption="Alerts" rows={alerts} keyOf={(alert) => JSON.stringify(alert.labels)} columns={[
    { name: "State", cell: (alert) => <Badge name={alert.state} />, sort: (alert) => alert.state },
    { name: "Alert", cell: (alert) => <b>{nameOf(alert)}</b>, sort: nameOf },
    { name: "Job", cell: (alert) => alert.labels["job"] ? <a href={jobPath(alert.labels["job"])}>{alert.labels["job"]}</a> : "" },
    { name: "Says", cell: (alert) => alert.annotations["summary"] ?? alert.annotations["description"] ?? "" },
    { name: "Labels", cell: (alert) => <span class="note">{otherLabels(alert)}</span>, isWide: true },
    { name: "Value", cell: (alert) => plain(Number(alert.value)), isNumber: true },
    { name: "Since", cell: (alert) => ago(Date.parse(alert.activeAt) / 1000), isNumber: true },
  ]} />
);

const GroupCard = ({ group }: { group: RuleGroup }) => (
  <Card title={group.name} note={`${group.file}, every ${seconds(group.interval)}`}>
    <Table caption={`Rules of ${group.name}`} rows={group.rules} keyOf={(rule: Rule) => `${rule.name} ${rule.query}`} columns={[
      { name: "State", cell: (rule) => rule.type === "alerting" ? <Badge name={rule.state ?? "unknown"} /> : <Badge name="recording" tone="calm" /> },
      { name: "Rule", cell: (rule) => <b>{rule.name}</b>, sort: (rule) => rule.name },
      { name: "Query", cell: (rule) => <a href={address("/explore", { q: rule.query })}><code>{rule.query}</code></a> },
      { name: "Took", cell: (rule) => seconds(rule.evaluationTime), isNumber: true, isWide: true },
      { name: "Trouble", cell: (rule) => rule.lastError ?? "" },
    ]} />
  </Card>
);

export function AlertsPage() {
  const alerts = useAnswer<Alerts>("alerts");
  const rules = useAnswer<RuleGroups>("rules");
  return (
    <>
      <div class="page-head"><h1>Alerts and rules</h1></div>
      <Card title="Alerts">
        <Answered asked={alerts}>
          {(data) => data.alerts.length === 0
            ? <Empty title="Nothing fires.">{rules.data?.groups.length === 0 && "There are no rules that could: see below."}</Empty>
            : <AlertTable alerts={data.alerts} />}
        </Answered>
      </Card>
      <Answered asked={rules}>
        {(data) => data.groups.length === 0
          ? <Empty title="No rules are loaded.">Rule files of a Prometheus work as they are: name them as <code>rule_files</code> in the configuration.</Empty>
          : data.groups.map((group) => <GroupCard key={`${group.file} ${group.name}`} group={group} />)}
      </Answered>
    </>
  );
}
