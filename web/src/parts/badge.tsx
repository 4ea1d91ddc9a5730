// A state in one word. Its shape conveys what its colour conveys.
import { toneOf, word, type Tone } from "../words/training";

const MARKS: Readonly<Record<Tone, string>> = { good: "●", warn: "▲", bad: "■", calm: "○" };

export function Badge({ name, tone = toneOf(name), text = word(name) }: { name: string; tone?: Tone; text?: string }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{MARKS[tone]}</span>{"\u00a0"}{text}
    </span>
  );
}
