import { expect, test } from "vitest";
import { jobPath, rankPath, routeOf } from "./routes";

test.each([
  ["/", { page: "fleet" }],
  ["/fleet", { page: "fleet" }],
  ["/explore", { page: "explore" }],
  ["/jobs/pretrain-7", { page: "job", job: "pretrain-7" }],
  ["/jobs/a%2Fb/ranks/12", { page: "rank", job: "a/b", rank: 12 }],
  ["/gpus/GPU-1", { page: "gpu", uuid: "GPU-1" }],
  ["/jobs/a/ranks/x", { page: "unknown" }],
  ["/jobs", { page: "unknown" }],
  ["/explore/more", { page: "unknown" }],
])("%s", (path, expected) => expect(routeOf(path)).toEqual(expected));

test("a job name may contain any character", () => {
  expect(routeOf(jobPath("a/b?c#d"))).toEqual({ page: "job", job: "a/b?c#d" });
  expect(routeOf(rankPath("a b", 3))).toEqual({ page: "rank", job: "a b", rank: 3 });
});
