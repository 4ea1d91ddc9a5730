#include "training/efficiency/flops.h"

#include <array>

namespace lockstep::training {
namespace {

constexpr std::array<std::string_view, 5> kConventionNames = {"reported", "6nd", "causal_attention",
                                                              "full_attention", "palm"};

// Per token and layer, forward and backward: 2 operations per multiply-add, 3 passes.
constexpr double kOperationsPerWeight = 6.0;
constexpr double kGatedMatrices = 3.0;
constexpr double kPlainMatrices = 2.0;

double HeadSize(const ModelShape& shape) {
  return shape.head_size > 0 ? shape.head_size : shape.hidden / shape.heads;
}

double QuerySize(const ModelShape& shape) { return HeadSize(shape) * shape.heads; }

// Number of weights that each token is multiplied with.
double ActiveWeights(const ModelShape& shape) {
  const double groups = shape.key_value_heads > 0 ? shape.key_value_heads : shape.heads;
  const double query = QuerySize(shape);
  const double attention =
      shape.hidden * (query + 2 * groups * HeadSize(shape)) + query * shape.hidden;
  const double matrices = shape.has_gated_feed_forward ? kGatedMatrices : kPlainMatrices;
  const double dense_layers = shape.layers - shape.expert_layers;
  const double feed_forward = matrices * shape.hidden *
                              (dense_layers * shape.feed_forward_hidden +
                               shape.expert_layers * shape.active_experts * shape.expert_hidden);
  return shape.layers * attention + feed_forward + shape.hidden * shape.vocabulary;
}

// Scores and values: two products of the query size with every token.
double FullAttention(const ModelShape& shape) {
  return 2 * kOperationsPerWeight * QuerySize(shape) * shape.layers * shape.sequence_length *
         shape.Tokens();
}

bool HasMatrices(const ModelShape& shape) {
  return shape.layers > 0 && shape.hidden > 0 && shape.heads > 0 && shape.vocabulary > 0 &&
         (shape.feed_forward_hidden > 0 || shape.expert_layers == shape.layers);
}

bool HasAttention(const ModelShape& shape) {
  return shape.layers > 0 && shape.heads > 0 && (shape.head_size > 0 || shape.hidden > 0);
}

}  // namespace

std::string_view Name(FlopsConvention convention) {
  return kConventionNames[static_cast<size_t>(convention)];
}

std::optional<FlopsConvention> FlopsConventionOf(std::string_view name) {
  for (size_t i = 0; i < kConventionNames.size(); ++i) {
    if (kConventionNames[i] == name) return static_cast<FlopsConvention>(i);
  }
  return std::nullopt;
}

std::optional<double> StepFlops(FlopsConvention convention, const ModelShape& shape) {
  const double tokens = shape.Tokens();
  if (!(tokens > 0)) return std::nullopt;
  switch (convention) {
    case FlopsConvention::kReported:
      return std::nullopt;
    case FlopsConvention::kSixNd:
      if (!(shape.parameters > 0)) return std::nullopt;
      return kOperationsPerWeight * shape.parameters * tokens;
    case FlopsConvention::kPalm:
      if (!(shape.parameters > 0) || !HasAttention(shape)) return std::nullopt;
      return kOperationsPerWeight * shape.parameters * tokens + FullAttention(shape);
    case FlopsConvention::kCausalAttention:
      if (!HasMatrices(shape)) return std::nullopt;
      return kOperationsPerWeight * ActiveWeights(shape) * tokens + FullAttention(shape) / 2;
    case FlopsConvention::kFullAttention:
      break;
  }
  if (!HasMatrices(shape)) return std::nullopt;
  return kOperationsPerWeight * ActiveWeights(shape) * tokens + FullAttention(shape);
}

}  // namespace lockstep::training
