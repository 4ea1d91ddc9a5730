#include "training/bottlenecks/pauses.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lockstep::training {
namespace {

using Range = std::pair<int64_t, int64_t>;

// One sample per second, the first at 1000 ms.
CounterSeries Samples(const std::vector<double>& values) {
  CounterSeries series;
  for (const double value : values) {
    series.timestamp_ms.push_back(1000 * static_cast<int64_t>(series.value.size() + 1));
    series.value.push_back(value);
  }
  return series;
}

TEST(Pauses, AreStretchesOfIdleSamples) {
  const struct {
    const char* words;
    std::vector<double> engine;
    std::vector<Range> expected;
  } rows[] = {
      {"works", {1, 1, 1, 1, 1, 1}, {}},
      {"idles for three seconds", {1, 1, 0, 0, 0, 1}, {{2000, 5000}}},
      {"idles for two", {1, 1, 0, 0, 1, 1}, {}},
      {"half idle samples are none", {1, 0.4, 0.4, 0.4, 0.4, 1}, {}},
      {"two pauses, one to the end", {1, 0, 0, 0, 1, 0, 0, 0.04}, {{1000, 4000}, {5000, 8000}}},
  };
  for (const auto& row : rows) {
    std::vector<Range> found;
    for (const TimeRange& pause : PausesOf(Samples(row.engine), 3000)) {
      found.emplace_back(pause.min_ms, pause.max_ms);
    }
    EXPECT_EQ(found, row.expected) << row.words;
  }
}

TEST(Pauses, AWindowsMainPartIsOneOrTheOther) {
  const struct {
    const char* words;
    TimeRange window;
    std::vector<TimeRange> pauses;
    Range expected;
  } rows[] = {
      {"no pause", {0, 5000}, {}, {0, 5000}},
      {"pause elsewhere", {0, 5000}, {{7000, 9000}}, {0, 5000}},
      {"all pause", {0, 5000}, {{-2000, 9000}}, {0, 5000}},
      {"mostly work", {0, 10000}, {{7500, 20000}}, {0, 6500}},
      {"mostly pause", {0, 10000}, {{3500, 20000}}, {3500, 10000}},
      {"work behind a pause", {0, 10000}, {{-5000, 2500}}, {3500, 10000}},
      {"pause between", {0, 10000}, {{3000, 8000}}, {3000, 8000}},
  };
  for (const auto& row : rows) {
    const TimeRange part = MainPart(row.window, row.pauses, 1000);
    EXPECT_EQ(Range(part.min_ms, part.max_ms), row.expected) << row.words;
  }
}

}  // namespace
}  // namespace lockstep::training
