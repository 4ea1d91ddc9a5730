// The plain functions judge the sliding ones.
#include "query/engine/kernels/sliding_functions.h"
#include "query/engine/kernels/constants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "query/engine/kernels/kernel_testing.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

constexpr FunctionId kFunctions[] = {FunctionId::kSumOverTime, FunctionId::kAvgOverTime,
                                     FunctionId::kMinOverTime, FunctionId::kMaxOverTime,
                                     FunctionId::kRate,        FunctionId::kIncrease,
                                     FunctionId::kResets,      FunctionId::kChanges};

// Windows of one series as a range query makes them: ends a step apart, each `range_ms` long.
struct Walk {
  int64_t step_ms = 0;
  int64_t range_ms = 0;
};

bool Alike(double plain, double sliding) {
  if (std::isnan(plain) || std::isnan(sliding)) return std::isnan(plain) && std::isnan(sliding);
  if (plain == sliding) return true;
  return std::fabs(plain - sliding) <= 1e-12 * std::max(std::fabs(plain), std::fabs(sliding));
}

void CheckWalk(const SampleColumns& series, FunctionId id, Walk walk) {
  const std::unique_ptr<SlidingFunction> sliding = MakeSlidingFunction(id, series);
  if (sliding == nullptr) return;  // values too large for sliding sums
  const WindowFunction plain = FindWindowFunction(id);
  AnnotationSink sink;
  const WindowContext context{{}, 0, &sink};
  const auto& times = series.timestamps_ms;
  for (int64_t end = times.front(); end <= times.back() + walk.range_ms; end += walk.step_ms) {
    const auto first = std::upper_bound(times.begin(), times.end(), end - walk.range_ms);
    const auto last = std::upper_bound(first, times.end(), end);
    if (first == last) continue;
    Window window;
    window.timestamps_ms = {first, last};
    window.values =
        std::span(series.values)
            .subspan(static_cast<size_t>(first - times.begin()), static_cast<size_t>(last - first));
    window.range_start_ms = end - walk.range_ms;
    window.range_end_ms = end;
    const WindowResult expected = plain(window, context);
    const WindowResult got = sliding->At(window, context);
    ASSERT_EQ(got.kind, expected.kind);
    ASSERT_TRUE(Alike(expected.value, got.value))
        << static_cast<int>(id) << " at " << end << ": " << expected.value << " " << got.value;
  }
}

// Samples about 10 s apart with gaps; values from `next`.
template <typename Next>
SampleColumns RandomSeries(std::mt19937_64& random, Next next) {
  SampleColumns series;
  int64_t t = 0;
  for (int i = 0; i < 400; ++i) {
    t += 1 + static_cast<int64_t>(random() % 20'000) + (random() % 50 == 0 ? 300'000 : 0);
    series.Append(t, next());
  }
  return series;
}

void CheckAll(std::mt19937_64& random, const SampleColumns& series) {
  for (const FunctionId id : kFunctions) {
    for (int i = 0; i < 4; ++i) {
      CheckWalk(series, id,
                {static_cast<int64_t>(1 + random() % 60'000),
                 static_cast<int64_t>(1 + random() % 600'000)});
    }
  }
}

TEST(SlidingFunctionsTest, AgreeOnCounters) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 6; ++round) {
    double value = 0;
    CheckAll(random, RandomSeries(random, [&] {
               value = random() % 30 == 0 ? 0 : value + static_cast<double>(random() % 1000) / 7;
               return value;
             }));
  }
}

TEST(SlidingFunctionsTest, AgreeOnGaugesOfAllMagnitudes) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 6; ++round) {
    CheckAll(random, RandomSeries(random, [&] {
               const auto exponent = static_cast<int>(random() % 200) - 100;
               return std::ldexp(static_cast<double>(random() % 2000) - 1000, exponent);
             }));
  }
}

TEST(SlidingFunctionsTest, AgreeOnNanAndInfinity) {
  const double specials[] = {std::nan(""),
                             kInfinity,
                             -kInfinity,
                             0.0,
                             -0.0,
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::lowest()};
  std::mt19937_64 random(3);
  for (int round = 0; round < 6; ++round) {
    CheckAll(random, RandomSeries(random, [&] {
               return random() % 3 == 0 ? specials[random() % std::size(specials)]
                                        : static_cast<double>(random() % 5);
             }));
  }
}

// At one window, whatever windows came before.
TEST(SlidingFunctionsTest, AWindowHasOneSum) {
  std::mt19937_64 random(4);
  const SampleColumns series =
      RandomSeries(random, [&] { return static_cast<double>(random() % 100'000) / 7 - 5'000; });
  const auto& times = series.timestamps_ms;
  constexpr int64_t kRangeMs = 300'000;
  AnnotationSink sink;
  const WindowContext context{{}, 0, &sink};
  for (const FunctionId id : {FunctionId::kSumOverTime, FunctionId::kAvgOverTime}) {
    const std::unique_ptr<SlidingFunction> all = MakeSlidingFunction(id, series);
    for (int64_t end = times.front(); end <= times.back(); end += 60'000) {
      const auto first = std::upper_bound(times.begin(), times.end(), end - kRangeMs);
      const auto last = std::upper_bound(first, times.end(), end);
      if (first == last) continue;
      Window window;
      window.timestamps_ms = {first, last};
      window.values = std::span(series.values)
                          .subspan(static_cast<size_t>(first - times.begin()),
                                   static_cast<size_t>(last - first));
      window.range_start_ms = end - kRangeMs;
      window.range_end_ms = end;
      const double alone = MakeSlidingFunction(id, series)->At(window, context).value;
      ASSERT_EQ(std::bit_cast<uint64_t>(all->At(window, context).value),
                std::bit_cast<uint64_t>(alone))
          << end;
    }
  }
}

TEST(SlidingFunctionsTest, LeaveWhatTheyCannotDoToThePlainOnes) {
  SampleColumns series;
  series.Append(1, 1);
  EXPECT_EQ(MakeSlidingFunction(FunctionId::kDeriv, series), nullptr);
  EXPECT_NE(MakeSlidingFunction(FunctionId::kRate, series), nullptr);
  series.start_timestamps_ms = {0};
  EXPECT_EQ(MakeSlidingFunction(FunctionId::kRate, series), nullptr);
  series.start_timestamps_ms.clear();
  series.histograms.push_back({2, std::make_shared<const Histogram>()});
  EXPECT_EQ(MakeSlidingFunction(FunctionId::kRate, series), nullptr);
}

}  // namespace
}  // namespace lockstep::engine
