#include "training/efficiency/flops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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

TEST(Flops, PlainFeedForwardHasTwoMatrices) {
  ModelShape plain = kLlama3;
  plain.has_gated_feed_forward = false;
  const double matrix = 6.0 * 128 * 8192 * 32 * 4096 * 14336;
  for (const auto convention :
       {FlopsConvention::kCausalAttention, FlopsConvention::kFullAttention}) {
    EXPECT_NEAR((*StepFlops(convention, kLlama3) - *StepFlops(convention, plain)) / matrix, 1,
                1e-9);
  }
}

// As many heads for keys and values as for queries, of the size that fills the hidden one.
TEST(Flops, HeadsAreOfTheUsualNumberAndSize) {
  ModelShape usual = kLlama3;
  usual.key_value_heads = 0;
  ModelShape given = kLlama3;
  given.key_value_heads = 32;
  given.head_size = 128;
  for (const auto convention : {FlopsConvention::kCausalAttention, FlopsConvention::kFullAttention,
                                FlopsConvention::kPalm}) {
    EXPECT_DOUBLE_EQ(*StepFlops(convention, usual), *StepFlops(convention, given));
  }
  given.head_size = 64;
  EXPECT_LT(*StepFlops(FlopsConvention::kPalm, given), *StepFlops(FlopsConvention::kPalm, usual));
}

TEST(Flops, AreAbsentWhereTheShapeLacksSomething) {
  using enum FlopsConvention;
  const struct {
    double ModelShape::*field;
    std::vector<FlopsConvention> needed_by;
  } rows[] = {
      {&ModelShape::parameters, {kSixNd, kPalm}},
      {&ModelShape::layers, {kCausalAttention, kFullAttention, kPalm}},
      {&ModelShape::hidden, {kCausalAttention, kFullAttention, kPalm}},
      {&ModelShape::heads, {kCausalAttention, kFullAttention, kPalm}},
      {&ModelShape::vocabulary, {kCausalAttention, kFullAttention}},
      {&ModelShape::feed_forward_hidden, {kCausalAttention, kFullAttention}},
      {&ModelShape::key_value_heads, {}},
      {&ModelShape::sequence_length, {kSixNd, kCausalAttention, kFullAttention, kPalm}},
      {&ModelShape::global_batch, {kSixNd, kCausalAttention, kFullAttention, kPalm}},
  };
  for (const auto& row : rows) {
    for (const auto convention : {kSixNd, kCausalAttention, kFullAttention, kPalm}) {
      const bool is_needed = std::ranges::find(row.needed_by, convention) != row.needed_by.end();
      ModelShape shape = kLlama3;
      shape.*row.field = 0;
      EXPECT_EQ(StepFlops(convention, shape).has_value(), !is_needed)
          << Name(convention) << " without field " << &row - rows;
      shape.*row.field = 1;
      EXPECT_TRUE(StepFlops(convention, shape).has_value())
          << Name(convention) << " with field " << &row - rows;
    }
  }
  // The size of the heads stands for the hidden one, and experts for the other layers.
  ModelShape shape = kLlama3;
  shape.hidden = 0;
  shape.head_size = 1;
  EXPECT_TRUE(StepFlops(kPalm, shape).has_value());
  shape = kLlama3;
  shape.feed_forward_hidden = 0;
  shape.expert_layers = shape.layers;
  EXPECT_TRUE(StepFlops(kCausalAttention, shape).has_value());
  for (const char* name : {"6nd", "causal_attention", "full_attention", "palm", "reported"}) {
    EXPECT_EQ(Name(*FlopsConventionOf(name)), name);
  }
}

}  // namespace
}  // namespace lockstep::training
