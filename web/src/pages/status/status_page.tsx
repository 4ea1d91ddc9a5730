// The server itself: contents, load, active queries and configuration.
import { Card } from "../../parts/card";
import { Answered } from "../../parts/answered";
import { useAnchor } from "../../url/use_anchor";
import { useAnswer } from "../../server/use_answer";
import type { BuildInfo, RuntimeInfo } from "../../server/status";
import { ActiveQueries } from "./active_queries";
import { CardinalityCard } from "./cardinality_card";
import { MemoryCard } from "./memory_card";
import { ServerTiles } from "./server_tiles";
import { TargetsCard } from "./targets_card";

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value || "–"}</dd></div>)}
    </dl>
  );
}

export function StatusPage() {
  useAnchor();
  const build = useAnswer<BuildInfo>("status/buildinfo");
  const runtime = useAnswer<RuntimeInfo>("status/runtimeinfo");
  const flags = useAnswer<Record<string, string>>("status/flags");
  const config = useAnswer<{ yaml: string }>("status/config");
  return (
    <>
      <div class="page-head"><h1>Status</h1></div>
      <ServerTiles />
      <ActiveQueries />
      <MemoryCard />
      <CardinalityCard />
      <TargetsCard />
      <div class="grid">
        <Card title="Server">
          <Answered answer={build}>
            {(data) => <Facts facts={[["version", data.branch.replace("lockstep-", "")], ["revision", data.revision],
              ["compiler", data.goVersion], ["Prometheus API version", data.version]]} />}
          </Answered>
          <Answered answer={runtime}>
            {(data) => <Facts facts={[["host", data.hostname], ["started", data.startTime], ["retention", data.storageRetention],
              ["working directory", data.CWD]]} />}
          </Answered>
        </Card>
        <Card title="Flags" id="flags">
          <Answered answer={flags}>{(data) => <Facts facts={Object.entries(data)} />}</Answered>
        </Card>
      </div>
      <Card title="Configuration" id="configuration">
        <Answered answer={config}>{(data) => <pre class="yaml" tabIndex={0}>{data.yaml.trim() || "# all defaults"}</pre>}</Answered>
      </Card>
    </>
  );
}
