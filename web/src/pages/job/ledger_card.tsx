// How the job spent its GPU time.
import { BIN_COLOURS } from "../../charts/palette";
import { Answered } from "../../parts/answered";
import { Card } from "../../parts/card";
import type { Ledger } from "../../server/training";
import type { AnswerState } from "../../server/use_answer";
import { percent, seconds } from "../../words/number";
import { word } from "../../words/training";

function Shares({ ledger }: { ledger: Ledger }) {
  const bins = Object.keys(BIN_COLOURS).map((name) => [name, ledger.bins[name] ?? 0] as const).filter(([, size]) => size > 0);
  const share = (size: number) => size / ledger.gpu_seconds;
  return (
    <>
      <div class="shares" role="img" aria-label={bins.map(([name, size]) => `${word(name)} ${percent(share(size))}`).join(", ")}>
        {bins.map(([name, size]) => (
          <div key={name} title={`${word(name)}: ${seconds(size)}, ${percent(share(size))}`}
               style={{ flexGrow: String(share(size)), background: BIN_COLOURS[name] as string }} />
        ))}
      </div>
      <div class="bins">
        {bins.map(([name, size]) => (
          <div key={name}>
            <span class="swatch" style={{ background: BIN_COLOURS[name] as string }} aria-hidden="true" />
            {word(name)} <b>{percent(share(size))}</b> <span class="note">{seconds(size)}</span>
          </div>
        ))}
      </div>
    </>
  );
}

export function LedgerCard({ answer }: { answer: AnswerState<Ledger> }) {
  const note = answer.data && `${seconds(answer.data.gpu_seconds)} of GPU time on ${answer.data.gpus} GPUs, goodput ${percent(answer.data.goodput)}`;
  return (
    <Card title="GPU-time breakdown" note={note}>
      <Answered answer={answer} height={60}>{(ledger) => <Shares ledger={ledger} />}</Answered>
    </Card>
  );
}
