// Runs any PromQL query: shows the result as a graph or a table, or the query's cost.
import { lazy, Suspense } from "preact/compat";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/choice";
import { Empty } from "../../parts/notice";
import { change, usePlace } from "../../url/location";
import type { KnownRange } from "../../url/use_range";
import { ExplainView } from "./explain_view";
import { GraphView } from "./graph_view";
import { LinkNote } from "./link_note";
import { TableView } from "./table_view";

// Most of the page's code belongs to the editor, and the result need not wait for it.
const PromqlEditor = lazy(() => import("./promql_editor").then((editor) => editor.PromqlEditor));

const VIEWS = [["graph", "Graph"], ["table", "Table"], ["explain", "Explain"]] as const;
type ViewName = (typeof VIEWS)[number][0];

const EXAMPLES = [
  ["GPU activity per job", "avg by (job) (DCGM_FI_PROF_SM_ACTIVE)"],
  ["Total power", "sum(DCGM_FI_DEV_POWER_USAGE)"],
  ["Step time per job", "max by (job) (train_step_time_seconds)"],
  ["Time per phase of a step", "avg by (job, phase) (train_phase_seconds)"],
] as const;

function View({ name, query, range }: { name: ViewName; query: string; range: KnownRange }) {
  if (name === "table") return <TableView query={query} range={range} />;
  if (name === "explain") return <ExplainView query={query} range={range} />;
  return <GraphView query={query} range={range} />;
}

const Examples = () => (
  <Empty title="Enter a query, for example:">
    <ul class="examples">
      {EXAMPLES.map(([words, query]) => (
        <li key={query}><button type="button" onClick={() => change({ q: query })}><code>{query}</code></button> <span>{words}</span></li>
      ))}
    </ul>
  </Empty>
);

export function ExplorePage({ range }: { range: KnownRange }) {
  const { params } = usePlace();
  const query = params.get("q") ?? "";
  const view = (params.get("view") ?? "graph") as ViewName;
  const link = params.get("link");
  return (
    <>
      <div class="page-head"><h1>Explore</h1></div>
      {range.isKnown && (
        <Suspense fallback={<div class="editor-row"><code class="editor waiting">{query}</code></div>}>
          <PromqlEditor text={query} completeBackToS={Math.floor(range.from / 3600) * 3600 - 86_400} onRun={(text) => change({ q: text.trim(), link: null })} />
        </Suspense>
      )}
      {link && <LinkNote link={link} shown={query} />}
      <Card title="Result" actions={<Choice name="View" options={VIEWS} value={view} onChange={(name) => change({ view: name }, true)} />}>
        {query && range.isKnown ? <View name={view} query={query} range={range} /> : <Examples />}
      </Card>
    </>
  );
}
