// One number and its name.
import type { ComponentChildren } from "preact";
import type { Tone } from "../words/training";

interface TileProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly tone?: Tone;
}

export function Tile({ name, value, note, tone }: TileProps) {
  return (
    <div class={`tile ${tone ?? ""}`}>
      <div class="tile-name">{name}</div>
      <div class="tile-value">{value}</div>
      {note && <div class="tile-note">{note}</div>}
    </div>
  );
}

export const Tiles = ({ children }: { children: ComponentChildren }) => <div class="tiles">{children}</div>;
