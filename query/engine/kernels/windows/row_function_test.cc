// Compares the row functions with the window functions.
#include "query/engine/kernels/windows/row_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "model/sample.h"
#include "query/engine/kernels/kernel_testing.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/engine/kernels/numbers/kahan.h"
#include "query/engine/kernels/windows/time_cursor.h"
#include "query/engine/kernels/windows/window_functions.h"

namespace lockstep::engine {
namespace {

using promql::FunctionId;

constexpr FunctionId kFunctions[] = {FunctionId::kSumOverTime,
                                     FunctionId::kAvgOverTime,
                                     FunctionId::kMinOverTime,
                                     FunctionId::kMaxOverTime,
                                     FunctionId::kStddevOverTime,
                                     FunctionId::kStdvarOverTime,
                                     FunctionId::kRate,
                                     FunctionId::kIncrease,
                                     FunctionId::kDelta,
                                     FunctionId::kIrate,
                                     FunctionId::kIdelta,
                                     FunctionId::kResets,
                                     FunctionId::kChanges,
                                     FunctionId::kCountOverTime,
                                     FunctionId::kFirstOverTime,
                                     FunctionId::kLastOverTime,
                                     FunctionId::kPresentOverTime,
                                     FunctionId::kTsOfLastOverTime,
                                     FunctionId::kTsOfFirstOverTime};

// Windows of one series as in a range query: ends one step apart, each `range_ms` long.
struct Walk {
  int64_t step_ms = 0;
  int64_t range_ms = 0;
};

// A row over all samples of a series.
class TestRow {
 public:
  TestRow(const SampleColumns& series, Walk walk) : series_(series), walk_(walk) {
    const auto& times = series.timestamps_ms;
    const int64_t last_ms = times.back() + walk.range_ms;
    for (int64_t end_ms = times.front(); end_ms <= last_ms; end_ms += walk.step_ms) {
      firsts_.push_back(CountUpTo(end_ms - walk.range_ms));
      ends_.push_back(CountUpTo(end_ms));
    }
  }

  WindowRow row() const {
    return {.timestamps_ms = series_.timestamps_ms,
            .values = series_.values,
            .firsts = firsts_,
            .ends = ends_,
            .first_end_ms = series_.timestamps_ms.front(),
            .step_ms = walk_.step_ms,
            .range_ms = walk_.range_ms};
  }
  Window WindowAt(size_t i) const {
    const size_t count = ends_[i] - firsts_[i];
    Window window;
    window.timestamps_ms = std::span(series_.timestamps_ms).subspan(firsts_[i], count);
    window.values = std::span(series_.values).subspan(firsts_[i], count);
    window.range_end_ms = row().EndOf(i);
    window.range_start_ms = window.range_end_ms - walk_.range_ms;
    return window;
  }
  size_t size() const { return firsts_.size(); }

 private:
  uint32_t CountUpTo(int64_t time_ms) const {
    const auto& times = series_.timestamps_ms;
    return static_cast<uint32_t>(std::ranges::upper_bound(times, time_ms) - times.begin());
  }

  const SampleColumns& series_;
  const Walk walk_;
  std::vector<uint32_t> firsts_;
  std::vector<uint32_t> ends_;
};

std::vector<double> Evaluate(FunctionId id, Overlap overlap, const WindowRow& row) {
  std::vector<double> results(row.size());
  MakeRowFunction(id, overlap)->Evaluate(row, results);
  return results;
}

bool AreAlike(double a, double b) {
  if (HaveSameBits(a, b)) return true;
  return std::fabs(a - b) <= 1e-12 * std::max(std::fabs(a), std::fabs(b));
}

void CheckWalk(const SampleColumns& series, FunctionId id, Overlap overlap, Walk walk) {
  const TestRow test(series, walk);
  const std::vector<double> results = Evaluate(id, overlap, test.row());
  const uint64_t min_samples = MakeRowFunction(id, overlap)->min_samples();
  const bool is_exact = overlap == Overlap::kNo || !HasOwnOrder(id);
  AnnotationSink sink;
  for (size_t i = 0; i < test.size(); ++i) {
    const Window window = test.WindowAt(i);
    if (window.empty()) continue;
    const WindowResult expected = FindWindowFunction(id)(window, {{}, 0, &sink});
    const bool has_result = window.values.size() >= min_samples;
    ASSERT_EQ(expected.kind == WindowResult::Kind::kFloat, has_result);
    if (!has_result) continue;
    ASSERT_TRUE(is_exact ? HaveSameBits(expected.value, results[i])
                         : AreAlike(expected.value, results[i]))
        << static_cast<int>(id) << " at window " << i << ": " << expected.value << " "
        << results[i];
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

SampleColumns RandomGauge(std::mt19937_64& random) {
  return RandomSeries(random, [&] { return static_cast<double>(random() % 100'000) / 7 - 5'000; });
}

void CheckAll(std::mt19937_64& random, const SampleColumns& series) {
  for (const FunctionId id : kFunctions) {
    for (const Overlap overlap : {Overlap::kNo, Overlap::kYes}) {
      for (int i = 0; i < 4; ++i) {
        const auto range_ms = static_cast<int64_t>(1 + random() % 600'000);
        const auto max_step_ms = overlap == Overlap::kYes ? range_ms : 60'000;
        CheckWalk(series, id, overlap,
                  {1 + static_cast<int64_t>(random() % uint64_t(max_step_ms)), range_ms});
      }
    }
  }
}

TEST(RowFunctionTest, AgreesOnCounters) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 6; ++round) {
    double value = 0;
    CheckAll(random, RandomSeries(random, [&] {
               value = random() % 30 == 0 ? 0 : value + static_cast<double>(random() % 1000) / 7;
               return value;
             }));
  }
}

// From the smallest doubles on, whose quotients are not precise.
TEST(RowFunctionTest, AgreesOnCountersOfAllMagnitudes) {
  std::mt19937_64 random(6);
  for (int exponent = -1074; exponent < 1000; exponent += 61) {
    double value = 0;
    CheckAll(random, RandomSeries(random, [&] {
               value = random() % 15 == 0 ? 0 : value + static_cast<double>(random() % 4);
               return std::ldexp(value, exponent);
             }));
  }
}

// The increase of a counter without resets. Source: prometheus/prometheus, promql/functions.go
// (extrapolatedRate).
double ExtrapolatedIncrease(const Window& window) {
  const auto seconds = [](int64_t ms) { return static_cast<double>(ms) / 1000; };
  const double increase = window.values.back() - window.values.front();
  double to_start = seconds(window.timestamps_ms.front() - window.range_start_ms);
  double to_end = seconds(window.range_end_ms - window.timestamps_ms.back());
  const double sampled = seconds(window.timestamps_ms.back() - window.timestamps_ms.front());
  const double average = sampled / static_cast<double>(window.values.size() - 1);
  if (to_start >= average * 1.1) to_start = average / 2;
  if (increase > 0 && window.values.front() >= 0) {
    to_start = std::min(to_start, sampled * (window.values.front() / increase));
  }
  if (to_end >= average * 1.1) to_end = average / 2;
  return increase * ((sampled + to_start + to_end) / sampled);
}

// Pairs of samples whose line was zero near the start of a range.
TEST(RowFunctionTest, CountersThatWereNearlyZeroAreNotExtrapolatedBeyond) {
  std::mt19937_64 random(9);
  for (const double unit : {1.0, 0.7e-300, 5e-324}) {
    for (const double deviation : {0.0, 1e-15, 1e-12, 1e-7, 1e-5, 1e-3}) {
      SampleColumns series;
      for (int64_t pair = 0; pair < 300; ++pair) {
        const auto increase = static_cast<double>(1 + random() % 100);
        const auto seconds_to_zero = static_cast<double>(1 + random() % 15);
        const double sign = random() % 2 == 0 ? 1 : -1;
        const double first = increase * seconds_to_zero / 15 * (1 + sign * deviation);
        series.Append(pair * 60'000, first * unit);
        series.Append(pair * 60'000 + 15'000, (first + increase) * unit);
      }
      const TestRow test(series, {1'000, 30'000});
      const std::vector<double> results =
          Evaluate(FunctionId::kIncrease, Overlap::kYes, test.row());
      for (size_t i = 0; i < test.size(); ++i) {
        const Window window = test.WindowAt(i);
        if (window.values.size() < 2) continue;
        ASSERT_TRUE(HaveSameBits(ExtrapolatedIncrease(window), results[i])) << i;
      }
    }
  }
}

TEST(RowFunctionTest, AgreesOnGaugesOfAllMagnitudes) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 6; ++round) {
    CheckAll(random, RandomSeries(random, [&] {
               const auto exponent = static_cast<int>(random() % 200) - 100;
               return std::ldexp(static_cast<double>(random() % 2000) - 1000, exponent);
             }));
  }
}

TEST(RowFunctionTest, AgreesOnNanAndInfinity) {
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
    CheckAll(random, RandomSeries(random, [&] { return specials[random() % 5]; }));
  }
}

// Whether a sum overflows on the way depends on the order.
TEST(RowFunctionTest, AgreesNearTheLargestNumbers) {
  const double max = std::numeric_limits<double>::max();
  const double values[] = {max, -max, 1e291, -1e291, 5, 0.1};
  std::mt19937_64 random(10);
  for (int round = 0; round < 6; ++round) {
    CheckAll(random, RandomSeries(random, [&] { return values[random() % std::size(values)]; }));
  }
}

// Equal samples lie alike in all windows.
TEST(RowFunctionTest, AgreesOnRegularSamples) {
  SampleColumns series;
  for (int i = 0; i < 1000; ++i) {
    if (i % 111 < 5) continue;
    series.Append(i * 15'000, i % 200 * 1.1);
  }
  for (const FunctionId id : kFunctions) {
    for (const int64_t step_ms : {15'000, 20'000, 60'000}) {
      CheckWalk(series, id, Overlap::kYes, {step_ms, 300'000});
      CheckWalk(series, id, Overlap::kNo, {step_ms, step_ms});
    }
  }
}

// The compensated sum of a window from its last border on, to which the sum from there back is
// added.
double SumOfHalves(const Window& window) {
  const int64_t range_ms = window.range_end_ms - window.range_start_ms;
  int64_t border_ms = window.range_end_ms / range_ms * range_ms;
  if (border_ms > window.range_end_ms) border_ms -= range_ms;
  KahanSum older;
  KahanSum newer;
  for (size_t i = window.values.size(); i-- > 0;) {
    if (window.timestamps_ms[i] <= border_ms) older.Add(window.values[i]);
  }
  for (size_t i = 0; i < window.values.size(); ++i) {
    if (window.timestamps_ms[i] > border_ms) newer.Add(window.values[i]);
  }
  newer.Add(older.sum);
  newer.compensation += older.compensation;
  return newer.Total();
}

TEST(RowFunctionTest, SumsOfHalvesDependOnTheWindowOnly) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 10; ++round) {
    // Also with the zero of time inside of the series or behind it.
    SampleColumns series = RandomGauge(random);
    const auto before_ms = static_cast<int64_t>(random() % 10'000'000);
    for (int64_t& time_ms : series.timestamps_ms) time_ms -= before_ms;
    for (const int64_t step_ms : {7'000, 60'000, 299'000}) {
      const TestRow test(series, {step_ms, 300'000});
      const std::vector<double> results =
          Evaluate(FunctionId::kSumOverTime, Overlap::kYes, test.row());
      for (size_t i = 0; i < test.size(); ++i) {
        const Window window = test.WindowAt(i);
        if (window.empty()) continue;
        ASSERT_TRUE(HaveSameBits(SumOfHalves(window), results[i])) << i;
      }
    }
  }
}

// Long stretches are folded with less memory.
TEST(RowFunctionTest, AgreesOnLongRanges) {
  std::mt19937_64 random(11);
  SampleColumns series;
  for (int64_t i = 0; i < 60'000; ++i) {
    if (i % 7000 < 30) continue;
    series.Append(i * 1000, static_cast<double>(random() % 100'000) / 7);
  }
  for (const FunctionId id : {FunctionId::kMinOverTime, FunctionId::kAvgOverTime}) {
    const auto check = [&](int64_t range_ms) {
      CheckWalk(series, id, Overlap::kYes, {1'234'567, range_ms});
      const TestRow test(series, {1'234'567, range_ms});
      return MakeRowFunction(id, Overlap::kYes)->scratch_bytes(test.row());
    };
    EXPECT_GT(check(8'000'000), check(9'000'000));
    check(40'000'000);
  }
}

TEST(RowFunctionTest, PartsOfARowHaveTheSameResults) {
  std::mt19937_64 random(5);
  const SampleColumns series = RandomGauge(random);
  const TestRow test(series, {20'000, 300'000});
  for (const FunctionId id : kFunctions) {
    const std::vector<double> all = Evaluate(id, Overlap::kYes, test.row());
    for (size_t begin = 0; begin < test.size(); begin += 17) {
      const size_t end = std::min(begin + 17, test.size());
      const std::vector<double> part = Evaluate(id, Overlap::kYes, test.row().Part(begin, end));
      for (size_t i = begin; i < end; ++i) {
        if (test.WindowAt(i).values.size() < 2) continue;
        ASSERT_TRUE(HaveSameBits(all[i], part[i - begin])) << i;
      }
    }
  }
}

// Three samples in a minute; the middle one is only counted.
TEST(RowFunctionTest, LeftOutSamplesCount) {
  SampleColumns series;
  series.Append(10'000, 100);
  series.Append(50'000, 104);
  const uint32_t firsts[] = {0};
  const uint32_t ends[] = {2};
  const uint64_t left_out_before[] = {0, 1, 1};
  WindowRow row{.timestamps_ms = series.timestamps_ms,
                .values = series.values,
                .firsts = firsts,
                .ends = ends,
                .first_end_ms = 60'000,
                .range_ms = 60'000};
  // The interval between samples is 40 s, more than there is on both sides.
  EXPECT_EQ(Evaluate(FunctionId::kIncrease, Overlap::kNo, row)[0], 6);
  EXPECT_EQ(Evaluate(FunctionId::kCountOverTime, Overlap::kNo, row)[0], 2);
  row.left_out_before = left_out_before;
  // It is 20 s, so that 10 s on both sides are still less than 22 s.
  EXPECT_EQ(Evaluate(FunctionId::kIncrease, Overlap::kNo, row)[0], 6);
  EXPECT_EQ(Evaluate(FunctionId::kCountOverTime, Overlap::kNo, row)[0], 3);
  const uint64_t many_left_out_before[] = {0, 7, 7};
  row.left_out_before = many_left_out_before;
  // It is 5 s, and half of that is added on both sides.
  EXPECT_EQ(Evaluate(FunctionId::kIncrease, Overlap::kNo, row)[0], 4.5);
}

TEST(RowFunctionTest, OtherFunctionsHaveNone) {
  EXPECT_EQ(MakeRowFunction(FunctionId::kDeriv, Overlap::kNo), nullptr);
  EXPECT_NE(MakeRowFunction(FunctionId::kRate, Overlap::kNo), nullptr);
  EXPECT_TRUE(NeedsStartTimes(FunctionId::kRate));
  EXPECT_FALSE(NeedsStartTimes(FunctionId::kMinOverTime));
}

TEST(TimeCursorTest, CountsLikeASearch) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 50; ++round) {
    const SampleColumns series = RandomGauge(random);
    const auto& times = series.timestamps_ms;
    TimeCursor cursor(times);
    int64_t time_ms = times.front() - 50'000;
    while (time_ms < times.back() + 50'000) {
      ASSERT_EQ(cursor.CountUpTo(time_ms),
                static_cast<size_t>(std::ranges::upper_bound(times, time_ms) - times.begin()));
      time_ms += static_cast<int64_t>(random() % (round < 25 ? 1'000 : 100'000));
    }
  }
}

}  // namespace
}  // namespace lockstep::engine
