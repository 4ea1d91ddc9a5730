#include "answers/load/device_columns.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace lockstep::answers {
namespace {

using catalogue::Role;
using training::GpuCounters;

SampleColumns PowerAt(const std::vector<std::pair<int64_t, double>>& pairs) {
  SampleColumns samples;
  for (const auto& [time_ms, watts] : pairs) samples.Append(time_ms, watts);
  return samples;
}

TEST(DeviceColumns, ARowHasTheSamplesOfItsSeries) {
  DeviceColumns columns(3);
  EXPECT_EQ(columns.Seen(), std::nullopt);
  columns.Add(Role::kGpuPowerWatts, 1, "H200", PowerAt({{10, 1}, {20, StaleNan()}, {30, 3}}));
  columns.Add(Role::kGpuXid, 2, "", PowerAt({{5, 79}}));
  EXPECT_FALSE(columns.HasAny(0));
  EXPECT_TRUE(columns.HasAny(1));
  EXPECT_TRUE(columns.HasAny(2));
  columns.Sort();
  EXPECT_EQ(columns.Seen(), (TimeRange{5, 30}));
  const std::vector<GpuCounters> devices = columns.Take({0, 100});
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[1].model, "H200");
  EXPECT_EQ(devices[1][Role::kGpuPowerWatts].timestamp_ms, (std::vector<int64_t>{10, 30}));
  EXPECT_EQ(devices[1][Role::kGpuPowerWatts].value, (std::vector<double>{1, 3}));
  EXPECT_TRUE(devices[0][Role::kGpuPowerWatts].empty());
  EXPECT_EQ(devices[2][Role::kGpuXid].value, std::vector<double>{79});
}

TEST(DeviceColumns, TheFirstModelThatIsKnownStays) {
  DeviceColumns columns(1);
  columns.Add(Role::kGpuPowerWatts, 0, "", PowerAt({{10, 1}}));
  columns.Add(Role::kGpuXid, 0, "H200", PowerAt({{10, 1}}));
  columns.Add(Role::kGpuSmClockHertz, 0, "L4", PowerAt({{10, 1}}));
  EXPECT_EQ(columns.Take({0, 100})[0].model, "H200");
}

TEST(DeviceColumns, SeriesOfOneCounterAreSortedIntoOne) {
  DeviceColumns columns(1);
  columns.Add(Role::kGpuPowerWatts, 0, "", PowerAt({{30, 3}, {40, 4}}));
  columns.Add(Role::kGpuPowerWatts, 0, "", PowerAt({{10, 1}, {20, 2}, {40, 9}}));
  columns.Add(Role::kGpuXid, 0, "", PowerAt({{1, 7}, {2, 8}}));
  columns.Sort();
  const std::vector<GpuCounters> devices = columns.Take({0, 100});
  EXPECT_EQ(devices[0][Role::kGpuPowerWatts].timestamp_ms, (std::vector<int64_t>{10, 20, 30, 40}));
  // At 40 ms, the one that came first.
  EXPECT_EQ(devices[0][Role::kGpuPowerWatts].value, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(devices[0][Role::kGpuXid].value, (std::vector<double>{7, 8}));
}

TEST(DeviceColumns, OnlySamplesOfTheTimeAreTaken) {
  const auto taken = [](const TimeRange& time) {
    DeviceColumns columns(1);
    columns.Add(Role::kGpuPowerWatts, 0, "", PowerAt({{10, 1}, {20, 2}, {30, 3}}));
    columns.Sort();
    return columns.Take(time).at(0)[Role::kGpuPowerWatts].timestamp_ms;
  };
  EXPECT_EQ(taken({10, 30}), (std::vector<int64_t>{10, 20, 30}));
  EXPECT_EQ(taken({10, 29}), (std::vector<int64_t>{10, 20}));
  EXPECT_EQ(taken({11, 30}), (std::vector<int64_t>{20, 30}));
  EXPECT_EQ(taken({11, 29}), std::vector<int64_t>{20});
  EXPECT_EQ(taken({40, 50}), std::vector<int64_t>{});
}

TEST(DeviceColumns, WithoutSamplesThereAreNoDevices) {
  DeviceColumns columns(2);
  columns.Add(Role::kGpuPowerWatts, 0, "H200", PowerAt({{10, StaleNan()}}));
  EXPECT_FALSE(columns.HasAny(0));
  EXPECT_TRUE(columns.Take({0, 100}).empty());
}

}  // namespace
}  // namespace lockstep::answers
