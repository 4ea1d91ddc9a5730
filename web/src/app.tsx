// The frame around every page: navigation, the time range and the global keyboard shortcuts.
import { Suspense } from "preact/compat";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Help } from "./parts/help";
import { hasRange, pageOf } from "./pages";
import { Loading } from "./parts/notice";
import { moveRange, RangePicker, zoomRange } from "./parts/range_picker";
import { RefreshPicker } from "./parts/refresh_picker";
import { toggleTheme, useTheme } from "./parts/use_theme";
import { useShortcuts } from "./parts/use_shortcuts";
import { refresh } from "./server/refresh";
import { followLink, go, usePlace } from "./url/location";
import { routeOf, type Route } from "./url/routes";
import { useRange } from "./url/use_range";

const PAGES = [
  ["/", "fleet", "Fleet", "▦"],
  ["/compare", "compare", "Compare", "⇄"],
  ["/explore", "explore", "Explore", "ƒ"],
  ["/alerts", "alerts", "Alerts", "▲"],
  ["/status", "status", "Status", "≡"],
] as const;

function titleOf(route: Route): string {
  if (route.page === "job") return route.job;
  if (route.page === "rank") return `${route.job}, rank ${route.rank}`;
  if (route.page === "gpu") return route.uuid;
  return route.page;
}

export function App() {
  const { path, params } = usePlace();
  const route = routeOf(path);
  const range = useRange(hasRange(route));
  const theme = useTheme();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(() => {
    document.title = `${titleOf(route)} · lockstep`;
  }, [path]);
  const shortcuts = useMemo(
    () => ({
      "g f": () => go("/"), "g c": () => go("/compare"), "g e": () => go("/explore"),
      "g a": () => go("/alerts"), "g s": () => go("/status"),
      "?": () => setHelpOpen(true), t: toggleTheme, r: refresh,
      "/": () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
      "[": () => moveRange(range, -0.5), "]": () => moveRange(range, 0.5), z: () => zoomRange(range, 2),
    }),
    [range],
  );
  useShortcuts(shortcuts);
  const current = ["job", "rank", "gpu"].includes(route.page) ? "fleet" : route.page;
  return (
    <div class="frame" onClick={followLink}>
      <a class="skip" href="#content">Skip to content</a>
      <nav class="side" aria-label="Pages">
        <a class="brand" href="/">lockstep</a>
        {PAGES.map(([href, name, title, mark]) => (
          <a key={name} href={href} aria-current={current === name ? "page" : undefined}>
            <span class="mark" aria-hidden="true">{mark}</span><span>{title}</span>
          </a>
        ))}
      </nav>
      <div class="bar">
        {hasRange(route) ? <RangePicker range={range} params={params} /> : <span class="grow" />}
        <span class="grow" />
        <button type="button" onClick={refresh} title="Refresh (r)" aria-label="Refresh now">↻</button>
        <RefreshPicker params={params} />
        <button type="button" onClick={toggleTheme} title="Toggle theme (t)"
                aria-label={theme === "dark" ? "Light theme" : "Dark theme"}>◐</button>
        <button type="button" onClick={() => setHelpOpen(true)} title="Keyboard shortcuts (?)" aria-label="Keyboard shortcuts">?</button>
      </div>
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<Loading height={300} />}>{pageOf(route, range)}</Suspense>
      </main>
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  );
}
