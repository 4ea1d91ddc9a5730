// Limits concurrent requests: browsers open six connections to a server, and sending more would
// hide which requests wait.
const MAX_AT_ONCE = 6;
const waiting: (() => void)[] = [];
let running = 0;

export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

export const isAsking = (): boolean => running > 0 || waiting.length > 0;
