#include "import/traces/tensorboard/tensorboard_tag.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace lockstep::traces {
namespace {

constexpr double kGibibyte = 1 << 30;

struct KnownTag {
  std::string_view tag;
  std::string_view metric;
  std::string_view unit;
  double scale;
  std::string_view phase = "";
};

// From Megatron-LM, NeMo, torchtitan, Hugging Face, Lightning, DeepSpeed, Composer, and scripts
// without a framework. Sorted by tag.
constexpr KnownTag kTags[] = {
    {"TFLOPS", "train_tflops", "TFLOP/s", 1},
    {"TFLOPS_per_GPU", "train_tflops_per_gpu", "TFLOP/s", 1},
    {"TFLOPs_per_GPU", "train_tflops_per_gpu", "TFLOP/s", 1},
    {"Train/Samples/elapsed_time_ms_backward", "train_phase_seconds", "s", 0.001, "backward"},
    {"Train/Samples/elapsed_time_ms_backward_allreduce", "train_phase_seconds", "s", 0.001,
     "backward_allreduce"},
    {"Train/Samples/elapsed_time_ms_backward_inner", "train_phase_seconds", "s", 0.001,
     "backward_compute"},
    {"Train/Samples/elapsed_time_ms_forward", "train_phase_seconds", "s", 0.001, "forward"},
    {"Train/Samples/elapsed_time_ms_step", "train_phase_seconds", "s", 0.001, "optimizer"},
    {"Train/Samples/loss_scale", "train_loss_scale", "1", 1},
    {"Train/Samples/lr", "train_learning_rate", "1", 1},
    {"Train/Samples/train_loss", "train_loss", "1", 1},
    {"batch-size", "train_global_batch_size", "samples", 1},
    {"batches_per_sec", "train_steps_per_second", "steps/s", 1},
    {"consumed_samples", "train_samples_total", "samples", 1},
    {"device/batches_per_sec", "train_steps_per_second_per_device", "steps/s", 1},
    {"device/flops_per_sec", "train_tflops_per_gpu", "TFLOP/s", 1e-12},
    {"device/items_per_sec", "train_tokens_per_second_per_gpu", "tokens/s", 1},
    {"device/mfu", "train_mfu_ratio", "ratio", 1},
    {"device/samples_per_sec", "train_samples_per_second_per_device", "samples/s", 1},
    {"epoch", "epoch", "1", 1},
    {"eval/loss", "validation_loss", "1", 1},
    {"eval/runtime", "validation_runtime_seconds", "s", 1},
    {"eval/samples_per_second", "validation_samples_per_second", "samples/s", 1},
    {"eval/steps_per_second", "validation_steps_per_second", "steps/s", 1},
    {"eval_loss", "validation_loss", "1", 1},
    {"flops_per_sec", "train_tflops", "TFLOP/s", 1e-12},
    {"global_batch_size", "train_global_batch_size", "samples", 1},
    {"grad-norm", "train_grad_norm", "1", 1},
    {"grad_norm", "train_grad_norm", "1", 1},
    {"gradient_norm", "train_grad_norm", "1", 1},
    {"items_per_sec", "train_tokens_per_second", "tokens/s", 1},
    {"iter-energy/gpu", "train_energy_per_step_joules", "J", 1},
    {"iter_time", "train_step_time_seconds", "s", 1},
    {"iter_time_ms", "train_step_time_seconds", "s", 0.001},
    {"iter_time_s", "train_step_time_seconds", "s", 1},
    {"iteration-time", "train_step_time_seconds", "s", 1},
    {"learning-rate", "train_learning_rate", "1", 1},
    {"learning_rate", "train_learning_rate", "1", 1},
    {"lm loss", "train_loss", "1", 1},
    {"loss", "train_loss", "1", 1},
    {"loss-scale", "train_loss_scale", "1", 1},
    {"loss/train/total", "train_loss", "1", 1},
    {"loss_metrics/global_avg_loss", "train_loss", "1", 1},
    {"loss_metrics/global_max_loss", "train_loss_max", "1", 1},
    {"lr", "train_learning_rate", "1", 1},
    {"max_attention_logit", "train_max_attention_logit", "1", 1},
    {"max_memory_allocated", "gpu_torch_memory_peak_bytes", "bytes", 1},
    {"max_memory_reserved", "gpu_torch_memory_reserved_peak_bytes", "bytes", 1},
    {"mem-allocated-bytes", "gpu_torch_memory_allocated_bytes", "bytes", 1},
    {"mem-allocated-count", "gpu_torch_allocations", "count", 1},
    {"mem-max-allocated-bytes", "gpu_torch_memory_peak_bytes", "bytes", 1},
    {"mem-reserved-bytes", "gpu_torch_memory_reserved_bytes", "bytes", 1},
    {"memory/max_active(%)", "gpu_torch_memory_active_peak_ratio", "ratio", 0.01},
    {"memory/max_active(GiB)", "gpu_torch_memory_active_peak_bytes", "bytes", kGibibyte},
    {"memory/max_reserved(%)", "gpu_torch_memory_reserved_peak_ratio", "ratio", 0.01},
    {"memory/max_reserved(GiB)", "gpu_torch_memory_reserved_peak_bytes", "bytes", kGibibyte},
    {"memory/num_alloc_retries", "gpu_torch_alloc_retries_total", "count", 1},
    {"memory/num_ooms", "gpu_torch_ooms_total", "count", 1},
    {"memory_allocated", "gpu_torch_memory_allocated_bytes", "bytes", 1},
    {"mfu", "train_mfu_ratio", "ratio", 1},
    {"mfu(%)", "train_mfu_ratio", "ratio", 0.01},
    {"n_tokens_seen", "train_tokens_total", "tokens", 1},
    {"num-zeros", "train_grad_zeros", "count", 1},
    {"num_zeros_in_grad", "train_grad_zeros", "count", 1},
    {"params-norm", "train_params_norm", "1", 1},
    {"peak_memory_usage", "gpu_torch_memory_peak_bytes", "bytes", 1},
    {"power/gpu", "train_power_watts", "W", 1},
    {"reduced_train_loss", "train_loss", "1", 1},
    {"samples vs steps", "train_samples_total", "samples", 1},
    {"samples_per_sec", "train_samples_per_second", "samples/s", 1},
    {"skipped-train-samples", "train_skipped_samples_total", "samples", 1},
    {"step_time", "train_step_time_seconds", "s", 1},
    {"step_time_ms", "train_step_time_seconds", "s", 0.001},
    {"step_time_s", "train_step_time_seconds", "s", 1},
    {"tflops", "train_tflops_per_gpu", "TFLOP/s", 1},
    {"throughput", "train_tflops_per_gpu", "TFLOP/s", 1},
    {"throughput(tps)", "train_tokens_per_second_per_gpu", "tokens/s", 1},
    {"throughput/batches_per_sec", "train_steps_per_second", "steps/s", 1},
    {"throughput/device/batches_per_sec", "train_steps_per_second_per_device", "steps/s", 1},
    {"throughput/device/flops_per_sec", "train_tflops_per_gpu", "TFLOP/s", 1e-12},
    {"throughput/device/mfu", "train_mfu_ratio", "ratio", 1},
    {"throughput/device/samples_per_sec", "train_samples_per_second_per_device", "samples/s", 1},
    {"throughput/device/tokens_per_sec", "train_tokens_per_second_per_gpu", "tokens/s", 1},
    {"throughput/flops_per_sec", "train_tflops", "TFLOP/s", 1e-12},
    {"throughput/samples_per_sec", "train_samples_per_second", "samples/s", 1},
    {"throughput/tokens_per_sec", "train_tokens_per_second", "tokens/s", 1},
    {"time/remaining_estimate", "train_remaining_estimate", "h", 1},
    {"time/total", "total_elapsed_hours", "h", 1},
    {"time/train", "train_elapsed_hours", "h", 1},
    {"time/val", "validation_elapsed_hours", "h", 1},
    {"time_metrics/data_loading(%)", "train_data_ratio", "ratio", 0.01},
    {"time_metrics/data_loading(s)", "train_data_seconds", "s", 1},
    {"time_metrics/end_to_end(s)", "train_step_time_seconds", "s", 1},
    {"tokens_per_sec", "train_tokens_per_second", "tokens/s", 1},
    {"tokens_per_sec_per_gpu", "train_tokens_per_second_per_gpu", "tokens/s", 1},
    {"tps", "train_tokens_per_second", "tokens/s", 1},
    {"train/epoch", "epoch", "1", 1},
    {"train/grad_norm", "train_grad_norm", "1", 1},
    {"train/learning_rate", "train_learning_rate", "1", 1},
    {"train/loss", "train_loss", "1", 1},
    {"train/lr", "train_learning_rate", "1", 1},
    {"train/num_input_tokens_seen", "train_tokens_total", "tokens", 1},
    {"train/total_flos", "train_flops_total", "FLOP", 1},
    {"train/train_loss", "train_loss_mean", "1", 1},
    {"train/train_runtime", "train_runtime_seconds", "s", 1},
    {"train/train_samples_per_second", "train_samples_per_second", "samples/s", 1},
    {"train/train_steps_per_second", "train_steps_per_second", "steps/s", 1},
    {"train/train_tokens_per_second", "train_tokens_per_second", "tokens/s", 1},
    {"train_loss", "train_loss", "1", 1},
    {"train_loss_epoch", "train_loss_epoch", "1", 1},
    {"train_loss_step", "train_loss", "1", 1},
    {"train_step_timing in s", "train_step_time_seconds", "s", 1},
    {"training_loss", "train_loss", "1", 1},
    {"val/loss", "validation_loss", "1", 1},
    {"val_loss", "validation_loss", "1", 1},
    {"valid_loss", "validation_loss", "1", 1},
    {"validation_metrics/loss", "validation_loss", "1", 1},
    {"validation_metrics/throughput(tps)", "validation_tokens_per_second_per_gpu", "tokens/s", 1},
    {"validation_step_timing in s", "validation_step_time_seconds", "s", 1},
    {"world-size", "train_world_size", "ranks", 1},
};

constexpr bool IsBefore(const KnownTag& a, const KnownTag& b) { return a.tag < b.tag; }
static_assert(std::is_sorted(std::begin(kTags), std::end(kTags), IsBefore));

std::optional<TagMeaning> KnownMeaning(std::string_view tag) {
  const auto* const found = std::lower_bound(
      std::begin(kTags), std::end(kTags), tag,
      [](const KnownTag& known, std::string_view asked) { return known.tag < asked; });
  if (found == std::end(kTags) || found->tag != tag) return std::nullopt;
  TagMeaning meaning{std::string(found->metric), found->unit, found->scale, tag == "mfu", {}};
  if (!found->phase.empty()) meaning.labels.push_back({"phase", std::string(found->phase)});
  return meaning;
}

bool RemovePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool RemoveSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

TagMeaning WithLabel(std::string_view metric, std::string_view unit, std::string_view name,
                     std::string_view value) {
  return {std::string(metric), unit, 1, false, {{std::string(name), std::string(value)}}};
}

// Megatron: "lm loss validation", "lm loss validation ppl", and likewise for other losses.
TagMeaning ValidationMeaning(std::string_view metric, std::string_view loss) {
  if (loss == "lm loss") return {std::string(metric), "1", 1, false, {}};
  return WithLabel(metric, "1", "loss", loss);
}

// Names with a part chosen by their writer, which becomes a label to keep series distinct.
std::optional<TagMeaning> PatternMeaning(std::string_view tag) {
  if (RemoveSuffix(tag, " validation ppl")) return ValidationMeaning("validation_perplexity", tag);
  if (RemoveSuffix(tag, " validation")) return ValidationMeaning("validation_loss", tag);
  if (RemovePrefix(tag, "lr-") || RemovePrefix(tag, "lr/")) {
    return WithLabel("train_learning_rate", "1", "group", tag);
  }
  // DeviceStatsMonitor.on_train_batch_start/active_bytes.all.peak
  if (RemovePrefix(tag, "DeviceStatsMonitor.") && tag.find('/') != tag.npos) {
    const size_t slash = tag.find('/');
    TagMeaning meaning = WithLabel("gpu_torch_memory_stat", "", "stat", tag.substr(slash + 1));
    meaning.labels.push_back({"hook", std::string(tag.substr(0, slash))});
    return meaning;
  }
  return std::nullopt;
}

TagMeaning MeaningByStep(std::string_view tag) {
  if (auto known = KnownMeaning(tag)) return *std::move(known);
  if (auto matched = PatternMeaning(tag)) return *std::move(matched);
  return {std::string(tag), "", 1, false, {}};
}

}  // namespace

TagMeaning MeaningOfTag(std::string_view tag) {
  const bool is_by_samples = RemoveSuffix(tag, " vs samples") || tag.starts_with("Train/Samples/");
  TagMeaning meaning = MeaningByStep(tag);
  if (is_by_samples) meaning.labels.push_back({"axis", "samples"});
  return meaning;
}

}  // namespace lockstep::traces
