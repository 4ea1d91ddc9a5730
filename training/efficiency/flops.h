// Floating point operations of a training step, from the shape of a transformer.
//
// Several conventions are in use and differ by up to 27 % for the same job, so a number means
// nothing without its convention. All count a multiply-add as two operations and the backward pass
// as twice the forward pass.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::training {

enum class FlopsConvention {
  kReported,         // as the trainer reports it
  kSixNd,            // 6 * parameters * tokens: no attention
  kCausalAttention,  // matrices and the causal half of attention: Megatron-LM, NeMo
  kFullAttention,    // matrices and all of attention: torchtitan, older NeMo
  kPalm,             // 6 * all parameters * tokens and all of attention: PaLM, nanoGPT, llm-foundry
};

std::string_view Name(FlopsConvention convention);
std::optional<FlopsConvention> FlopsConventionOf(std::string_view name);

// 0 means unknown.
struct ModelShape {
  double parameters = 0;  // including embeddings
  double layers = 0;
  double hidden = 0;
  double feed_forward_hidden = 0;
  bool has_gated_feed_forward = true;  // three matrices (SwiGLU) or two
  double heads = 0;
  double key_value_heads = 0;  // 0: as many as heads
  double head_size = 0;        // 0: hidden / heads
  double vocabulary = 0;
  double sequence_length = 0;
  double global_batch = 0;  // sequences
  // Mixture of experts: number of such layers, active experts per token, and hidden size of an
  // expert.
  double expert_layers = 0;
  double active_experts = 0;
  double expert_hidden = 0;

  double Tokens() const { return global_batch * sequence_length; }
};

// Operations of one step of the whole job. Empty if the shape lacks what the convention needs.
std::optional<double> StepFlops(FlopsConvention convention, const ModelShape& shape);

// With full recomputation in the backward pass, the hardware does one more forward pass.
inline constexpr double kFullRecomputeFactor = 4.0 / 3.0;

}  // namespace lockstep::training
