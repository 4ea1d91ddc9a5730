// The address bar as the page's state: path and parameters. Everything worth sharing with a
// colleague is in it.
import { useEffect, useState } from "preact/hooks";

export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
}

export type Changes = Readonly<Record<string, string | null>>;

const listeners = new Set<() => void>();

function tellAll(): void {
  for (const listener of listeners) listener();
}

export function here(): Place {
  return { path: window.location.pathname, params: new URLSearchParams(window.location.search) };
}

// A path with parameters; null and empty parameters are omitted.
export function address(path: string, params: Changes = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// The parameter that links keep.
const KEPT = "refresh";

// `target` with the kept parameter, unless `target` sets it itself.
export function carried(target: string, params: URLSearchParams): string {
  const kept = params.get(KEPT);
  if (!kept) return target;
  const [path = "", query] = target.split("?");
  const next = new URLSearchParams(query);
  if (!next.has(KEPT)) next.set(KEPT, kept);
  return `${path}?${next}`;
}

export function go(target: string): void {
  window.history.pushState(null, "", carried(target, here().params));
  tellAll();
  window.scrollTo(0, 0);
}

// Changes parameters of the current address; null removes one. `quietly` adds no history entry.
export function change(changes: Changes, quietly = false): void {
  const { path, params } = here();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  const target = address(path, Object.fromEntries(params));
  if (quietly) window.history.replaceState(null, "", target);
  else window.history.pushState(null, "", target);
  tellAll();
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const update = () => setPlace(here());
    listeners.add(update);
    window.addEventListener("popstate", update);
    return () => {
      listeners.delete(update);
      window.removeEventListener("popstate", update);
    };
  }, []);
  return place;
}

// Opens internal links without reloading; clicks with a modifier key are left to the browser.
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.("a");
  const href = link?.getAttribute("href");
  if (!link || !href || !href.startsWith("/") || link.hasAttribute("target")) return;
  event.preventDefault();
  go(href);
}
