#include "answers/series_roles.h"

#include <array>
#include <charconv>

namespace lockstep::answers {
namespace {

struct NameRow {
  std::string_view name;
  StepRole role;
  std::string_view phase = {};
  double factor = 1;
};

constexpr std::array kNames = {
    NameRow{"lockstep_step", StepRole::kStep},
    NameRow{"train_step", StepRole::kStep},
    NameRow{"train_global_step", StepRole::kStep},
    NameRow{"train_step_time_seconds", StepRole::kStepSeconds},
    NameRow{"train_data_seconds", StepRole::kPhaseSeconds, "data"},
    NameRow{"train_comm_seconds", StepRole::kPhaseSeconds, "comm"},
    NameRow{"train_comm_wait_seconds", StepRole::kPhaseSeconds, "wait"},
    NameRow{"train_compute_seconds", StepRole::kPhaseSeconds, "compute"},
    NameRow{"train_own_seconds", StepRole::kOwnSeconds},
    NameRow{"train_loss", StepRole::kLoss},
    NameRow{"train_grad_norm", StepRole::kGradientNorm},
    NameRow{"gpu_torch_memory_allocated_bytes", StepRole::kMemoryAllocatedBytes},
    NameRow{"model_flops_per_step_per_gpu", StepRole::kModelFlops},
    NameRow{"train_tflops_per_gpu", StepRole::kTeraflops},
    NameRow{"train_tokens", StepRole::kTokens},
    NameRow{"train_tokens_total", StepRole::kTotalTokens},
    NameRow{"train_samples_total", StepRole::kTotalSamples},
    NameRow{"train_world_size", StepRole::kWorldSize},
    NameRow{"world_size", StepRole::kWorldSize},
    NameRow{"train_global_batch_size", StepRole::kGlobalBatch},
    NameRow{"global_batch_size", StepRole::kGlobalBatch},
    NameRow{"micro_batch_size", StepRole::kMicroBatch},
    NameRow{"train_micro_batch_size", StepRole::kMicroBatch},
    NameRow{"seq_length", StepRole::kSequenceLength},
    NameRow{"train_sequence_length", StepRole::kSequenceLength},
    NameRow{"train_planned_steps", StepRole::kPlannedSteps},
    NameRow{"train_data_parallel_size", StepRole::kDataParallel},
    NameRow{"train_tensor_parallel_size", StepRole::kTensorParallel},
    NameRow{"train_pipeline_parallel_size", StepRole::kPipelineParallel},
    NameRow{"train_context_parallel_size", StepRole::kContextParallel},
    NameRow{"data_parallel_size", StepRole::kDataParallel},
    NameRow{"tensor_parallel_size", StepRole::kTensorParallel},
    NameRow{"pipeline_parallel_size", StepRole::kPipelineParallel},
    NameRow{"context_parallel_size", StepRole::kContextParallel},
};

// "forward_time_s": a phase under the name that the trainer gave it.
std::optional<StepSeries> OwnPhaseOf(std::string_view name) {
  constexpr std::string_view kSuffix = "_time_s";
  if (!name.ends_with(kSuffix)) return std::nullopt;
  return StepSeries{StepRole::kPhaseSeconds,
                    std::string(name.substr(0, name.size() - kSuffix.size()))};
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void Learn(std::string_view said, std::string& known) {
  if (known.empty()) known = said;
}

}  // namespace

std::optional<StepSeries> StepSeriesOf(const LabelSet& labels) {
  // The lowest or highest over ranks.
  if (labels.Has("agg")) return std::nullopt;
  const std::string_view name = labels.metric_name();
  if (name == "train_phase_seconds") {
    return StepSeries{StepRole::kPhaseSeconds, std::string(labels.Get("phase"))};
  }
  for (const NameRow& row : kNames) {
    if (row.name == name) return StepSeries{row.role, std::string(row.phase), row.factor};
  }
  return OwnPhaseOf(name);
}

std::string_view FactNames() {
  static const std::string names = [] {
    std::string joined;
    for (const NameRow& row : kNames) {
      if (row.role < StepRole::kTotalTokens) continue;
      if (!joined.empty()) joined += '|';
      joined += row.name;
    }
    return joined;
  }();
  return names;
}

SeriesOrigin OriginOf(const LabelSet& labels) {
  SeriesOrigin origin;
  for (const auto& [name, value] : labels) {
    if (name == "rank") origin.rank = NumberOf(value);
    if (name == "attempt") origin.attempt = NumberOf(value);
    if (name == "Hostname" || name == "hostname" || name == "node") origin.host = value;
    if (name == "gpu") origin.gpu = value;
    if (name == "UUID" || name == "uuid") origin.gpu_uuid = value;
    if (name == "modelName") origin.gpu_model = value;
  }
  return origin;
}

void LearnPlace(const SeriesOrigin& origin, training::RankPlace& place, std::string& gpu_model) {
  place.rank = *origin.rank;
  Learn(origin.host, place.host);
  Learn(origin.gpu, place.gpu);
  Learn(origin.gpu_uuid, place.gpu_uuid);
  Learn(origin.gpu_model, gpu_model);
}

}  // namespace lockstep::answers
