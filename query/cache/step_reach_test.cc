#include "query/cache/step_reach.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "query/promql/parser/parser.h"

namespace lockstep::cache {
namespace {

constexpr int64_t kMinute = 60'000;

std::string ReachText(std::string_view text) {
  const auto expr = promql::ParseExpr(text);
  if (!expr.ok()) return expr.status().ToString();
  const auto reach = ReachOf(**expr, 5 * kMinute);
  if (!reach.has_value()) return "unknown";
  return std::to_string(reach->before_ms / 1000) + " " + std::to_string(reach->after_ms / 1000);
}

TEST(StepReach, IsWhatSelectorsLookAt) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 + time()", "0 0"},
      {"m", "300 0"},
      {"m offset 1m", "360 -60"},
      {"m offset -1m", "240 60"},
      {"rate(m[10m])", "600 0"},
      {"default_rollup(m[10m])", "600 0"},
      {"sum by (x) (rate(m[10m])) / count(n)", "600 0"},
      {"rate(m[1m] offset -2m) + n offset 1h", "3900 120"},
      {"max_over_time(rate(m[1m])[30m:1m] offset 1m)", "1920 0"},
      {"rate(m[1m] anchored)", "360 300"},
      {"quantile(scalar(q offset 20m), m)", "1500 0"},
      {"-(m > bool 1) or absent(n)", "300 0"},
      {"m smoothed", "600 300"},
      {"rate(m[1m] smoothed offset 1m)", "420 240"},
      {"{__name__=\"m\", a=~\"b\"}", "300 0"},
      {"sum(m) + (n offset 1h)", "3900 0"},
      {"(n offset -1h) + sum(m)", "300 3600"},
      {"count_values(\"v\", m)", "300 0"},
      {"max_over_time(m[30m:])", "2100 0"},
      {"max_over_time(m[30m:1m] offset -1m)", "2040 60"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(ReachText(text), expected) << text;
}

TEST(StepReach, IsUnknownIfOtherStepsMatter) {
  for (const char* text : {"m @ 100",
                           "m @ end()",
                           "rate(m[5m] @ start())",
                           "max_over_time(m[5m:1m] @ 7)",
                           "vector(start())",
                           "vector(end() - range())",
                           "m * step()",
                           "m offset step()",
                           "rate(m[range()])",
                           "label_replace(m, \"a\", \"b\", \"c\", \"d\")",
                           "label_join(m, \"a\", \",\", \"b\")",
                           "info(m)",
                           "topk(2, m)",
                           "bottomk(2, m)",
                           "limitk(2, m)",
                           "quantile(scalar(m @ 5), n)",
                           "quantile(0.5, n @ 5)",
                           "m @ 5 + n",
                           "(m @ 5)",
                           "-(m @ start())",
                           "max_over_time(m[step():1m])",
                           "max_over_time(m[5m:step()])",
                           "max_over_time(m[5m:1m] offset step())",
                           "max_over_time((m @ 5)[5m:1m])",
                           "{__name__!=\"m\", a=\"b\"}",
                           "limit_ratio(0.5, m)",
                           "{__name__=~\"a|b\"}",
                           "rate({a=\"b\"}[5m])",
                           "1 + sum(m @ 5)",
                           "keep_last_value(m)",
                           "running_sum(m)",
                           "limit_offset(1, 0, m)",
                           "alias(m, \"b\")"}) {
    EXPECT_EQ(ReachText(text), "unknown") << text;
  }
}

}  // namespace
}  // namespace lockstep::cache
