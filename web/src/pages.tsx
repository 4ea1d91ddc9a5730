// The pages by route, each loaded when it is first shown, and the data to prefetch for each.
import { lazy } from "preact/compat";
import { Empty } from "./parts/notice";
import { FleetPage } from "./pages/fleet/fleet_page";
import { ROLES } from "./server/roles";
import { unjudged } from "./server/training";
import { askEarly } from "./server/use_answer";
import type { Route } from "./url/routes";
import { HOLDS, type KnownRange } from "./url/use_range";

const load = {
  job: () => import("./pages/job/job_page"),
  rank: () => import("./pages/rank/rank_page"),
  gpu: () => import("./pages/rank/gpu_page"),
  compare: () => import("./pages/compare/compare_page"),
  explore: () => import("./pages/explore/explore_page"),
  alerts: () => import("./pages/alerts/alerts_page"),
  status: () => import("./pages/status/status_page"),
};

const JobPage = lazy(() => load.job().then((page) => page.JobPage));
const RankPage = lazy(() => load.rank().then((page) => page.RankPage));
const GpuPage = lazy(() => load.gpu().then((page) => page.GpuPage));
const ComparePage = lazy(() => load.compare().then((page) => page.ComparePage));
const ExplorePage = lazy(() => load.explore().then((page) => page.ExplorePage));
const AlertsPage = lazy(() => load.alerts().then((page) => page.AlertsPage));
const StatusPage = lazy(() => load.status().then((page) => page.StatusPage));

// Pages about one job use that job's time range.
export const hasRange = (route: Route): boolean => ["fleet", "explore", "gpu"].includes(route.page);

// Fetches what the page needs while the frame around it is still being built.
export function hurry(route: Route): void {
  if (route.page in load) void load[route.page as keyof typeof load]().catch(() => {});
  if (hasRange(route)) askEarly(...HOLDS);
  if (["fleet", "rank", "gpu"].includes(route.page)) askEarly(ROLES);
  if (route.page === "job" || route.page === "rank") askEarly("training/jobs", unjudged(route.job));
}

export function pageOf(route: Route, range: KnownRange) {
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
      return <Empty title="Page not found."><a href="/">Back to the fleet</a></Empty>;
  }
}
