// A server response as component state. Components with the same request share it; during a refresh
// the previous response stays.
import { useEffect, useState } from "preact/hooks";
import { askUrl, AskError, urlOf, type Answer, type Params } from "./ask";
import { inTurn } from "./in_turn";
import { currentTick, useTick } from "./refresh";

export interface AnswerState<T> {
  readonly data: T | null;
  readonly warnings: readonly string[];
  readonly error: AskError | null;
  readonly isLoading: boolean;
}

interface Entry {
  readonly tick: number;
  isUnderWay: boolean;
  readonly promise: Promise<Answer<unknown>>;
}

const MAX_ENTRIES = 200;
const entries = new Map<string, Entry>();
function shared(url: string): Promise<Answer<unknown>> {
  const known = entries.get(url);
  // A pending request is never sent twice.
  if (known && (known.isUnderWay || known.tick === currentTick())) return known.promise;
  const entry: Entry = { tick: currentTick(), isUnderWay: true, promise: inTurn(() => askUrl<unknown>(url)) };
  const end = () => {
    entry.isUnderWay = false;
  };
  entry.promise.then(end, end);
  entries.delete(url);
  entries.set(url, entry);
  if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value as string);
  return entry.promise;
}

// Sends a request before any component does; the component then shares it.
export function askEarly(path: string, params: Params = {}): void {
  shared(urlOf(path, params)).catch(() => {
    // The component that needs the answer reports the error.
  });
}

const NOTHING = { data: null, warnings: [], error: null, isLoading: false } as const;

function asError(error: unknown): AskError {
  return error instanceof AskError ? error : new AskError(0, "page", String(error));
}

// Sends no request while `path` is null.
export function useAnswer<T>(path: string | null, params: Params = {}): AnswerState<T> {
  const tick = useTick();
  const url = path === null ? null : urlOf(path, params);
  const [state, setState] = useState<AnswerState<T> & { url: string | null }>({ ...NOTHING, url: null });
  useEffect(() => {
    if (url === null) return;
    let isCurrent = true;
    setState((before) => ({ ...before, isLoading: true }));
    shared(url).then(
      (answer) => {
        if (!isCurrent) return;
        const data = answer.data as T;
        setState({ data, warnings: answer.warnings, error: null, isLoading: false, url });
      },
      (error) => {
        if (isCurrent) setState({ ...NOTHING, error: asError(error), url });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [url, tick]);
  if (url === null) return NOTHING;
  return state.url === null ? { ...NOTHING, isLoading: true } : state;
}
