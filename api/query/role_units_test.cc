#include "api/query/role_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <variant>

#include "model/histogram.h"
#include "query/engine/values/reduction.h"

namespace lockstep::api {
namespace {

using testing::ElementsAre;

LabelSet SeriesNamed(std::string_view name) { return LabelSet::Of({{kMetricName, name}}); }

engine::MatrixSeries Series(std::string_view name, const std::vector<double>& values) {
  engine::MatrixSeries series{SeriesNamed(name), {}};
  for (const double value : values) {
    series.samples.Append(static_cast<int64_t>(series.samples.size()) * 10'000, value);
  }
  return series;
}

TEST(RoleUnitsTest, Matrix) {
  engine::QueryValue value = engine::MatrixResult{
      Series("DCGM_FI_DEV_GPU_UTIL", {50, 100}), Series("DCGM_FI_DEV_SM_CLOCK", {1500}),
      Series("DCGM_FI_DEV_FB_USED", {2}), Series("up", {1, 1})};
  ToRoleUnits(value);
  const auto& matrix = std::get<engine::MatrixResult>(value);
  ASSERT_EQ(matrix.size(), 4);
  EXPECT_THAT(matrix[0].samples.values, ElementsAre(0.5, 1));
  EXPECT_EQ(matrix[0].labels, SeriesNamed("DCGM_FI_DEV_GPU_UTIL"));
  EXPECT_THAT(matrix[1].samples.values, ElementsAre(1.5e9));
  EXPECT_THAT(matrix[2].samples.values, ElementsAre(2 * 1048576.0));
  EXPECT_THAT(matrix[3].samples.values, ElementsAre(1, 1));
}

TEST(RoleUnitsTest, Vector) {
  engine::QueryValue value = engine::VectorResult{
      {SeriesNamed("DCGM_FI_DEV_GPU_UTIL"), 7, 50, nullptr},
      {SeriesNamed("DCGM_FI_DEV_GPU_UTIL"), 7, 0, std::make_shared<Histogram>()},
      {SeriesNamed("up"), 7, 1, nullptr}};
  ToRoleUnits(value);
  const auto& vector = std::get<engine::VectorResult>(value);
  ASSERT_EQ(vector.size(), 3);
  EXPECT_EQ(vector[0].value, 0.5);
  EXPECT_NE(vector[1].histogram, nullptr);
  EXPECT_EQ(vector[2].value, 1);
}

// Counters whose role is a gauge become rates; a single sample has no rate.
TEST(RoleUnitsTest, Rates) {
  constexpr std::string_view kCounter = "DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL";
  engine::QueryValue matrix =
      engine::MatrixResult{Series(kCounter, {0, 100, 300}), Series(kCounter, {7})};
  ToRoleUnits(matrix);
  const auto& series = std::get<engine::MatrixResult>(matrix);
  ASSERT_EQ(series.size(), 1);
  EXPECT_THAT(series[0].samples.values, ElementsAre(10, 20));
  EXPECT_THAT(series[0].samples.timestamps_ms, ElementsAre(10'000, 20'000));
  engine::QueryValue vector = engine::VectorResult{{SeriesNamed(kCounter), 7, 50, nullptr}};
  ToRoleUnits(vector);
  EXPECT_TRUE(std::get<engine::VectorResult>(vector).empty());
}

engine::MatrixSeries Reduced(std::string_view name, std::string_view reduction,
                             const std::vector<double>& values) {
  engine::MatrixSeries series = Series(name, values);
  series.labels =
      LabelSet::Of({{kMetricName, name}, {engine::kReduceLabel, reduction}, {"gpu", "0"}});
  return series;
}

// All reductions of a series are converted alike, and a count stays a number of samples.
TEST(RoleUnitsTest, Reductions) {
  constexpr std::string_view kActive = "DCGM_FI_DEV_GPU_UTIL_RATIO";  // or percent
  engine::QueryValue value =
      engine::MatrixResult{Reduced(kActive, "count", {4, 4}), Reduced(kActive, "max", {0.5, 80}),
                           Reduced(kActive, "min", {0.5, 1}), Reduced(kActive, "sum", {2, 100})};
  ToRoleUnits(value);
  const auto& matrix = std::get<engine::MatrixResult>(value);
  ASSERT_EQ(matrix.size(), 3);
  EXPECT_THAT(matrix[0].samples.values, ElementsAre(4, 4));
  EXPECT_THAT(matrix[1].samples.values, ElementsAre(0.005, 0.8));
  EXPECT_THAT(matrix[2].samples.values, ElementsAre(0.005, 0.01));
}

// The extremes of a counter say nothing about its rate; the last values of two bins do.
TEST(RoleUnitsTest, ReductionsOfACounter) {
  constexpr std::string_view kCounter = "DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL";
  engine::QueryValue value = engine::MatrixResult{
      Reduced(kCounter, "count", {4, 4}), Reduced(kCounter, "last", {100, 300}),
      Reduced(kCounter, "max", {100, 300}), Reduced(kCounter, "min", {0, 150})};
  ToRoleUnits(value);
  const auto& matrix = std::get<engine::MatrixResult>(value);
  ASSERT_EQ(matrix.size(), 2);
  EXPECT_THAT(matrix[0].samples.values, ElementsAre(4, 4));
  EXPECT_THAT(matrix[1].samples.values, ElementsAre(20));
}

TEST(RoleUnitsTest, ScalarsStay) {
  engine::QueryValue value = engine::ScalarResult{1, 50};
  ToRoleUnits(value);
  EXPECT_EQ(std::get<engine::ScalarResult>(value).value, 50);
}

}  // namespace
}  // namespace lockstep::api
