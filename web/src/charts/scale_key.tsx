// The colour scale's legend.
import { useEffect, useRef } from "preact/hooks";
import { scaleColour } from "./palette";

const STEPS = 110;

export function ScaleKey({ low, high }: { low: string; high: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    for (let x = 0; x < STEPS; x += 1) {
      context.fillStyle = `rgb(${scaleColour(x / (STEPS - 1)).join(" ")})`;
      context.fillRect(x, 0, 1, 10);
    }
  }, []);
  return <div class="scale">{low}<canvas ref={canvas} width={STEPS} height={10} aria-hidden="true" />{high}</div>;
}
