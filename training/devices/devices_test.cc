#include "training/devices/devices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "training/devices/device_bins.h"

namespace lockstep::training {
namespace {

TEST(Devices, EveryRoleHasASeriesOfItsOwn) {
  GpuCounters device;
  std::set<const CounterSeries*> series;
  for (const Role role : kDeviceRoles) {
    EXPECT_EQ(catalogue::InfoOf(role).scope, catalogue::RoleScope::kGpu);
    series.insert(&device[role]);
  }
  EXPECT_EQ(series.size(), kDeviceRoles.size());
  EXPECT_FALSE(SeriesByRole<kDeviceRoles>::Has(Role::kTrainLoss));
}

const CounterSeries kSeries = {.timestamp_ms = {1000, 2000, 3000, 4000},
                               .value = {1, 2, kUnknown, 8}};

TEST(Devices, AMeanIsOfSamplesWhollyInside) {
  EXPECT_EQ(MeanIn(kSeries, {0, 4000}), 11.0 / 3);
  EXPECT_EQ(MeanIn(kSeries, {1000, 4000}), 5);
  // The sample at 2000 covers the time since 1000.
  EXPECT_EQ(MeanIn(kSeries, {1500, 4000}), 8);
  EXPECT_TRUE(std::isnan(MeanIn(kSeries, {2000, 3000})));
  EXPECT_EQ(SamplePeriodMs(kSeries), 1000);
}

TEST(Devices, AnIncreaseLeavesRestartsOut) {
  const CounterSeries counter = {.timestamp_ms = {0, 1, 2, 3}, .value = {5, 9, 2, 3}};
  EXPECT_EQ(IncreaseIn(counter, {0, 3}), 5);
  EXPECT_TRUE(std::isnan(IncreaseIn(counter, {0, 0})));
}

TEST(Devices, BinsHoldMeans) {
  GpuCounters device;
  device[Role::kGpuPowerWatts] = {.timestamp_ms = {100, 400, 500, 1001, 2500},
                                  .value = {1, 3, 5, 7, 9}};
  const RankMatrix means = BinnedMeans(std::vector{device}, Role::kGpuPowerWatts,
                                       {.begin_ms = 100, .width_ms = 400, .count = 6});
  EXPECT_EQ(means(0, 0), 4);  // the sample at the begin belongs to the previous bin
  EXPECT_TRUE(std::isnan(means(0, 1)));
  EXPECT_EQ(means(0, 2), 7);
  EXPECT_EQ(means(0, 5), 9);
}

}  // namespace
}  // namespace lockstep::training
