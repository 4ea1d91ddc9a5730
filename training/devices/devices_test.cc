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

TEST(Devices, OneSampleHasNoPeriod) {
  EXPECT_EQ(SamplePeriodMs({}), 0);
  EXPECT_EQ(SamplePeriodMs({.timestamp_ms = {5000}, .value = {1}}), 0);
  EXPECT_EQ(SamplePeriodMs({.timestamp_ms = {0, 10, 20, 500}, .value = {1, 1, 1, 1}}), 10);
}

TEST(Devices, AnIncreaseIsBetweenTheSamplesInTheRange) {
  const CounterSeries counter = {.timestamp_ms = {10, 20, 30, 40}, .value = {1, 2, 4, 8}};
  EXPECT_EQ(IncreaseIn(counter, {20, 30}), 2);
  EXPECT_EQ(IncreaseIn(counter, {19, 31}), 2);
  EXPECT_EQ(IncreaseIn(counter, {10, 40}), 7);
  EXPECT_TRUE(std::isnan(IncreaseIn(counter, {21, 39})));
  const CounterSeries with_gap = {.timestamp_ms = {10, 20, 30}, .value = {1, kUnknown, 4}};
  EXPECT_EQ(IncreaseIn(with_gap, {0, 99}), 3);
  EXPECT_TRUE(std::isnan(IncreaseIn(with_gap, {20, 99})));
}

TEST(Devices, AMeanEndsWithTheRange) {
  EXPECT_EQ(MeanIn(kSeries, {0, 3999}), 1.5);
  EXPECT_EQ(MeanIn(kSeries, {3000, 9000}), 8);
  EXPECT_TRUE(std::isnan(MeanIn({}, {0, 9000})));
}

TEST(Devices, CountersOfATimeAreThoseWithinIt) {
  GpuCounters device;
  device.model = "H200";
  device[Role::kGpuPowerWatts] = {.timestamp_ms = {10, 20, 30, 40}, .value = {1, 2, 3, 4}};
  device[Role::kGpuXid] = {.timestamp_ms = {50}, .value = {79}};
  const GpuCounters part = CountersIn(device, {20, 30});
  EXPECT_EQ(part.model, "H200");
  EXPECT_EQ(part[Role::kGpuPowerWatts].timestamp_ms, (std::vector<int64_t>{20, 30}));
  EXPECT_EQ(part[Role::kGpuPowerWatts].value, (std::vector<double>{2, 3}));
  EXPECT_TRUE(part[Role::kGpuXid].empty());
}

TEST(Devices, BinsOfEachDeviceAreItsOwn) {
  std::vector<GpuCounters> devices(2);
  devices[0][Role::kGpuPowerWatts] = {.timestamp_ms = {1, 2, 3, 11}, .value = {2, kUnknown, 6, 9}};
  devices[1][Role::kGpuPowerWatts] = {.timestamp_ms = {10, 20, 30}, .value = {5, 7, 1}};
  const RankMatrix means =
      BinnedMeans(devices, Role::kGpuPowerWatts, {.begin_ms = 0, .width_ms = 10, .count = 2});
  EXPECT_EQ(means(0, 0), 4);
  EXPECT_EQ(means(0, 1), 9);
  EXPECT_EQ(means(1, 0), 5);
  EXPECT_EQ(means(1, 1), 7);
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
