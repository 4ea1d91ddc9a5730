// Firing and pending alerts, and the rules behind them.
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import type { Alert, Alerts, RuleGroups } from "../../server/rules";
import { useAnswer } from "../../server/use_answer";
import { useAnchor } from "../../url/use_anchor";
import { AlertTable } from "./alert_table";
import { RuleGroupCard } from "./rule_group_card";

const STATES = ["firing", "pending"] as const;

const Counts = ({ alerts }: { alerts: readonly Alert[] }) => (
  <>
    {STATES.map((state) => {
      const found = alerts.filter((alert) => alert.state === state).length;
      return found > 0 && <Badge key={state} name={state} text={`${found} ${state}`} />;
    })}
  </>
);

function wordsOfQuiet(rules: RuleGroups | null): string {
  const watching = rules?.groups.flatMap((group) => group.rules).filter((rule) => rule.type === "alerting").length ?? 0;
  if (watching === 0) return rules ? "No alerting rules are loaded: see below." : "";
  return watching === 1 ? "1 rule active." : `${watching} rules active.`;
}

const NoRules = () => (
  <Empty title="No rules are loaded.">
    Prometheus rule files work unchanged. Those in <code>rules_pack/</code> cover jobs and GPUs:
    <pre>{"# lockstep.yml\nrule_files: [rules_pack/jobs.yml, rules_pack/gpus.yml]\n\nlockstep serve --config lockstep.yml"}</pre>
  </Empty>
);

export function AlertsPage() {
  useAnchor();
  const alerts = useAnswer<Alerts>("alerts");
  const rules = useAnswer<RuleGroups>("rules");
  return (
    <>
      <div class="page-head"><h1>Alerts and rules</h1></div>
      <Card title="Alerts" note={alerts.data && <Counts alerts={alerts.data.alerts} />}>
        <Answered answer={alerts}>
          {(data) => data.alerts.length === 0
            ? <Empty title="No alerts.">{wordsOfQuiet(rules.data)}</Empty>
            : <AlertTable alerts={data.alerts} groups={rules.data?.groups ?? []} />}
        </Answered>
      </Card>
      <div id="rules">
        <Answered answer={rules}>
          {(data) => data.groups.length === 0
            ? <NoRules />
            : data.groups.map((group) => <RuleGroupCard key={`${group.file} ${group.name}`} group={group} />)}
        </Answered>
      </div>
    </>
  );
}
