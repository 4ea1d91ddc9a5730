#include "training/efficiency/efficiency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockstep::training {
namespace {

constexpr ModelShape kShape = {.parameters = 1e9,
                               .layers = 16,
                               .hidden = 2048,
                               .feed_forward_hidden = 5632,
                               .heads = 16,
                               .vocabulary = 32000,
                               .sequence_length = 2048,
                               .global_batch = 32};

struct Made {
  Job job;
  StepTable steps;
  std::vector<GpuCounters> devices;
};

// Two ranks with 40 steps: ten of two seconds, then thirty of one.
Made MadeJob(const char* model, double flops) {
  Made made;
  made.job.ranks.resize(2);
  made.devices.resize(2);
  for (GpuCounters& device : made.devices) {
    device.model = model;
    device[Role::kGpuDramActiveRatio] = {.timestamp_ms = {1, 2}, .value = {0.2, 0.4}};
  }
  made.steps.step_seconds = RankMatrix(2, 40, 1.0);
  made.steps.model_flops = RankMatrix(2, 40, flops);
  made.steps.tokens = RankMatrix(2, 40, 1000.0);
  for (int64_t n = 0; n < 40; ++n) {
    made.steps.step.push_back(n);
    made.steps.end_ms.push_back(1000 * n);
    if (n >= 10) continue;
    for (size_t row = 0; row < 2; ++row) made.steps.step_seconds(row, static_cast<size_t>(n)) = 2;
  }
  return made;
}

TEST(Efficiency, IsThatOfTypicalSteps) {
  const Made made = MadeJob("NVIDIA H200", 494.7e12);
  const EfficiencyAnswer answer = EfficiencyOf(
      {.job = made.job, .steps = made.steps, .devices = made.devices, .recomputes_fully = true});
  EXPECT_NEAR(answer.mfu, 0.5, 1e-9);
  EXPECT_NEAR(answer.hfu, 0.5 * 4 / 3, 1e-9);
  EXPECT_NEAR(answer.mfu_of_wall, 0.5 * 40 / 50, 1e-9);
  EXPECT_NEAR(answer.ranks.at(1).mfu, 0.5, 1e-9);
  EXPECT_NEAR(answer.tokens_per_second, 1000, 1e-9);
  EXPECT_NEAR(answer.tokens_per_second_per_gpu, 500, 1e-9);
  EXPECT_NEAR(answer.consumed_tokens, 40'000, 1e-9);
  EXPECT_NEAR(SecondsLeft(answer, 100'000), 60, 1e-9);
  EXPECT_NEAR(answer.mbu, 0.3, 1e-9);
  EXPECT_NEAR(answer.memory_bytes_per_second, 0.3 * 1.015 * 4.8e12, 1e6);
  EXPECT_FALSE(answer.is_above_peak);
}

TEST(Efficiency, AnUnknownDeviceHasNoShare) {
  for (const char* model :
       {"", "NVIDIA H300", "NVIDIA A10G", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"}) {
    const Made made = MadeJob(model, 1e14);
    const EfficiencyAnswer answer =
        EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
    EXPECT_TRUE(std::isnan(answer.mfu)) << model;
    EXPECT_FALSE(answer.reason.empty()) << model;
    EXPECT_NEAR(answer.tflops_per_gpu, 100, 1e-9) << model;
  }
}

TEST(Efficiency, AboveThePeakIsAnErrorInTheData) {
  const Made made = MadeJob("NVIDIA H200", 1200e12);
  EXPECT_TRUE(
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices}).is_above_peak);
}

TEST(Efficiency, AConventionCanBeAskedFor) {
  const Made made = MadeJob("NVIDIA H200", 1e14);
  const double flops = *StepFlops(FlopsConvention::kSixNd, kShape);
  const EfficiencyAnswer answer = EfficiencyOf({.job = made.job,
                                                .steps = made.steps,
                                                .devices = made.devices,
                                                .shape = kShape,
                                                .convention = FlopsConvention::kSixNd});
  EXPECT_NEAR(answer.tflops_per_gpu, flops / 2 / 1e12, 1e-6);
}

TEST(Efficiency, WithoutOperationsItSaysSo) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  made.steps.model_flops = {};
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_TRUE(std::isnan(answer.tflops_per_gpu));
  EXPECT_NE(answer.reason.find("operations"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::training
