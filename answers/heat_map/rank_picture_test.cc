#include "answers/heat_map/rank_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/heat_map/time_bins.h"
#include "base/check.h"

namespace lockstep::answers {
namespace {

using catalogue::Role;
using training::RankMatrix;

RankMatrix Constant(double value) { return RankMatrix(2, 4, value); }

// Two ranks with four steps of ten seconds.
LoadedJob PicturedJob() {
  LoadedJob job;
  job.job.name = "j";
  job.job.ranks = {{.rank = 3}, {.rank = 5}};
  for (int64_t n = 0; n < 4; ++n) {
    job.steps.step.push_back(100 + n);
    job.steps.end_ms.push_back(10'000 * (n + 1));
  }
  job.steps.step_seconds = Constant(10);
  job.time = {0, 39'999};
  return job;
}

PictureMetric MetricNamed(const char* name) {
  const auto metric = PictureMetricOf(name);
  LOCKSTEP_CHECK(metric.has_value());
  return *metric;
}

// The means of a row over four bins, "-" where there is none.
std::string MeansOf(const RankPicture& picture, size_t row) {
  if (picture.cells.mean.empty()) return "none";
  std::string text;
  for (const double mean : picture.cells.mean.Row(row)) {
    text += std::isnan(mean) ? "- " : absl::StrFormat("%g ", mean);
  }
  return text;
}

TEST(PictureMetric, HasAUnitAndASource) {
  const struct {
    const char* name;
    const char* unit;
    std::optional<Role> device;
    std::optional<Role> link;
  } rows[] = {{"step_seconds", "seconds", {}, {}},
              {"own_seconds", "seconds", {}, {}},
              {"lateness", "ratio", {}, {}},
              {"loss", "", {}, {}},
              {"grad_norm", "", {}, {}},
              {"memory_allocated_bytes", "bytes", {}, {}},
              {"phase:forward", "seconds", {}, {}},
              {"DCGM_FI_DEV_POWER_USAGE", "", Role::kGpuPowerWatts, {}},
              {"nic_received_bytes_per_second", "bytes/s", {}, Role::kNicReceiveBytesTotal},
              {"nic_sent_bytes_per_second", "bytes/s", {}, Role::kNicTransmitBytesTotal}};
  for (const auto& row : rows) {
    const auto metric = PictureMetricOf(row.name);
    ASSERT_TRUE(metric.has_value()) << row.name;
    EXPECT_EQ(metric->name, row.name);
    EXPECT_EQ(metric->unit, row.unit) << row.name;
    EXPECT_EQ(metric->device, row.device) << row.name;
    EXPECT_EQ(metric->link, row.link) << row.name;
  }
  for (const char* name : {"", "phase", "train_loss", "nobody_knows"}) {
    EXPECT_FALSE(PictureMetricOf(name).has_value()) << name;
  }
}

TEST(PictureMetric, NeedsOnlyItsData) {
  const auto text = [](const char* name) {
    const JobNeeds needs = NeedsOf(MetricNamed(name));
    return absl::StrFormat("%s%s%s%s%d", needs.loss ? "loss " : "", needs.memory ? "memory " : "",
                           needs.phases ? "phases " : "", needs.links ? "links " : "",
                           needs.devices.count());
  };
  EXPECT_EQ(text("step_seconds"), "0");
  EXPECT_EQ(text("own_seconds"), "phases 0");
  EXPECT_EQ(text("lateness"), "phases 0");
  EXPECT_EQ(text("phase:data"), "phases 0");
  EXPECT_EQ(text("loss"), "loss 0");
  EXPECT_EQ(text("grad_norm"), "loss 0");
  EXPECT_EQ(text("memory_allocated_bytes"), "memory 0");
  EXPECT_EQ(text("nic_sent_bytes_per_second"), "links 0");
  EXPECT_EQ(text("DCGM_FI_DEV_POWER_USAGE"), "1");
  EXPECT_TRUE(NeedsOf(MetricNamed("DCGM_FI_DEV_POWER_USAGE"))
                  .devices.test(static_cast<size_t>(Role::kGpuPowerWatts)));
}

TEST(RankPicture, OfEachMetricOfSteps) {
  LoadedJob job = PicturedJob();
  job.steps.loss = Constant(2);
  job.steps.gradient_norm = Constant(3);
  job.steps.memory_allocated_bytes = Constant(4);
  job.steps.phases = {{"forward", training::PhaseKind::kForward, Constant(5)},
                      {"data", training::PhaseKind::kData, Constant(1)}};
  for (const size_t n : {0, 1, 2, 3}) job.steps.phases[0].seconds(1, n) = 7;
  // Two bins of steps, and one of time.
  const auto shown = [&job](const char* name) {
    return MeansOf(PictureOverSteps(job, MetricNamed(name), 2), 1) + "| " +
           MeansOf(PictureOverTime(job, MetricNamed(name), 1), 1);
  };
  EXPECT_EQ(shown("step_seconds"), "10 10 | 10 ");
  EXPECT_EQ(shown("loss"), "2 2 | 2 ");
  EXPECT_EQ(shown("grad_norm"), "3 3 | 3 ");
  EXPECT_EQ(shown("memory_allocated_bytes"), "4 4 | 4 ");
  EXPECT_EQ(shown("phase:forward"), "7 7 | 7 ");
  EXPECT_EQ(shown("phase:data"), "1 1 | 1 ");
  EXPECT_EQ(shown("own_seconds"), "8 8 | 8 ");
  // Two seconds more than the other rank, in a step of ten.
  EXPECT_EQ(shown("lateness"), "0.2 0.2 | 0.2 ");
}

TEST(RankPicture, OfWhatTheJobLacksIsEmpty) {
  const LoadedJob job = PicturedJob();
  for (const char* name :
       {"loss", "own_seconds", "lateness", "phase:forward", "DCGM_FI_DEV_POWER_USAGE"}) {
    EXPECT_TRUE(PictureOverSteps(job, MetricNamed(name), 2).bins.empty()) << name;
    EXPECT_TRUE(PictureOverTime(job, MetricNamed(name), 2).bins.empty()) << name;
  }
  // Devices say nothing about a metric of steps.
  LoadedJob with_devices = PicturedJob();
  with_devices.devices.resize(2);
  EXPECT_TRUE(PictureOverTime(with_devices, MetricNamed("loss"), 2).bins.empty());
  with_devices.steps = {};
  EXPECT_TRUE(
      PictureOverSteps(with_devices, MetricNamed("DCGM_FI_DEV_POWER_USAGE"), 2).bins.empty());
}

TEST(RankPicture, BinsOfStepsSayWhichTheyAre) {
  const RankPicture picture = PictureOverSteps(PicturedJob(), MetricNamed("step_seconds"), 3);
  std::string text;
  for (const PictureBin& bin : picture.bins) {
    absl::StrAppendFormat(&text, "%d-%d from %d to %d, ", *bin.first_step, *bin.last_step,
                          bin.time.min_ms, bin.time.max_ms);
  }
  EXPECT_EQ(text,
            "100-100 from 0 to 10000, 101-101 from 10000 to 20000, 102-103 from 20000 to 40000, ");
}

// DCGM states clocks in MHz, the catalogue in hertz; pictures show DCGM's unit.
TEST(RankPicture, OfADeviceIsInTheUnitOfItsMetric) {
  LoadedJob job = PicturedJob();
  job.devices.resize(2);
  job.devices[1][Role::kGpuSmClockHertz] = {{0, 10'000, 20'000, 40'000}, {1e9, 1.5e9, 1.75e9, 2e9}};
  const PictureMetric metric = MetricNamed("DCGM_FI_DEV_SM_CLOCK");
  EXPECT_EQ(MeansOf(PictureOverSteps(job, metric, 4), 1), "1500 1750 2000 2000 ");
  EXPECT_EQ(MeansOf(PictureOverSteps(job, metric, 4), 0), "- - - - ");
  EXPECT_EQ(MeansOf(PictureOverTime(job, metric, 4), 1), "1000 1500 1750 - ");
  EXPECT_EQ(MeansOf(PictureOverTime(job, metric, 4), 0), "- - - - ");
}

TEST(TimeBins, HaveTheLowestHighestLastAndMean) {
  TimeBins bins({100, 199}, 2, 2);
  for (const auto& [at, value] : {std::pair<int64_t, double>{99, 1000},
                                  {100, 4},
                                  {120, 8},
                                  {149, 3},
                                  {150, std::nan("")},
                                  {160, -7},
                                  {199, -9},
                                  {200, 1000}}) {
    bins.Add(1, at, value);
  }
  ASSERT_EQ(bins.bins().size(), 2u);
  EXPECT_EQ(bins.bins()[0].time, (TimeRange{100, 149}));
  EXPECT_EQ(bins.bins()[1].time, (TimeRange{150, 199}));
  EXPECT_EQ(bins.bins()[0].first_step, std::nullopt);
  const training::PictureCells cells = bins.TakeCells();
  EXPECT_EQ(cells.lowest(1, 0), 3);
  EXPECT_EQ(cells.highest(1, 0), 8);
  EXPECT_EQ(cells.last(1, 0), 3);
  EXPECT_EQ(cells.mean(1, 0), 5);
  EXPECT_EQ(cells.lowest(1, 1), -9);
  EXPECT_EQ(cells.highest(1, 1), -7);
  EXPECT_EQ(cells.last(1, 1), -9);
  EXPECT_EQ(cells.mean(1, 1), -8);
  EXPECT_EQ(cells.count(1, 1), 2);
  EXPECT_EQ(cells.count(0, 0), 0);
  EXPECT_TRUE(std::isnan(cells.mean(0, 0)));
}

TEST(TimeBins, CoverTheWholeTime) {
  const auto ends = [](int64_t length, size_t count) {
    const TimeBins bins({1000, 1000 + length}, 1, count);
    return bins.bins().back().time.max_ms;
  };
  EXPECT_EQ(ends(99, 10), 1099);
  EXPECT_EQ(ends(100, 10), 1109);
  EXPECT_EQ(ends(0, 1), 1000);
  EXPECT_EQ(ends(0, 3), 1002);
}

}  // namespace
}  // namespace lockstep::answers
