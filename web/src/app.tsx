// The frame around every page: where one can go, which time is shown, and the keys that work everywhere.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Help } from "./parts/help";
import { Empty, Loading } from "./parts/notice";
import { moveRange, RangePicker, zoomRange } from "./parts/range_picker";
import { toggleTheme, useTheme } from "./parts/use_theme";
import { useShortcuts } from "./parts/use_shortcuts";
import { FleetPage } from "./pages/fleet/fleet_page";
import { refresh, useAutoRefresh } from "./server/refresh";
import { followLink, go, usePlace } from "./url/location";
import { routeOf, type Route } from "./url/routes";
import { useRange, type KnownRange } from "./url/use_range";

const JobPage = lazy(() => import("./pages/job/job_page").then((page) => page.JobPage));
const RankPage = lazy(() => import("./pages/rank/rank_page").then((page) => page.RankPage));
const GpuPage = lazy(() => import("./pages/rank/gpu_page").then((page) => page.GpuPage));
const ComparePage = lazy(() => import("./pages/compare/compare_page").then((page) => page.ComparePage));
const ExplorePage = lazy(() => import("./pages/explore/explore_page").then((page) => page.ExplorePage));
const AlertsPage = lazy(() => import("./pages/alerts/alerts_page").then((page) => page.AlertsPage));
const StatusPage = lazy(() => import("./pages/status/status_page").then((page) => page.StatusPage));

const PAGES = [
  ["/", "fleet", "Fleet", "▦"],
  ["/compare", "compare", "Compare", "⇄"],
  ["/explore", "explore", "Explore", "ƒ"],
  ["/alerts", "alerts", "Alerts", "▲"],
  ["/status", "status", "Status", "≡"],
] as const;

const REFRESH_S: Readonly<Record<string, number>> = { "5s": 5, "15s": 15, "1m": 60 };

function pageOf(route: Route, range: KnownRange) {
  switch (route.page) {
    case "fleet": return <FleetPage range={range} />;
    case "job": return <JobPage key={route.job} job={route.job} />;
    case "rank": return <RankPage key={`${route.job} ${route.rank}`} job={route.job} rank={route.rank} />;
    case "gpu": return <GpuPage key={route.uuid} uuid={route.uuid} range={range} />;
    case "compare": return <ComparePage />;
    case "explore": return <ExplorePage range={range} />;
    case "alerts": return <AlertsPage />;
    case "status": return <StatusPage />;
    case "unknown":
      return <Empty title="There is no such page."><a href="/">To the fleet</a></Empty>;
  }
}

function titleOf(route: Route): string {
  if (route.page === "job") return route.job;
  if (route.page === "rank") return `${route.job}, rank ${route.rank}`;
  if (route.page === "gpu") return route.uuid;
  return route.page;
}

// Pages of one job show that job's time.
const hasRange = (route: Route) => ["fleet", "explore", "gpu"].includes(route.page);

export function App() {
  const { path, params } = usePlace();
  const route = routeOf(path);
  const range = useRange();
  const theme = useTheme();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useAutoRefresh(REFRESH_S[params.get("refresh") ?? ""] ?? null);
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
      <a class="skip" href="#content">To the content</a>
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
        <button type="button" onClick={refresh} title="Ask again (r)" aria-label="Ask again">↻</button>
        <button type="button" onClick={toggleTheme} title="Dark or light (t)"
                aria-label={theme === "dark" ? "Light colours" : "Dark colours"}>◐</button>
        <button type="button" onClick={() => setHelpOpen(true)} title="Keys (?)" aria-label="Keys">?</button>
      </div>
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<Loading height={300} />}>{pageOf(route, range)}</Suspense>
      </main>
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  );
}
