#include "storage/db/rewrite/merge_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr uint64_t kMegabyte = uint64_t{1} << 20;

int32_t HotWindow() { return WindowOf(kNowMs); }

WindowTotals Bytes(uint64_t count) { return {{kNowMs, kNowMs}, 1, count}; }

Windows HotWindowOf(const std::vector<uint64_t>& megabytes) {
  Windows windows;
  uint64_t generation = 0;
  for (const uint64_t size : megabytes) {
    windows[HotWindow()].Add(kv::Tier::kHot, ++generation, Bytes(size * kMegabyte));
  }
  return windows;
}

// The planned runs, counted from 1: "2..9"; "" for none.
std::string Planned(const Windows& windows) {
  const auto plan = PlanMerge(windows, kNowMs);
  if (!plan.has_value()) return "";
  EXPECT_EQ(plan->target, kv::Tier::kHot);
  return std::to_string(plan->after + 1) + ".." + std::to_string(plan->upto);
}

TEST(MergePlan, MergesManyOfOneSizeAndLeavesLargeOnes) {
  EXPECT_EQ(Planned(HotWindowOf({1, 1, 1, 1, 1, 1, 1})), "");
  EXPECT_EQ(Planned(HotWindowOf({1, 1, 1, 1, 1, 1, 1, 1})), "1..8");
  EXPECT_EQ(Planned(HotWindowOf({8, 1, 1, 1, 1, 1, 1, 1})), "");
  EXPECT_EQ(Planned(HotWindowOf({8, 1, 1, 1, 1, 1, 1, 1, 1})), "2..9");
  EXPECT_EQ(Planned(HotWindowOf({8, 8, 8, 8, 8, 8, 8, 8})), "1..8");
  EXPECT_EQ(Planned(HotWindowOf({90, 1, 1, 1, 90, 1, 1, 1, 90, 1, 1, 1, 90})), "1..13");
  EXPECT_EQ(Planned(HotWindowOf({0, 0, 0, 0, 0, 0, 0, 0})), "1..8");
}

TEST(MergePlan, ManyThatWaitAreMergedAtOnce) {
  EXPECT_EQ(Planned(HotWindowOf(std::vector<uint64_t>(50, 1))), "1..50");
}

TEST(MergePlan, AWindowIsColdAnHourAfterItsEndAndItsLastRun) {
  const int32_t ended = HotWindow() - 1;
  const int64_t end_ms = RangeOfWindow(ended).max_ms;
  StoredWindow window;
  window.Add(kv::Tier::kHot, 3, Bytes(1));
  window.Add(kv::Tier::kHot, 7, Bytes(1));
  EXPECT_FALSE(IsCold(ended, window, end_ms));
  EXPECT_FALSE(IsCold(ended, window, end_ms + kColdAfterMs));
  EXPECT_TRUE(IsCold(ended, window, end_ms + kColdAfterMs + 1));
  window.changed_ms = end_ms + 2 * kColdAfterMs;
  EXPECT_FALSE(IsCold(ended, window, end_ms + 3 * kColdAfterMs - 1));
  EXPECT_TRUE(IsCold(ended, window, end_ms + 3 * kColdAfterMs));

  const auto plan = PlanMerge({{ended, window}}, end_ms + 3 * kColdAfterMs);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->target, kv::Tier::kCold);
  EXPECT_EQ(plan->window, ended);
  EXPECT_EQ(plan->after, 0u);
  EXPECT_EQ(plan->upto, 7u);

  window.hot.clear();
  window.Add(kv::Tier::kCold, 7, Bytes(1));
  EXPECT_FALSE(PlanMerge({{ended, window}}, end_ms + 9 * kColdAfterMs).has_value());
}

// The life of a window that is sealed to again and again.
class HotWindowLife {
 public:
  void Seal(uint64_t byte_count) {
    window_.Add(kv::Tier::kHot, ++generation_, Bytes(byte_count));
    sealed_bytes_ += byte_count;
    most_runs_ = std::max(most_runs_, window_.hot.size());
    while (const auto plan = PlanMerge({{HotWindow(), window_}}, kNowMs)) Merge(*plan);
  }
  // How often a byte is written on average, including its seal.
  double write_amplification() const {
    return static_cast<double>(sealed_bytes_ + merged_bytes_) / static_cast<double>(sealed_bytes_);
  }
  size_t most_runs() const { return most_runs_; }

 private:
  void Merge(const MergePlan& plan) {
    std::vector<Run> runs;
    Run merged{plan.upto, {}};
    for (const Run& run : window_.hot) {
      if (run.generation > plan.after && run.generation <= plan.upto) {
        merged.totals.Add(run.totals);
        if (run.generation == plan.upto) runs.push_back(merged);
      } else {
        runs.push_back(run);
      }
    }
    EXPECT_LT(runs.size(), window_.hot.size());
    window_.hot = runs;
    merged_bytes_ += merged.totals.byte_count;
  }

  StoredWindow window_;
  uint64_t generation_ = 0;
  uint64_t sealed_bytes_ = 0;
  uint64_t merged_bytes_ = 0;
  size_t most_runs_ = 0;
};

TEST(MergePlan, SamplesAreRewrittenSeldom) {
  const struct {
    int seal_count;
    double write_amplification;
    size_t most_runs;
  } rows[] = {{8, 2.0, 8}, {64, 2.44, 11}, {120, 2.77, 13}, {512, 3.66, 16}};
  for (const auto& row : rows) {
    HotWindowLife life;
    for (int i = 0; i < row.seal_count; ++i) life.Seal(kMegabyte);
    EXPECT_NEAR(life.write_amplification(), row.write_amplification, 0.05) << row.seal_count;
    EXPECT_EQ(life.most_runs(), row.most_runs) << row.seal_count;
  }
}

// Late samples make small runs between large ones.
TEST(MergePlan, WhateverTheSizesAreTheBoundHolds) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    HotWindowLife life;
    constexpr int kSealCount = 400;
    for (int i = 0; i < kSealCount; ++i) life.Seal((1 + random() % 100'000) * (random() % 100));
    EXPECT_LT(life.write_amplification(), 1 + std::log2(kSealCount * 160.0) / 2) << seed;
    EXPECT_LT(life.most_runs(), 40u) << seed;
  }
}

}  // namespace
}  // namespace lockstep
