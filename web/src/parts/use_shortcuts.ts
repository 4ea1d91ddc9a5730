// Keyboard shortcuts: single keys, and "g" followed by another key. Ignored while typing in a
// field.
import { useEffect } from "preact/hooks";

export type Shortcuts = Readonly<Record<string, () => void>>;

const PREFIX = "g";
const PREFIX_HOLDS_MS = 1200;

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  if (!element?.tagName) return false;
  return /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) || element.isContentEditable || !!element.shadowRoot;
}

export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    let prefixAt = -Infinity;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSecond = event.timeStamp - prefixAt < PREFIX_HOLDS_MS;
      prefixAt = !isSecond && event.key === PREFIX ? event.timeStamp : -Infinity;
      const action = shortcuts[isSecond ? `${PREFIX} ${event.key}` : event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [shortcuts]);
}
