#include "answers/fact_reader.h"

#include <algorithm>
#include <cmath>

namespace lockstep::answers {
namespace {

void Raise(double value, double& fact) {
  if (!(fact >= value)) fact = value;
}

void Raise(double value, int64_t& fact) { fact = std::max<int64_t>(fact, std::llround(value)); }

void Raise(double value, std::optional<int64_t>& fact) {
  fact = std::max<int64_t>(fact.value_or(0), std::llround(value));
}

void Set(StepRole role, double value, JobFacts& facts) {
  switch (role) {
    case StepRole::kWorldSize:
      return Raise(value, facts.world_size);
    case StepRole::kGlobalBatch:
      return Raise(value, facts.parallelism.global_batch);
    case StepRole::kMicroBatch:
      return Raise(value, facts.parallelism.micro_batch);
    case StepRole::kDataParallel:
      return Raise(value, facts.parallelism.data);
    case StepRole::kTensorParallel:
      return Raise(value, facts.parallelism.tensor);
    case StepRole::kPipelineParallel:
      return Raise(value, facts.parallelism.pipeline);
    case StepRole::kContextParallel:
      return Raise(value, facts.parallelism.context);
    case StepRole::kSequenceLength:
      return Raise(value, facts.sequence_length);
    case StepRole::kTotalSamples:
      return Raise(value, facts.total_samples);
    case StepRole::kTotalTokens:
      return Raise(value, facts.total_tokens);
    case StepRole::kPlannedSteps:
      return Raise(value, facts.planned_steps);
    default:
      return;
  }
}

}  // namespace

bool FactReader::Tells(StepRole role) { return role >= StepRole::kTotalTokens; }

void FactReader::Add(StepRole role, const SampleColumns& samples) {
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
