// Refreshing: on demand, and periodically while `refresh` is set in the address.
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

// Hidden pages do not refresh, nor do pages that still wait for a response.
export function useAutoRefresh(seconds: number | null): void {
  useEffect(() => {
    if (!seconds) return;
    const timer = window.setInterval(() => {
      if (!document.hidden && !isAsking()) refresh();
    }, seconds * 1000);
    return () => window.clearInterval(timer);
  }, [seconds]);
}
