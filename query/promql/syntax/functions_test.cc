#include "query/promql/syntax/functions.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep::promql {
namespace {

using ::testing::ElementsAre;

TEST(FunctionsTest, EveryNameAndIdOccursOnce) {
  std::set<std::string_view> names;
  std::set<FunctionId> ids;
  for (const FunctionSignature& function : AllFunctions()) {
    names.insert(function.name);
    ids.insert(function.id);
    EXPECT_EQ(FindFunction(function.name), &function);
  }
  // Prometheus 3.14 has 90.
  EXPECT_EQ(AllFunctions().size(), 90u);
  EXPECT_EQ(names.size(), 90u);
  EXPECT_EQ(ids.size(), 90u);
}

// A Prometheus query keeps its meaning.
TEST(FunctionsTest, MetricsqlHasNoNameOfPromql) {
  for (const FunctionSignature& function : AllMetricsqlFunctions()) {
    EXPECT_EQ(FindFunction(function.name), nullptr) << function.name;
    EXPECT_EQ(FindMetricsqlFunction(function.name), &function);
  }
  EXPECT_EQ(FindMetricsqlFunction("rate"), nullptr);
}

TEST(FunctionsTest, SeventeenAreExperimental) {
  const auto all = AllFunctions();
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const FunctionSignature& f) { return f.experimental; }),
            17);
}

TEST(FunctionsTest, NamesAreCaseSensitive) {
  EXPECT_NE(FindFunction("rate"), nullptr);
  EXPECT_EQ(FindFunction("Rate"), nullptr);
  EXPECT_EQ(FindFunction("rat"), nullptr);
  EXPECT_EQ(FindFunction(""), nullptr);
  EXPECT_EQ(FindFunction("zzz"), nullptr);
}

TEST(FunctionsTest, Signatures) {
  const FunctionSignature& quantile = *FindFunction("quantile_over_time");
  EXPECT_EQ(quantile.id, FunctionId::kQuantileOverTime);
  EXPECT_THAT(quantile.arg_types, ElementsAre(ValueType::kScalar, ValueType::kMatrix));
  EXPECT_EQ(quantile.return_type, ValueType::kVector);
  EXPECT_EQ(FindFunction("scalar")->return_type, ValueType::kScalar);
  EXPECT_EQ(FindFunction("label_join")->variadic, -1);
  EXPECT_TRUE(FindFunction("time")->arg_types.empty());
}

}  // namespace
}  // namespace lockstep::promql
