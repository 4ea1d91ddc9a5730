// Runs side by side, aligned by steps, tokens or time.
import { useMemo } from "preact/hooks";
import { LineChart } from "../../charts/line_chart";
import { seriesColour } from "../../charts/palette";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/choice";
import { Empty } from "../../parts/notice";
import { Table } from "../../parts/table";
import type { Align, Comparison, RunCurve } from "../../server/training";
import { useAnswer } from "../../server/use_answer";
import { change, usePlace } from "../../url/location";
import { jobPath } from "../../url/routes";
import { bytes, count, percent, plain, seconds, short } from "../../words/number";
import { RunPicker } from "./run_picker";

const AXES = [["step", "Steps"], ["tokens", "Tokens"], ["time", "Time"]] as const;
const X_WORDS: Readonly<Record<Align, (x: number) => string>> = {
  step: (x) => `step ${count(x)}`, tokens: (x) => `${short(x)} tokens`, time: (x) => `after ${seconds(x)}`,
};

function Curves({ data, of }: { data: Comparison; of: "loss" | "loss_gap" }) {
  const shown = of === "loss_gap" ? data.runs.slice(1) : data.runs;
  const lines = useMemo(
    () => shown.map((run) => ({ name: run.run, colour: seriesColour(data.runs.indexOf(run)), values: run[of] })), [data, of]);
  if (!lines.some((line) => line.values.some((value) => value !== null))) return <Empty title="These runs report no loss." />;
  return <LineChart title={of === "loss" ? "Loss of each run" : "Loss difference"} x={data.at} lines={lines} height={of === "loss" ? 260 : 170}
                    unit={(value, digits = 4) => plain(value, digits)} xWords={X_WORDS[data.align]} syncKey="compare" />;
}

const RunTable = ({ data }: { data: Comparison }) => (
  <Table caption="Runs" rows={data.runs} keyOf={(run: RunCurve) => run.run} columns={[
    { name: "Run", cell: (run) => <><span class="swatch" style={{ background: seriesColour(data.runs.indexOf(run)) }} /><a href={jobPath(run.run)}>{run.run}</a></>, sort: (run) => run.run },
    { name: "Step time", cell: (run) => seconds(run.step_seconds), sort: (run) => run.step_seconds, isNumber: true },
    { name: "Speed", cell: (run) => percent(run.speed, 0), sort: (run) => run.speed, isNumber: true },
    { name: "Tokens/s", cell: (run) => short(run.tokens_per_second), sort: (run) => run.tokens_per_second, isNumber: true },
    { name: "Memory", cell: (run) => bytes(run.highest_memory_bytes), sort: (run) => run.highest_memory_bytes, isNumber: true, isWide: true },
    { name: "Energy per step", cell: (run) => short(run.joules_per_step, "J"), sort: (run) => run.joules_per_step, isNumber: true, isWide: true },
    { name: "Latest difference", cell: (run) => plain(run.last_gap), sort: (run) => run.last_gap, isNumber: true },
    { name: "Diverges at", cell: (run) => (run.parts_at === null ? "never" : X_WORDS[data.align](run.parts_at)), isNumber: true },
  ]} />
);

const NoTokens = () => (
  <Empty title="Tokens per step are unknown for these runs.">Report <code>tokens_per_step</code>, or use another axis.</Empty>
);

export function ComparePage() {
  const { params } = usePlace();
  const runs = (params.get("runs") ?? "").split(",").filter(Boolean);
  const align = (params.get("axis") ?? "step") as Align;
  const answer = useAnswer<Comparison>(runs.length > 0 ? "training/compare" : null, { runs: runs.join(","), align, points: 1000 });
  return (
    <>
      <div class="page-head"><h1>Compare</h1><span class="grow" />
        <Choice name="Axis" options={AXES} value={align} onChange={(axis) => change({ axis }, true)} />
      </div>
      <RunPicker chosen={runs} />
      {runs.length === 0 ? <Empty title="No runs selected.">Select two or more above. The first one is the baseline.</Empty> : (
        <Answered answer={answer} height={300}>
          {(data) => align === "tokens" && !data.at.some((tokens) => tokens > 0) ? <NoTokens /> : (
            <>
              <Card title="Loss"><Curves data={data} of="loss" /></Card>
              {data.runs.length > 1 && <Card title="Difference" note={`relative to ${data.runs[0]?.run}`}><Curves data={data} of="loss_gap" /></Card>}
              <Card title="Runs"><RunTable data={data} /></Card>
            </>
          )}
        </Answered>
      )}
    </>
  );
}
