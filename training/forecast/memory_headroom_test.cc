#include "training/forecast/memory_headroom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "training/job/made_steps.h"

namespace lockstep::training {
namespace {

constexpr double kGib = 1073741824.0;

Job TwoRanks() {
  Job job;
  job.ranks.resize(2);
  return job;
}

// A device of 80 GiB with so much in use, at each second.
GpuCounters Device(const std::vector<double>& used_gib) {
  GpuCounters device;
  for (size_t i = 0; i < used_gib.size(); ++i) {
    const auto at_ms = static_cast<int64_t>(1000 * i);
    device[Role::kGpuMemoryUsedBytes].timestamp_ms.push_back(at_ms);
    device[Role::kGpuMemoryUsedBytes].value.push_back(used_gib[i] * kGib);
    device[Role::kGpuMemoryFreeBytes].timestamp_ms.push_back(at_ms);
    device[Role::kGpuMemoryFreeBytes].value.push_back((80 - used_gib[i]) * kGib);
  }
  return device;
}

TEST(MemoryHeadroomTest, IsOfThePeakOfTheTightestRank) {
  const std::vector<GpuCounters> devices = {Device({10, 60, 20}), Device({10, 70, 30})};
  StepTable steps = EvenSteps(2, 3, 1.0);
  steps.memory_allocated_bytes = RankMatrix(2, 3, 5 * kGib);
  steps.memory_allocated_bytes(1, 1) = 50 * kGib;
  const MemoryHeadroom found = MemoryHeadroomOf(TwoRanks(), steps, devices);
  EXPECT_EQ(found.row, 1u);
  EXPECT_DOUBLE_EQ(found.capacity_bytes, 80 * kGib);
  EXPECT_DOUBLE_EQ(found.peak_used_bytes, 70 * kGib);
  EXPECT_DOUBLE_EQ(found.headroom_bytes, 10 * kGib);
  EXPECT_DOUBLE_EQ(found.peak_allocated_bytes, 50 * kGib);
  EXPECT_TRUE(std::isnan(found.full_in_seconds));
}

TEST(MemoryHeadroomTest, ARankWithoutCountersIsLeftOut) {
  const std::vector<GpuCounters> devices = {Device({10, 60, 20}), GpuCounters()};
  EXPECT_EQ(MemoryHeadroomOf(TwoRanks(), {}, devices).row, 0u);
  EXPECT_FALSE(MemoryHeadroomOf(TwoRanks(), {}, {}).row.has_value());
}

// 1 GiB more in each 100 steps of 0.5 s; 40 GiB are free: 4,000 steps.
TEST(MemoryHeadroomTest, ALeakSaysWhenTheMemoryIsFull) {
  StepTable steps = EvenSteps(2, 400, 0.5);
  steps.memory_allocated_bytes = RankMatrix(2, 400, 20 * kGib);
  for (size_t n = 0; n < 400; ++n) {
    steps.memory_allocated_bytes(1, n) += kGib * static_cast<double>(n) / 100;
  }
  const std::vector<GpuCounters> devices = {Device({70, 70}), Device({40, 40})};
  const MemoryHeadroom found = MemoryHeadroomOf(TwoRanks(), steps, devices);
  EXPECT_EQ(found.row, 0u);
  EXPECT_NEAR(found.growth_bytes_per_second, kGib / 50, kGib * 1e-4);
  EXPECT_NEAR(found.full_in_seconds, 2000, 1);
}

// 0.1 GiB a second outside the allocator.
TEST(MemoryHeadroomTest, ALeakOfTheDeviceToo) {
  std::vector<double> used;
  for (int i = 0; i < 120; ++i) used.push_back(20 + 0.1 * i);
  const MemoryHeadroom found =
      MemoryHeadroomOf(TwoRanks(), {}, std::vector{Device(used), Device({40, 40})});
  EXPECT_NEAR(found.growth_bytes_per_second, 0.1 * kGib, 0.001 * kGib);
  EXPECT_NEAR(found.full_in_seconds, (80 - used.back()) / 0.1, 5);
}

}  // namespace
}  // namespace lockstep::training
