#include "answers/load/fact_reader.h"

#include <algorithm>
#include <cmath>

namespace lockstep::answers {
namespace {

using catalogue::Role;

void Raise(double value, double& fact) {
  if (!(fact >= value)) fact = value;
}

// Trainers may report anything; counts beyond this are wrong, and larger than any sum or product of
// them may be.
int64_t CountOf(double value) {
  constexpr double kMost = 1e15;
  return std::llround(std::clamp(value, -kMost, kMost));
}

void Raise(double value, int64_t& fact) { fact = std::max(fact, CountOf(value)); }

void Raise(double value, std::optional<int64_t>& fact) {
  fact = std::max(fact.value_or(0), CountOf(value));
}

void Set(Role role, double value, JobFacts& facts) {
  switch (role) {
    case Role::kTrainWorldSize:
      return Raise(value, facts.world_size);
    case Role::kTrainGlobalBatchSize:
      return Raise(value, facts.parallelism.global_batch);
    case Role::kTrainMicroBatchSize:
      return Raise(value, facts.parallelism.micro_batch);
    case Role::kTrainDataParallelSize:
      return Raise(value, facts.parallelism.data);
    case Role::kTrainTensorParallelSize:
      return Raise(value, facts.parallelism.tensor);
    case Role::kTrainPipelineParallelSize:
      return Raise(value, facts.parallelism.pipeline);
    case Role::kTrainContextParallelSize:
      return Raise(value, facts.parallelism.context);
    case Role::kTrainSequenceLength:
      return Raise(value, facts.sequence_length);
    case Role::kTrainSamplesTotal:
      return Raise(value, facts.total_samples);
    case Role::kTrainTokensTotal:
      return Raise(value, facts.total_tokens);
    case Role::kTrainPlannedSteps:
      return Raise(value, facts.planned_steps);
    default:
      return;
  }
}

}  // namespace

void FactReader::Add(Role role, const SampleColumns& samples) {
  for (size_t i = samples.values.size(); i > 0; --i) {
    if (!std::isfinite(samples.values[i - 1])) continue;
    const MutexLock lock(mutex_);
    return Set(role, samples.values[i - 1], facts_);
  }
}

JobFacts FactReader::facts() const {
  const MutexLock lock(mutex_);
  return facts_;
}

}  // namespace lockstep::answers
