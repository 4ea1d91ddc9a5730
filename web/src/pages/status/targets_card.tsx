// The targets this server scrapes.
import { Answered } from "../../parts/answered";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import type { Targets } from "../../server/status";
import { useAnswer } from "../../server/use_answer";
import { ago } from "../../words/moment";
import { seconds } from "../../words/number";

export function TargetsCard() {
  const answer = useAnswer<Targets>("targets", { state: "active" });
  return (
    <Card title="Targets" id="targets" note="scraped by this server">
      <Answered answer={answer} height={40}>
        {(data) => data.activeTargets.length === 0 ? (
          <Empty title="No scrape targets.">Add <code>scrape_configs</code> to the configuration, as in prometheus.yml.</Empty>
        ) : (
          <Table caption="Targets" rows={data.activeTargets} keyOf={(target) => `${target.scrapePool} ${target.scrapeUrl}`} columns={[
            { name: "Health", cell: (target) => <Badge name={target.health} tone={target.health === "up" ? "good" : "bad"} />, sort: (target) => target.health },
            { name: "Job", cell: (target) => target.scrapePool, sort: (target) => target.scrapePool },
            { name: "Address", cell: (target) => <code>{target.scrapeUrl}</code>, sort: (target) => target.scrapeUrl },
            { name: "Last scrape", cell: (target) => ago(Date.parse(target.lastScrape) / 1000), isNumber: true },
            { name: "Scrape duration", cell: (target) => seconds(target.lastScrapeDuration), isNumber: true },
            { name: "Error", cell: (target) => target.lastError },
          ]} />
        )}
      </Answered>
    </Card>
  );
}
