// The job's speed and how it uses its GPU time.
import { Tile, Tiles } from "../../parts/tile";
import type { Forecast } from "../../server/forecast";
import type { Ledger, Mfu, Stragglers } from "../../server/training";
import type { AnswerState } from "../../server/use_answer";
import { dayAndMinute } from "../../words/moment";
import { percent, plain, seconds, short } from "../../words/number";

const GOOD_GOODPUT = 0.9;

interface JobTilesProps {
  readonly forecast: Forecast | null; // null: not known yet, or the job does not run
  readonly ledger: Ledger | null;
  readonly mfu: AnswerState<Mfu>;
  readonly stragglers: AnswerState<Stragglers>;
}

function TimeLeft({ forecast }: { forecast: Forecast }) {
  const { end, cost } = forecast;
  const money = cost.total === null ? "" : `, ${plain(cost.total)} ${cost.currency ?? ""} in all`;
  const note = end.time === null ? end.reason : `until ${dayAndMinute(end.time)}${money}`;
  return <Tile name="Time left" value={seconds(end.seconds_left)} note={note} />;
}

export function JobTiles({ forecast, ledger, mfu, stragglers }: JobTilesProps) {
  const speed = mfu.data;
  const lost = stragglers.data?.lost_gpu_seconds ?? null;
  const isNobodyLate = lost !== null && lost > 0 && stragglers.data?.ranks.length === 0;
  const goodput = ledger?.goodput ?? null;
  const joules = ledger?.energy?.joules_per_step ?? null;
  return (
    <Tiles>
      <Tile name="Step time" value={seconds(speed?.step_seconds)} note="median" />
      <Tile name="Tokens/s" value={short(speed?.tokens_per_second)} note={!speed ? "" : speed.tokens_per_second === null ? "not reported" : `${short(speed.tokens_per_second_per_gpu)} per GPU`} />
      <Tile name="MFU" value={percent(speed?.mfu)} note={speed?.peak && !speed.is_above_peak ? `${plain(speed.tflops_per_gpu)} of ${plain(speed.peak.flops / 1e12)} TFLOP/s` : speed?.reason}
            {...(speed?.is_above_peak ? { tone: "bad" as const } : {})} />
      <Tile name="Goodput" value={percent(goodput)} note={ledger ? `${seconds(ledger.gpu_seconds)} of GPU time` : ""}
            {...(goodput !== null && goodput < GOOD_GOODPUT ? { tone: "warn" as const } : {})} />
      <Tile name={isNobodyLate ? "Lost to longer steps" : "Lost to stragglers"} value={seconds(lost)} note={lost ? "GPU time, at most" : "GPU time"}
            {...(lost ? { tone: "bad" as const } : {})} />
      <Tile name="Energy per step" value={short(joules, "J")} note={ledger?.energy?.kwh ? `${plain(ledger.energy.kwh)} kWh total` : ""} />
      {forecast && <TimeLeft forecast={forecast} />}
    </Tiles>
  );
}
