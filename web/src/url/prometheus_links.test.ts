import { expect, test } from "vitest";
import { fromPrometheus, linkedQueries } from "./prometheus_links";

const at = (text: string) => {
  const [path = "", search] = text.split("?");
  return fromPrometheus({ path, params: new URLSearchParams(search) });
};

test.each([
  // From alerts and templates.
  ["/graph?g0.expr=temp+%3E+80&g0.tab=1", "/explore?q=temp+%3E+80&view=table&span=1h"],
  ["/graph?g0.expr=up&g0.tab=0", "/explore?q=up&view=graph&span=1h"],
  // From Prometheus 3.
  ["/query?g0.expr=up&g0.show_tree=0&g0.tab=graph&g0.range_input=6h", "/explore?q=up&view=graph&span=6h"],
  ["/query?g0.expr=up&g0.tab=explain", "/explore?q=up&view=explain&span=1h"],
  ["/query?g0.expr=up", "/explore?q=up&view=table&span=1h"],
  ["/query?g0.expr=up&g0.tab=graph&g0.range_input=1h30m&g0.end_input=2026-01-31%2012:00:00",
    "/explore?q=up&view=graph&from=1769855400.000&to=1769860800.000"],
  ["/query?g0.expr=up&g0.tab=table&g0.moment_input=2026-01-31+12%3A00&g0.end_input=2026-01-31",
    "/explore?q=up&view=table&from=1769857200.000&to=1769860800.000"],
  ["/query?g0.expr=up&g0.tab=graph&g0.end_input=1769860800.5", "/explore?q=up&view=graph&from=1769857200.500&to=1769860800.500"],
  ["/graph?g0.expr=up&g0.tab=0&g0.range_input=90m", "/explore?q=up&view=graph&from=now-5400s&to=now"],
  // The first query wins.
  ["/graph?g2.expr=up&g2.tab=0", "/explore?q=up&view=graph&span=1h"],
  ["/graph?g0.expr=+&g0.tab=1", "/explore"],
  ["/graph", "/explore"],
  ["/graph/?g0.expr=up&g0.tab=0", "/explore?q=up&view=graph&span=1h"],
  ["/rules", "/alerts#rules"],
  ["/targets?search=gpu", "/status#targets"],
  ["/service-discovery", "/status#targets"],
  ["/tsdb-status", "/status#cardinality"],
  ["/config", "/status#configuration"],
  ["/flags", "/status#flags"],
  // Addresses that this page has itself.
  ["/alerts", null],
  ["/status", null],
  ["/explore?q=up", null],
  ["/jobs/graph", null],
  ["/graph/more", null],
])("%s", (given, expected) => expect(at(given)).toBe(expected));

test("the first of several queries is shown, and the link is kept", () => {
  const search = "g0.expr=up&g0.tab=0&g10.expr=b&g1.expr=a&g1.tab=1";
  expect(at(`/graph?${search}`)).toBe(`/explore?q=up&view=graph&span=1h&link=${encodeURIComponent(search)}`);
  expect(linkedQueries(search).map((linked) => linked.query)).toEqual(["up", "a", "b"]);
  expect(linkedQueries(search)[1]?.target).toBe("/explore?q=a&view=table&span=1h");
});

test.each(["range_input=-1h", "range_input=soon", "range_input=0s", "end_input=yesterday", "end_input=2026-13-45 00:00:00"])(
  "%s is reported, not guessed", (words) => {
    const search = `g0.expr=up&g0.tab=0&g0.${words}`;
    expect(linkedQueries(search)).toEqual([{ query: "up", target: "/explore?q=up&view=graph&span=1h", unread: [`g0.${words}`] }]);
    expect(at(`/graph?${search}`)).toContain("&link=");
  });
