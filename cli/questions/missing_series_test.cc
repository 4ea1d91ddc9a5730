#include "cli/questions/missing_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/promql/parser/parser.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Formats the selectors of an expression.
std::vector<std::string> Selectors(std::string_view expression) {
  const auto tree = promql::ParseExpr(expression);
  EXPECT_TRUE(tree.ok()) << tree.status();
  std::vector<std::string> texts;
  for (const std::vector<Matcher>& selector : SelectorsOf(**tree)) {
    std::string& text = texts.emplace_back();
    for (const Matcher& matcher : selector) text += (text.empty() ? "" : ",") + matcher.ToString();
  }
  return texts;
}

TEST(MissingSeriesTest, FindsSelectorsWhereverTheyStand) {
  EXPECT_THAT(Selectors("1 + 2"), IsEmpty());
  EXPECT_THAT(Selectors("up"), ElementsAre("__name__=\"up\""));
  EXPECT_THAT(Selectors("{job=~\"a.*\"}"), ElementsAre("job=~\"a.*\""));
  EXPECT_THAT(Selectors("-(a + on (b) c)"), ElementsAre("__name__=\"a\"", "__name__=\"c\""));
  EXPECT_THAT(Selectors("quantile by (x) (scalar(q), rate(a{b=\"c\"}[5m] offset 1h))"),
              ElementsAre("__name__=\"q\"", "b=\"c\",__name__=\"a\""));
  EXPECT_THAT(Selectors("max_over_time(sum(a)[1h:1m])"), ElementsAre("__name__=\"a\""));
}

}  // namespace
}  // namespace lockstep::cli
