// The rules of one group: query, state and evaluation time of each.
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Table } from "../../parts/table";
import type { Rule, RuleGroup } from "../../server/rules";
import { address } from "../../url/location";
import { seconds } from "../../words/number";

function State({ rule }: { rule: Rule }) {
  if (rule.lastError) return <Badge name="error" tone="bad" />;
  if (rule.type === "recording") return <Badge name="recording" tone="calm" />;
  const state = rule.state ?? "unknown";
  const active = rule.alerts?.length ?? 0;
  return <Badge name={state} text={active > 0 ? `${state} ${active}` : state} />;
}

function Query({ rule }: { rule: Rule }) {
  return (
    <>
      <a href={address("/explore", { q: rule.query })} title="Open in Explore"><code>{rule.query}</code></a>
      {rule.lastError && <div class="trouble">{rule.lastError}</div>}
    </>
  );
}

// The file name is enough; hovering shows the whole path.
const fileName = (path: string) => path.split("/").pop() ?? path;

export const RuleGroupCard = ({ group }: { group: RuleGroup }) => (
  <Card title={group.name} note={<span title={group.file}>{fileName(group.file)}, every {seconds(group.interval)}</span>}>
    <Table caption={`Rules of ${group.name}`} rows={group.rules} keyOf={(rule: Rule) => `${rule.name} ${rule.query}`} columns={[
      { name: "State", cell: (rule) => <State rule={rule} />, sort: (rule) => rule.state ?? "" },
      { name: "Rule", cell: (rule) => <b>{rule.name}</b>, sort: (rule) => rule.name },
      { name: "Query", cell: (rule) => <Query rule={rule} /> },
      { name: "Duration", cell: (rule) => (rule.duration ? seconds(rule.duration) : ""), sort: (rule) => rule.duration ?? 0, isNumber: true, isWide: true },
      { name: "Evaluation time", cell: (rule) => seconds(rule.evaluationTime), sort: (rule) => rule.evaluationTime, isNumber: true, isWide: true },
    ]} />
  </Card>
);
