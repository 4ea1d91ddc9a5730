// The cost of a query: its tree, with what each node read and how long it took.
import { Answered } from "../../parts/answered";
import { stepFor } from "../../server/prometheus";
import { useAnswer } from "../../server/use_answer";
import type { KnownRange } from "../../url/use_range";
import { count, seconds } from "../../words/number";

interface PlanNode {
  readonly kind: string;
  readonly text: string;
  readonly seconds: number;
  readonly ownSeconds: number;
  readonly matchers?: readonly string[];
  readonly series?: number;
  readonly samples?: number;
  readonly samplesInRollups?: number;
  readonly readSeconds?: number;
  readonly children: readonly PlanNode[];
}

interface Explanation {
  readonly plan: PlanNode;
}

const POINTS = 500;

function Node({ node, whole }: { node: PlanNode; whole: number }) {
  return (
    <li>
      <div class="plan-row">
        <span class="badge">{node.kind}</span>
        <code>{node.text}</code>
        <span class="note">
          {node.series !== undefined && `${count(node.series)} series, ${count(node.samples)} samples` +
            `${node.samplesInRollups ? `, ${count(node.samplesInRollups)} more in rollups` : ""}, read in ${seconds(node.readSeconds)} · `}
          {seconds(node.ownSeconds)}
        </span>
        <span class="bar-track"><span class="bar-fill" style={{ width: `${whole ? (node.ownSeconds / whole) * 100 : 0}%` }} /></span>
      </div>
      {node.children.length > 0 && <ul class="plan">{node.children.map((child) => <Node key={child.text} node={child} whole={whole} />)}</ul>}
    </li>
  );
}

export function ExplainView({ query, range }: { query: string; range: KnownRange }) {
  const step = stepFor(range.from, range.to, POINTS);
  const answer = useAnswer<Explanation>("explain", { query, start: range.from.toFixed(3), end: range.to.toFixed(3), step });
  return (
    <Answered answer={answer} height={200}>
      {(data) => <ul class="plan"><Node node={data.plan} whole={data.plan.seconds} /></ul>}
    </Answered>
  );
}
