// Firing and pending alerts: summary, job, labels, start and the query behind each.
import { Badge } from "../../parts/badge";
import { Table } from "../../parts/table";
import type { Alert, Rule, RuleGroup } from "../../server/rules";
import { address } from "../../url/location";
import { jobPath, rankPath } from "../../url/routes";
import { ago, dayAndClock } from "../../words/moment";
import { plain, seconds } from "../../words/number";

const nameOf = (alert: Alert) => alert.labels["alertname"] ?? "alert";
const begin = (alert: Alert) => Date.parse(alert.activeAt) / 1000;
const TOLD_ELSEWHERE = new Set(["alertname", "job"]);

function ruleOf(groups: readonly RuleGroup[], alert: Alert): Rule | undefined {
  return groups.flatMap((group) => group.rules).find((rule) => rule.type === "alerting" && rule.name === nameOf(alert));
}

function Says({ alert }: { alert: Alert }) {
  const { summary, description, runbook_url: runbook = "" } = alert.annotations;
  return (
    <>
      {summary ?? description ?? ""}
      {summary && description && <div class="note">{description}</div>}
      {/^https?:/.test(runbook) && <div><a href={runbook} target="_blank" rel="noreferrer">Runbook</a></div>}
    </>
  );
}

function Where({ alert }: { alert: Alert }) {
  const { job = "", rank = "" } = alert.labels;
  if (!job) return null;
  return <>
    <a href={jobPath(job)}>{job}</a>
    {/^\d+$/.test(rank) && <>, <a href={rankPath(job, Number(rank))}>rank {rank}</a></>}
  </>;
}

const Labels = ({ alert }: { alert: Alert }) => (
  <span class="labels">
    {Object.entries(alert.labels).filter(([name]) => !TOLD_ELSEWHERE.has(name)).map(([name, value]) => <code key={name}>{name}={value}</code>)}
  </span>
);

function Since({ alert, rule }: { alert: Alert; rule: Rule | undefined }) {
  const isPending = alert.state === "pending" && rule?.duration;
  return (
    <span title={dayAndClock(begin(alert))}>
      {ago(begin(alert))}
      {isPending ? <span class="note"> of {seconds(rule.duration)}</span> : null}
    </span>
  );
}

// Firing before pending, newest first.
const inOrder = (a: Alert, b: Alert) => a.state.localeCompare(b.state) || begin(b) - begin(a);

export function AlertTable({ alerts, groups }: { alerts: readonly Alert[]; groups: readonly RuleGroup[] }) {
  const name = (alert: Alert) => {
    const rule = ruleOf(groups, alert);
    return rule ? <a href={address("/explore", { q: rule.query })} title="Open its query in Explore">{nameOf(alert)}</a> : nameOf(alert);
  };
  return (
    <Table caption="Alerts by state" rows={[...alerts].sort(inOrder)} keyOf={(alert) => JSON.stringify(alert.labels)} columns={[
      { name: "State", cell: (alert) => <Badge name={alert.state} />, sort: (alert) => alert.state },
      { name: "Alert", cell: (alert) => <b>{name(alert)}</b>, sort: nameOf },
      { name: "Summary", cell: (alert) => <Says alert={alert} /> },
      { name: "Job", cell: (alert) => <Where alert={alert} />, sort: (alert) => alert.labels["job"] ?? "" },
      { name: "Labels", cell: (alert) => <Labels alert={alert} />, isWide: true },
      { name: "Value", cell: (alert) => plain(Number(alert.value)), sort: (alert) => Number(alert.value), isNumber: true, isWide: true },
      { name: "Since", cell: (alert) => <Since alert={alert} rule={ruleOf(groups, alert)} />, sort: begin, isNumber: true },
    ]} />
  );
}
