#include "query/engine/ranges/range_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int64_t> TimesAt(WindowSlider& slider, size_t step) {
  const Window window = slider.At(step);
  std::vector<int64_t> times(window.timestamps_ms.begin(), window.timestamps_ms.end());
  for (const HistogramSample& sample : window.histograms) times.push_back(sample.timestamp_ms);
  return times;
}

class WindowSliderTest : public ::testing::Test {
 protected:
  WindowSliderTest() {
    for (int64_t time_ms = 0; time_ms <= 100; time_ms += 10) samples_.Append(time_ms, 1);
    samples_.histograms.push_back({35, std::make_shared<const Histogram>()});
    windows_.ends = {30, 20, 3};  // 30, 50, 70
    windows_.range_ms = 20;
    windows_.lookback_ms = 15;
  }

  SampleColumns samples_;
  RangeWindows windows_;
};

TEST_F(WindowSliderTest, PlainWindowsAreLeftOpen) {
  WindowSlider slider(samples_, windows_);
  EXPECT_THAT(TimesAt(slider, 0), ElementsAre(20, 30));
  EXPECT_THAT(TimesAt(slider, 1), ElementsAre(40, 50, 35));
  EXPECT_THAT(TimesAt(slider, 2), ElementsAre(60, 70));
  EXPECT_EQ(windows_.Extent().min_ms, 11);
  EXPECT_EQ(windows_.Extent().max_ms, 70);
}

TEST_F(WindowSliderTest, AnchoredAndSmoothedWindowsReachFurther) {
  windows_.edges = promql::RangeEdges::kAnchored;
  WindowSlider anchored(samples_, windows_);
  EXPECT_THAT(TimesAt(anchored, 1), ElementsAre(20, 30, 40, 50, 35));
  windows_.edges = promql::RangeEdges::kSmoothed;
  WindowSlider smoothed(samples_, windows_);
  EXPECT_THAT(TimesAt(smoothed, 2), ElementsAre(40, 50, 60, 70, 80));
  EXPECT_EQ(smoothed.At(2).range_start_ms, 50);
}

TEST_F(WindowSliderTest, APinnedWindowStays) {
  windows_.pinned = true;
  windows_.ends = StepGrid::At(50);
  WindowSlider slider(samples_, windows_);
  EXPECT_THAT(TimesAt(slider, 0), ElementsAre(40, 50, 35));
  EXPECT_THAT(TimesAt(slider, 7), ElementsAre(40, 50, 35));
}

TEST(StepGrid, FindsTheStepsWithinATimeRange) {
  const StepGrid grid{100, 10, 5};  // 100 ... 140
  const auto check = [&](int64_t min_ms, int64_t max_ms, size_t begin, size_t end) {
    const StepBlock block = grid.Within({min_ms, max_ms});
    EXPECT_EQ(block.begin, begin) << min_ms << ".." << max_ms;
    EXPECT_EQ(block.end, end) << min_ms << ".." << max_ms;
  };
  check(0, 1000, 0, 5);
  check(110, 120, 1, 3);
  check(111, 129, 2, 3);
  check(111, 119, 2, 2);
  check(0, 99, 0, 0);
  check(140, 140, 4, 5);
  check(141, 200, 5, 5);
}

TEST_F(WindowSliderTest, GapsLeaveEmptyWindows) {
  SampleColumns late;
  late.Append(65, 1);
  WindowSlider slider(late, windows_);
  EXPECT_THAT(TimesAt(slider, 0), IsEmpty());
  EXPECT_THAT(TimesAt(slider, 1), IsEmpty());
  EXPECT_THAT(TimesAt(slider, 2), ElementsAre(65));
  EXPECT_EQ(slider.Steps(3).begin, 2u);
  EXPECT_EQ(slider.Steps(3).end, 3u);
  EXPECT_EQ(WindowSlider(SampleColumns(), windows_).Steps(3).begin,
            WindowSlider(SampleColumns(), windows_).Steps(3).end);
}

TEST(RangeWindows, SamplesThatWereLeftOutCount) {
  SampleColumns samples;
  for (int i = 1; i <= 5; ++i) samples.Append(i * 1000, i);
  samples.left_out = {1, 10, 100};
  RangeWindows windows;
  windows.ends = StepGrid::Over(1000, 5000, 1000);
  windows.range_ms = 2000;
  WindowSlider slider(samples, windows);
  std::vector<uint64_t> counts;
  for (size_t step = 0; step < 5; ++step) counts.push_back(slider.At(step).float_count());
  EXPECT_EQ(counts, (std::vector<uint64_t>{2, 13, 112, 102, 2}));
}

SamplesNeeded NeededAt(RangeWindows windows) {
  return SamplesNeededBy(promql::FunctionId::kMaxOverTime, windows);
}

TEST(RangeWindows, FewSamplesAreNeededOfWholeBuckets) {
  RangeWindows windows;
  windows.ends = StepGrid::Over(0, 12 * kThinningBucketMs, 3 * kThinningBucketMs);
  windows.range_ms = 2 * kThinningBucketMs;
  EXPECT_EQ(NeededAt(windows), SamplesNeeded::kHighest);
  EXPECT_EQ(SamplesNeededBy(promql::FunctionId::kSumOverTime, windows), SamplesNeeded::kAll);
  RangeWindows other = windows;
  other.edges = promql::RangeEdges::kAnchored;
  EXPECT_EQ(NeededAt(other), SamplesNeeded::kAll);
  other = windows;
  ++other.range_ms;
  EXPECT_EQ(NeededAt(other), SamplesNeeded::kAll);
  other = windows;
  --other.ends.start_ms;
  EXPECT_EQ(NeededAt(other), SamplesNeeded::kAll);
  other = windows;
  ++other.ends.step_ms;
  EXPECT_EQ(NeededAt(other), SamplesNeeded::kAll);
  other.ends.count = 1;
  EXPECT_EQ(NeededAt(other), SamplesNeeded::kHighest);
}

}  // namespace
}  // namespace lockstep::engine
