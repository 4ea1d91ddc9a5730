#include "query/engine/context/step_invariant.h"

#include <gtest/gtest.h>

#include "query/promql/parser/parser.h"

namespace lockstep::engine {
namespace {

bool IsInvariant(std::string_view text) {
  const auto expr = promql::ParseExpr(text);
  EXPECT_TRUE(expr.ok()) << expr.status();
  return IsStepInvariant(**expr);
}

TEST(StepInvariant, NeedsEverySelectorPinned) {
  EXPECT_TRUE(IsInvariant("1 + 2"));
  EXPECT_TRUE(IsInvariant("m @ 5"));
  EXPECT_TRUE(IsInvariant("sum(rate(m[5m] @ start())) / 2"));
  EXPECT_TRUE(IsInvariant("sum_over_time(m[5m:1m] @ end())"));
  EXPECT_FALSE(IsInvariant("m"));
  EXPECT_FALSE(IsInvariant("m @ 5 + m"));
  EXPECT_FALSE(IsInvariant("sum_over_time((m @ 5)[5m:1m])"));
  EXPECT_FALSE(IsInvariant("topk(scalar(m), m @ 5)"));
}

TEST(StepInvariant, FunctionsThatLookAtTheClockVary) {
  EXPECT_FALSE(IsInvariant("time()"));
  EXPECT_FALSE(IsInvariant("hour()"));
  EXPECT_FALSE(IsInvariant("hour(m @ 5)"));
  EXPECT_FALSE(IsInvariant("predict_linear(m[5m] @ 5, 60)"));
  EXPECT_TRUE(IsInvariant("timestamp((m @ 5))"));
  EXPECT_FALSE(IsInvariant("timestamp(-(m @ 5))"));
  EXPECT_TRUE(IsInvariant("info(m @ 5)"));
  EXPECT_FALSE(IsInvariant("info(vector(0), {a=\"b\"})"));
}

}  // namespace
}  // namespace lockstep::engine
