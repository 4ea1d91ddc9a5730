// Scrolls to the section that the address names, as in /status#flags, and keeps it in view while
// content above it loads, until the user scrolls or types.
import { useEffect } from "preact/hooks";

const SETTLED_AFTER_MS = 10_000;
const MOVES = ["wheel", "keydown", "pointerdown", "touchmove"] as const;

export function useAnchor(): void {
  useEffect(() => {
    const id = window.location.hash.slice(1);
    const content = document.getElementById("content");
    if (!id || !content) return;
    const show = () => document.getElementById(id)?.scrollIntoView();
    const observer = new MutationObserver(show);
    observer.observe(content, { childList: true, subtree: true });
    const end = () => {
      observer.disconnect();
      clearTimeout(timer);
      for (const move of MOVES) window.removeEventListener(move, end);
    };
    const timer = setTimeout(end, SETTLED_AFTER_MS);
    for (const move of MOVES) window.addEventListener(move, end, { passive: true });
    show();
    return end;
  }, []);
}
