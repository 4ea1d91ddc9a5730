// Maps paths to pages.
export type Route =
  | { readonly page: "fleet" | "compare" | "explore" | "alerts" | "status" | "unknown" }
  | { readonly page: "job"; readonly job: string }
  | { readonly page: "rank"; readonly job: string; readonly rank: number }
  | { readonly page: "gpu"; readonly uuid: string };

const SINGLE = new Set(["compare", "explore", "alerts", "status"]);

export function routeOf(path: string): Route {
  const [first, second, third, fourth, ...more] = path.split("/").filter(Boolean).map(decodeURIComponent);
  if (first === undefined || (first === "fleet" && second === undefined)) return { page: "fleet" };
  if (more.length > 0) return { page: "unknown" };
  if (SINGLE.has(first) && second === undefined) {
    return { page: first as "compare" | "explore" | "alerts" | "status" };
  }
  if (first === "jobs" && second !== undefined) {
    if (third === undefined) return { page: "job", job: second };
    const rank = Number(fourth);
    if (third === "ranks" && Number.isInteger(rank)) return { page: "rank", job: second, rank };
  }
  if (first === "gpus" && second !== undefined && third === undefined) return { page: "gpu", uuid: second };
  return { page: "unknown" };
}

export const jobPath = (job: string): string => `/jobs/${encodeURIComponent(job)}`;
export const rankPath = (job: string, rank: number): string => `${jobPath(job)}/ranks/${rank}`;
export const gpuPath = (uuid: string): string => `/gpus/${encodeURIComponent(uuid)}`;
