#include "training/efficiency/efficiency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "training/job/made_steps.h"

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

TEST(Efficiency, SaysWhyThereIsNoShare) {
  const auto reason = [](const char* model, Precision precision = Precision::kBf16) {
    const Made made = MadeJob(model, 1e14);
    const EfficiencyAnswer answer = EfficiencyOf(
        {.job = made.job, .steps = made.steps, .devices = made.devices, .precision = precision});
    EXPECT_FALSE(answer.peak_flops.has_value()) << model;
    EXPECT_EQ(answer.confidence.missing, std::vector<std::string>{"a peak for this device"});
    return answer.gpu_model + ": " + answer.reason;
  };
  EXPECT_EQ(reason(""), ": the GPU model is unknown: no device metric names it");
  EXPECT_EQ(reason("NVIDIA H300"), ": no peak is known for \"NVIDIA H300\"");
  EXPECT_EQ(reason("NVIDIA H200 MIG 1g.18gb"),
            "h200-sxm5-141gb: \"NVIDIA H200 MIG 1g.18gb\" is a slice of a GPU, whose peak is "
            "unknown");
  EXPECT_EQ(reason("NVIDIA A10G"), "a10g: no bf16 peak is known for \"NVIDIA A10G\"");
  EXPECT_EQ(reason("NVIDIA H200", Precision::kFp4),
            "h200-sxm5-141gb: no fp4 peak is known for \"NVIDIA H200\"");
  Made made = MadeJob("NVIDIA H200", 1e14);
  made.steps.model_flops = {};
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = {}});
  EXPECT_EQ(answer.reason,
            "operations per step are unknown: the trainer reports neither them nor the model's "
            "shape");
  EXPECT_EQ(answer.confidence.missing,
            (std::vector<std::string>{"operations per step, or the model's shape",
                                      "a peak for this device"}));
}

TEST(Efficiency, AShareAboveOneIsSaidInPercent) {
  const Made made = MadeJob("NVIDIA H200", 989.4e12 * 0.9);
  EfficiencyInput input{.job = made.job, .steps = made.steps, .devices = made.devices};
  EXPECT_EQ(EfficiencyOf(input).reason, "");
  EXPECT_NEAR(EfficiencyOf(input).confidence.margin, 0.1, 1e-9);
  // The hardware does a third more.
  input.recomputes_fully = true;
  const EfficiencyAnswer answer = EfficiencyOf(input);
  EXPECT_TRUE(answer.is_above_peak);
  EXPECT_EQ(answer.reason,
            "a share of 120 % of the bf16 peak is not possible: the reported operations, the "
            "precision or the GPU model is wrong");
  EXPECT_NEAR(answer.confidence.margin, 0.2, 1e-9);
}

TEST(Efficiency, IsMeasuredAgainstThePeakOfThePrecision) {
  const Made made = MadeJob("NVIDIA H200", 1e14);
  EfficiencyInput input{.job = made.job, .steps = made.steps, .devices = made.devices};
  EXPECT_NEAR(*EfficiencyOf(input).peak_flops, 989.4e12, 1e6);
  EXPECT_TRUE(std::isnan(EfficiencyOf(input).achieved_flops));  // nobody published a measurement
  input.precision = Precision::kFp8;
  EXPECT_NEAR(*EfficiencyOf(input).peak_flops, 1978.9e12, 1e6);
  EXPECT_NEAR(EfficiencyOf(input).achieved_flops, 1453.4e12, 1e6);
}

TEST(Efficiency, RanksThatShareAGpuAddUp) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  for (RankPlace& place : made.job.ranks) place = {.host = "a", .gpu = "0"};
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_NEAR(answer.ranks.at(0).tflops, 100, 1e-9);
  EXPECT_NEAR(answer.tflops_per_gpu, 200, 1e-9);
  EXPECT_NEAR(answer.tokens_per_second_per_gpu, 1000, 1e-9);
}

TEST(Efficiency, TheModelIsThatOfTheFirstDeviceThatNamesIt) {
  Made made = MadeJob("", 1e14);
  made.devices[1].model = "NVIDIA L4";
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_EQ(answer.gpu_model, "l4");
}

// Without a step after the warm-up, its steps must do.
TEST(Efficiency, AShortAttemptIsMeasuredByItsFirstSteps) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  made.steps.attempt_first_step = 31;
  EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_EQ(answer.confidence.steps, 40u);
  made.steps.attempt_first_step = 29;
  answer = EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_EQ(answer.confidence.steps, 1u);
  EXPECT_EQ(answer.confidence.samples, 2u);
}

TEST(Efficiency, TokensComeFromTheShapeWhereTheyAreNotReported) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  made.steps.tokens = {};
  EfficiencyInput input{.job = made.job, .steps = made.steps, .devices = made.devices};
  EfficiencyAnswer answer = EfficiencyOf(input);
  EXPECT_TRUE(std::isnan(answer.tokens_per_second));
  EXPECT_TRUE(std::isnan(answer.consumed_tokens));
  input.shape = kShape;
  answer = EfficiencyOf(input);
  EXPECT_NEAR(answer.tokens_per_second, 32 * 2048, 1e-9);
  EXPECT_NEAR(answer.tokens_per_second_per_gpu, 16 * 2048, 1e-9);
  EXPECT_NEAR(answer.consumed_tokens, 40 * 32 * 2048, 1e-9);
}

TEST(Efficiency, StepsWithoutTokensConsumeNone) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  for (size_t row = 0; row < 2; ++row) {
    made.steps.tokens(row, 0) = kUnknown;
    made.steps.tokens(row, 39) = 500;
  }
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_NEAR(answer.consumed_tokens, 38'500, 1e-9);
  EXPECT_EQ(SecondsLeft(answer, 38'500), 0);
  EXPECT_EQ(SecondsLeft(answer, 1), 0);
  EXPECT_NEAR(SecondsLeft(answer, 39'500), 1, 1e-9);
}

// Where steps do different amounts of work, the rate is all operations over all their time.
TEST(Efficiency, VaryingStepsAreAddedUp) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  for (size_t n = 0; n < 40; n += 2) {
    for (size_t row = 0; row < 2; ++row) {
      made.steps.model_flops(row, n) = 3e14;
      made.steps.step_seconds(row, n) = 2;
    }
  }
  made.steps.model_flops(1, 20) = kUnknown;
  made.steps.step_seconds(1, 21) = kUnknown;
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_TRUE(answer.work_varies);
  // From step 10 on: 15 steps of 300 in 2 s, and as many of 100 in 1 s.
  EXPECT_NEAR(answer.ranks.at(0).tflops, 400.0 / 3, 1e-9);
  EXPECT_NEAR(answer.ranks.at(1).tflops, (14 * 300 + 14 * 100) / (14 * 3.0), 1e-9);
  EXPECT_FALSE(
      EfficiencyOf({.job = made.job, .steps = EvenSteps(2, 40, 1), .devices = {}}).work_varies);
}

TEST(Efficiency, ALongStepSaysNothingOfHowFastARankComputes) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  for (size_t n = 0; n < 40; ++n) {
    for (size_t row = 0; row < 2; ++row) {
      if (n % 2 == 0) made.steps.model_flops(row, n) = 2e14;
      made.steps.step_seconds(row, n) = n == 30 ? 100 : n % 2 == 0 ? 2 : 1;
    }
  }
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_TRUE(answer.work_varies);
  EXPECT_NEAR(answer.tflops_per_gpu, 100, 1e-9);
}

TEST(Efficiency, WithoutStepTimesThereIsNoRate) {
  Made made = MadeJob("NVIDIA H200", 1e14);
  made.steps.step_seconds = {};
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_TRUE(std::isnan(answer.tflops_per_gpu));
  ASSERT_EQ(answer.ranks.size(), 2u);
}

TEST(Efficiency, OfTheWallOnlyWhereOperationsAreReported) {
  const Made made = MadeJob("NVIDIA H200", 1e14);
  const EfficiencyAnswer answer = EfficiencyOf({.job = made.job,
                                                .steps = made.steps,
                                                .devices = made.devices,
                                                .shape = kShape,
                                                .convention = FlopsConvention::kSixNd});
  EXPECT_FALSE(std::isnan(answer.mfu));
  EXPECT_TRUE(std::isnan(answer.mfu_of_wall));
  EXPECT_EQ(answer.convention, FlopsConvention::kSixNd);
}

TEST(Efficiency, MemoryOfAnUnknownDeviceHasAShareButNoRate) {
  const Made made = MadeJob("NVIDIA L20", 1e14);  // whose bandwidth the catalogue lacks
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = made.job, .steps = made.steps, .devices = made.devices});
  EXPECT_NEAR(answer.mbu, 0.3, 1e-9);
  EXPECT_TRUE(std::isnan(answer.memory_bytes_per_second));
}

}  // namespace
}  // namespace lockstep::training
