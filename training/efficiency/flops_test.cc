#include "training/efficiency/flops.h"

#include <gtest/gtest.h>

namespace lockstep::training {
namespace {

// Llama 3 8B, 128 sequences of 8192 tokens per step.
constexpr ModelShape kLlama3 = {.parameters = 8.030e9,
                                .layers = 32,
                                .hidden = 4096,
                                .feed_forward_hidden = 14336,
                                .heads = 32,
                                .key_value_heads = 8,
                                .vocabulary = 128256,
                                .sequence_length = 8192,
                                .global_batch = 128};

TEST(Flops, OneJobInFourConventions) {
  const std::pair<FlopsConvention, double> cases[] = {
      {FlopsConvention::kSixNd, 5.0522e16},
      {FlopsConvention::kCausalAttention, 5.39706e16},
      {FlopsConvention::kFullAttention, 6.0727e16},
      {FlopsConvention::kPalm, 6.4033e16},
  };
  for (const auto& [convention, flops] : cases) {
    EXPECT_NEAR(*StepFlops(convention, kLlama3) / flops, 1, 2e-4) << Name(convention);
  }
  EXPECT_EQ(StepFlops(FlopsConvention::kReported, kLlama3), std::nullopt);
}

// NeMo's closed form for the same, with a factor of one half for the causal mask.
TEST(Flops, AgreesWithTheClosedForm) {
  const double h = 4096;
  const double s = 8192;
  const double factor =
      12 + 12 * 8.0 / 32 + 18 * 14336 / h + 12 * (s / h) * 0.5 + 6 * 128256 / (32 * h);
  const double flops = 128 * s * 32 * h * h * factor;
  EXPECT_NEAR(*StepFlops(FlopsConvention::kCausalAttention, kLlama3) / flops, 1, 1e-9);
}

TEST(Flops, TheChartsOfTheSameJobAreReproduced) {
  // Eight GPUs: 9.37 s per step in fp8, 12.1 s in bf16.
  const double flops = *StepFlops(FlopsConvention::kFullAttention, kLlama3);
  EXPECT_NEAR(flops / 9.37 / 8 / 1e12, 810.1, 0.1);
  EXPECT_NEAR(flops / 12.1 / 8 / 1e12, 627.3, 0.1);
}

TEST(Flops, OnlyActiveExpertsCount) {
  ModelShape mixture = kLlama3;
  mixture.expert_layers = 32;
  mixture.active_experts = 2;
  mixture.expert_hidden = 7168;
  EXPECT_NEAR(*StepFlops(FlopsConvention::kCausalAttention, mixture) / 5.39706e16, 1, 2e-4);
}

TEST(Flops, AreAbsentWhereTheShapeLacksSomething) {
  EXPECT_EQ(StepFlops(FlopsConvention::kCausalAttention, {.layers = 3}), std::nullopt);
  ModelShape unknown = kLlama3;
  unknown.parameters = 0;
  EXPECT_EQ(StepFlops(FlopsConvention::kPalm, unknown), std::nullopt);
  for (const char* name : {"6nd", "causal_attention", "full_attention", "palm", "reported"}) {
    EXPECT_EQ(Name(*FlopsConventionOf(name)), name);
  }
}

}  // namespace
}  // namespace lockstep::training
