// Compares a StepFold with a GroupAccumulator per step.
#include "query/engine/kernels/step_fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "query/engine/kernels/aggregators.h"
#include "query/engine/kernels/kernel_testing.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::engine {
namespace {

using promql::AggregateOp;
using Kind = StepFold::Result::Kind;

constexpr AggregateOp kOps[] = {AggregateOp::kSum,   AggregateOp::kAvg,    AggregateOp::kMin,
                                AggregateOp::kMax,   AggregateOp::kStddev, AggregateOp::kStdvar,
                                AggregateOp::kCount, AggregateOp::kGroup};
constexpr size_t kSteps = 37;

// Adds runs of values from `next` both ways. Returns how many steps were unknown.
template <typename Next>
size_t Compare(AggregateOp op, std::mt19937_64& random, StepFold& fold, Next next) {
  std::vector<GroupAccumulator> expected(kSteps);
  fold.Reset(op, kSteps);
  for (int member = 0; member < 40; ++member) {
    const size_t first = random() % kSteps;
    std::vector<double> values;
    for (size_t i = random() % (kSteps - first + 1); i > 0; --i) values.push_back(next());
    fold.Add(first, values);
    for (size_t i = 0; i < values.size(); ++i) expected[first + i].Add(op, values[i]);
  }
  size_t unknown_count = 0;
  AnnotationSink sink;
  for (size_t step = 0; step < kSteps; ++step) {
    const StepFold::Result result = fold.At(step);
    const WindowResult plain = expected[step].Finish(op, 0, sink);
    EXPECT_EQ(result.kind == Kind::kNone, plain.kind == WindowResult::Kind::kNone);
    if (result.kind == Kind::kUnknown) ++unknown_count;
    if (result.kind != Kind::kFloat) continue;
    EXPECT_TRUE(HaveSameBits(result.value, plain.value))
        << promql::AggregatorName(op) << ": " << plain.value << " " << result.value;
  }
  return unknown_count;
}

TEST(StepFoldTest, AgreesOnNumbers) {
  std::mt19937_64 random(1);
  StepFold fold;
  for (int round = 0; round < 20; ++round) {
    for (const AggregateOp op : kOps) {
      const size_t unknown_count = Compare(op, random, fold, [&] {
        const auto exponent = static_cast<int>(random() % 200) - 100;
        return std::ldexp(static_cast<double>(random() % 2000) - 1000, exponent);
      });
      EXPECT_EQ(unknown_count, 0u) << promql::AggregatorName(op);
    }
  }
}

TEST(StepFoldTest, AgreesOnNanAndInfinity) {
  const double specials[] = {std::nan(""),
                             kInfinity,
                             -kInfinity,
                             0.0,
                             -0.0,
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::lowest()};
  std::mt19937_64 random(2);
  StepFold fold;
  for (int round = 0; round < 20; ++round) {
    for (const AggregateOp op : kOps) {
      const auto special = [&] { return specials[random() % std::size(specials)]; };
      Compare(op, random, fold, special);
      Compare(op, random, fold,
              [&] { return random() % 20 == 0 ? special() : static_cast<double>(random() % 9); });
      Compare(op, random, fold, [&] { return specials[3 + random() % 2]; });
    }
  }
}

}  // namespace
}  // namespace lockstep::engine
