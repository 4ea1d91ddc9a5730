// When the page asks again: on demand, and every so often while `refresh` is set in the address.
import { useEffect, useState } from "preact/hooks";
import { isAsking } from "./in_turn";

const listeners = new Set<(tick: number) => void>();
let ticks = 0;

export function refresh(): void {
  ticks += 1;
  for (const listener of listeners) listener(ticks);
}

export const currentTick = (): number => ticks;

export function useTick(): number {
  const [tick, setTick] = useState(ticks);
  useEffect(() => {
    listeners.add(setTick);
    return () => {
      listeners.delete(setTick);
    };
  }, []);
  return tick;
}

// Hidden pages ask nothing, and a server that has not answered yet is not asked again.
export function useAutoRefresh(seconds: number | null): void {
  useEffect(() => {
    if (!seconds) return;
    const timer = window.setInterval(() => {
      if (!document.hidden && !isAsking()) refresh();
    }, seconds * 1000);
    return () => window.clearInterval(timer);
  }, [seconds]);
}
