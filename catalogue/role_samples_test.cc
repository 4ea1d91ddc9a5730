#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/metric_names.h"

namespace lockstep::catalogue {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using Values = std::vector<double>;

// Samples of `metric`, two seconds apart, converted to its role.
Values Convert(std::string_view metric, Values values,
               std::vector<int64_t>* timestamp_ms_out = nullptr) {
  std::vector<int64_t> timestamp_ms;
  for (size_t i = 0; i < values.size(); ++i) timestamp_ms.push_back(static_cast<int64_t>(i) * 2000);
  ToRole(*RoleOf(metric, {}), timestamp_ms, values);
  EXPECT_EQ(timestamp_ms.size(), values.size());
  if (timestamp_ms_out != nullptr) *timestamp_ms_out = timestamp_ms;
  return values;
}

TEST(RoleSamples, Units) {
  EXPECT_THAT(Convert("DCGM_FI_DEV_FB_USED", {1, 2}), ElementsAre(1048576, 2097152));
  EXPECT_THAT(Convert("DCGM_FI_DEV_GPU_UTIL", {100, 50}), ElementsAre(1, 0.5));
  EXPECT_THAT(Convert("DCGM_FI_DEV_SM_CLOCK", {1980}), ElementsAre(1.98e9));
  EXPECT_THAT(Convert("DCGM_FI_DEV_POWER_VIOLATION", {3e9}), ElementsAre(DoubleEq(3)));
  EXPECT_THAT(Convert("train_loss", {2.5, NAN}),
              ElementsAre(2.5, testing::NanSensitiveDoubleEq(NAN)));
}

TEST(RoleSamples, PercentIsToldFromRatioBySize) {
  EXPECT_THAT(Convert("DCGM_FI_DEV_GPU_UTIL_RATIO", {0, 1, 0.5}), ElementsAre(0, 1, 0.5));
  EXPECT_THAT(Convert("DCGM_FI_DEV_GPU_UTIL_RATIO", {0, 1, 50}), ElementsAre(0, 0.01, 0.5));
}

TEST(RoleSamples, CountersOfARateBecomeRates) {
  std::vector<int64_t> timestamp_ms;
  // The counter was reset before the fourth sample.
  EXPECT_THAT(Convert("DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL", {10, 30, NAN, 50, 8}, &timestamp_ms),
              ElementsAre(10, 5, 4));
  EXPECT_THAT(timestamp_ms, ElementsAre(2000, 6000, 8000));
  EXPECT_TRUE(Convert("DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL", {10}).empty());
  // A total stays a total.
  EXPECT_THAT(Convert("node_amazonefa_rx_bytes", {10, 30}), ElementsAre(10, 30));
}

TEST(RoleSamples, CounterOrGaugeByTheSamples) {
  const Values rising = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ(Convert("DCGM_FI_PROF_PCIE_RX_BYTES", rising), Values(10, 0.5));
  const Values varying = {1, 2, 3, 4, 5, 4, 7, 8, 9, 10, 11};
  EXPECT_EQ(Convert("DCGM_FI_PROF_PCIE_RX_BYTES", varying), varying);
  EXPECT_EQ(Convert("DCGM_FI_PROF_PCIE_RX_BYTES", Values(12, 7)), Values(12, 7));
  EXPECT_EQ(Convert("DCGM_FI_PROF_PCIE_RX_BYTES", {1, 2, 3}), (Values{1, 2, 3}));
}

TEST(RoleSamples, ACounterHasTenSamplesAndRisesMoreOftenThanNot) {
  const auto is_counter = [](const Values& values) {
    return Convert("DCGM_FI_PROF_PCIE_RX_BYTES", values) != values;
  };
  EXPECT_TRUE(is_counter({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_FALSE(is_counter({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  // Six and five rises among ten samples.
  EXPECT_TRUE(is_counter({1, 2, 3, 4, 5, 6, 7, 7, 7, 7}));
  EXPECT_FALSE(is_counter({1, 2, 3, 4, 5, 6, 6, 6, 6, 6}));
  // With a sample that is not a number, all stay.
  EXPECT_EQ(Convert("DCGM_FI_PROF_PCIE_RX_BYTES", {1, 2, 3, 4, 5, 6, 7, 8, 9, NAN, 11, 12}).size(),
            12u);
}

TEST(RoleSamples, PercentIsAboveOne) {
  EXPECT_THAT(Convert("DCGM_FI_DEV_GPU_UTIL_RATIO", {1.5, 1}), ElementsAre(0.015, 0.01));
}

}  // namespace
}  // namespace lockstep::catalogue
