// Dark or light theme: the system's preference until the user chooses.
import { useEffect, useState } from "preact/hooks";

export type Theme = "dark" | "light";
const KEY = "lockstep.theme";
const listeners = new Set<() => void>();

function stored(): string | null {
  try {
    return window.localStorage.getItem(KEY);
  } catch {
    return null; // storage is disabled
  }
}

export function theme(): Theme {
  const chosen = stored();
  if (chosen === "dark" || chosen === "light") return chosen;
  return window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme();
}

export function toggleTheme(): void {
  try {
    window.localStorage.setItem(KEY, theme() === "dark" ? "light" : "dark");
  } catch {
    // Without storage the system's preference stays in effect.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

// Charts use the theme's colours, so they redraw when it changes.
export function useTheme(): Theme {
  const [current, setCurrent] = useState(theme);
  useEffect(() => {
    const update = () => {
      applyTheme();
      setCurrent(theme());
    };
    const system = window.matchMedia("(prefers-color-scheme: light)");
    listeners.add(update);
    system.addEventListener("change", update);
    return () => {
      listeners.delete(update);
      system.removeEventListener("change", update);
    };
  }, []);
  return current;
}

export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
