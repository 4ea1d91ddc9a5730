#include "training/devices/device_health.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::training {
namespace {

constexpr TimeRange kHealthTime = {1000, 101'000};  // 100 s

// "unhealthy hot braked"
std::string HealthWords(const GpuCounters& device) {
  const DeviceHealth health = HealthIn(device, kHealthTime);
  return std::string(health.is_unhealthy ? "unhealthy " : "") +
         (health.is_throttled_by_heat ? "hot " : "") + (health.is_power_braked ? "braked " : "");
}

// As many samples of `value`, a second apart from the begin of the time on, among `count`.
CounterSeries Reasons(size_t count, size_t with, double value) {
  CounterSeries series;
  for (size_t i = 0; i < count; ++i) {
    series.timestamp_ms.push_back(kHealthTime.min_ms + 1000 * static_cast<int64_t>(i));
    series.value.push_back(i < with ? value : 0);
  }
  return series;
}

std::string WordsOfReasons(const CounterSeries& reasons) {
  GpuCounters device;
  device[Role::kGpuThrottleReasons] = reasons;
  return HealthWords(device);
}

// NVML's clocksThrottleReason bits: 0x8 HwSlowdown, 0x20 SwThermalSlowdown, 0x40
// HwThermalSlowdown, 0x80 HwPowerBrakeSlowdown; 0x1 GpuIdle, 0x2 ApplicationsClocksSetting, 0x4
// SwPowerCap and 0x10 SyncBoost are no trouble.
TEST(DeviceHealth, BitsOfHeatAndOfTheBrake) {
  const struct {
    double bits;
    const char* words;
  } rows[] = {
      {0, ""},        {0x1, ""},         {0x2, ""},      {0x4, ""},         {0x8, "braked "},
      {0x10, ""},     {0x20, "hot "},    {0x40, "hot "}, {0x80, "braked "}, {0x44, "hot "},
      {0x60, "hot "}, {0x84, "braked "}, {0x100, ""},    {0x200, ""},       {0xa0, "hot braked "}};
  for (const auto& row : rows) EXPECT_EQ(WordsOfReasons(Reasons(10, 10, row.bits)), row.words);
}

TEST(DeviceHealth, ThrottlingCountsFromFivePercentOfTheTimeOn) {
  EXPECT_EQ(WordsOfReasons(Reasons(20, 1, 0x40)), "hot ");
  EXPECT_EQ(WordsOfReasons(Reasons(21, 1, 0x40)), "");
  EXPECT_EQ(WordsOfReasons(Reasons(20, 1, 0x80)), "braked ");
  EXPECT_EQ(WordsOfReasons(Reasons(21, 1, 0x80)), "");
  EXPECT_EQ(WordsOfReasons({}), "");
}

TEST(DeviceHealth, SamplesThatAreNoSetOfBitsDoNotCount) {
  for (const double odd : {kUnknown, -1.0, 1e15, 1e300}) {
    CounterSeries reasons = Reasons(20, 1, 0x40);
    reasons.timestamp_ms.push_back(90'000);
    reasons.value.push_back(odd);
    EXPECT_EQ(WordsOfReasons(reasons), "hot ") << odd;
  }
}

TEST(DeviceHealth, OnlySamplesInTheTimeCount) {
  EXPECT_EQ(WordsOfReasons({{999}, {0x40}}), "");
  EXPECT_EQ(WordsOfReasons({{1000}, {0x40}}), "hot ");
  EXPECT_EQ(WordsOfReasons({{101'000}, {0x40}}), "hot ");
  EXPECT_EQ(WordsOfReasons({{101'001}, {0x40}}), "");
}

TEST(DeviceHealth, SecondsOfThermalViolationAreAShareOfTheTime) {
  const auto words = [](double seconds) {
    GpuCounters device;
    device[Role::kGpuThermalViolationSecondsTotal] = {{1000, 101'000}, {70, 70 + seconds}};
    return HealthWords(device);
  };
  EXPECT_EQ(words(5), "hot ");
  EXPECT_EQ(words(4.999), "");
  EXPECT_EQ(words(0), "");
}

TEST(DeviceHealth, AnUncorrectableErrorOrAFailedRemapIsUnhealthy) {
  const auto words = [](Role role, double first, double then) {
    GpuCounters device;
    device[role] = {{2000, 3000}, {first, then}};
    return HealthWords(device);
  };
  EXPECT_EQ(words(Role::kGpuEccUncorrectedTotal, 3, 4), "unhealthy ");
  EXPECT_EQ(words(Role::kGpuEccUncorrectedTotal, 3, 3), "");
  EXPECT_EQ(words(Role::kGpuRowRemapFailure, 1, 1), "unhealthy ");
  EXPECT_EQ(words(Role::kGpuRowRemapFailure, 0, 0), "");
}

TEST(DeviceHealth, ANewCodeAfterWhichTheNodeIsDrainedIsUnhealthy) {
  const auto words = [](std::vector<int64_t> at, std::vector<double> codes) {
    GpuCounters device;
    device[Role::kGpuXid] = {std::move(at), std::move(codes)};
    return HealthWords(device);
  };
  EXPECT_EQ(words({2000, 3000}, {0, 79}), "unhealthy ");
  EXPECT_EQ(words({2000, 3000, 4000}, {0, 0, 79}), "unhealthy ");
  EXPECT_EQ(words({2000, 3000, 4000}, {0, 13, 79}), "unhealthy ");
  // The driver keeps reporting the last code, so only a change is an error.
  EXPECT_EQ(words({2000, 3000}, {79, 79}), "");
  EXPECT_EQ(words({2000}, {79}), "");
  EXPECT_EQ(words({2000, 3000}, {0, 13}), "");
  EXPECT_EQ(words({2000, 3000}, {0, 1'000}), "");
  EXPECT_EQ(words({2000, 3000}, {0, kUnknown}), "");
  EXPECT_EQ(words({999, 1000}, {0, 79}), "unhealthy ");
  EXPECT_EQ(words({998, 999}, {0, 79}), "");
  EXPECT_EQ(words({2000, 101'000}, {0, 79}), "unhealthy ");
  EXPECT_EQ(words({2000, 101'001}, {0, 79}), "");
}

}  // namespace
}  // namespace lockstep::training
