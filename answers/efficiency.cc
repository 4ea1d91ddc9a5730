#include "answers/efficiency.h"

#include <utility>
#include <vector>

#include "base/status.h"

namespace lockstep::answers {
namespace {

using training::ModelShape;

ModelShape ShapeOf(const LoadedJob& job, const EfficiencyOptions& options) {
  ModelShape shape = options.shape;
  if (shape.global_batch == 0) {
    shape.global_batch = static_cast<double>(job.facts.parallelism.global_batch);
  }
  if (shape.sequence_length == 0 && job.facts.sequence_length > 0) {
    shape.sequence_length = job.facts.sequence_length;
  }
  return shape;
}

// The job's devices. If the counters do not contain the GPU model, it comes from the question or
// from other counters.
std::vector<training::GpuCounters> DevicesOf(const LoadedJob& job,
                                             const EfficiencyOptions& options) {
  std::vector<training::GpuCounters> devices = job.devices;
  devices.resize(job.job.ranks.size());
  for (size_t row = 0; row < devices.size(); ++row) {
    if (devices[row].model.empty()) devices[row].model = job.gpu_models[row];
    if (!options.gpu_model.empty()) devices[row].model = options.gpu_model;
  }
  return devices;
}

void SetConsumption(const LoadedJob& job, const ModelShape& shape, JobEfficiency& found) {
  const training::EfficiencyAnswer& answer = found.answer;
  const double batch = shape.global_batch > 0 ? shape.global_batch : training::kUnknown;
  const double tokens = shape.Tokens() > 0 ? shape.Tokens() : training::kUnknown;
  const auto steps = static_cast<double>(job.steps.size());
  const bool is_reported = answer.tokens_per_second > 0;
  found.tokens_per_second = is_reported ? answer.tokens_per_second : tokens / answer.step_seconds;
  found.tokens_per_second_per_gpu =
      found.tokens_per_second / static_cast<double>(training::GpuCount(job.job));
  found.samples_per_second = batch / answer.step_seconds;
  found.consumed_tokens = is_reported ? answer.consumed_tokens : tokens * steps;
  found.consumed_samples = job.facts.total_samples > 0 ? job.facts.total_samples : batch * steps;
}

}  // namespace

JobNeeds EfficiencyNeeds() {
  return {.phases = true, .operations = true, .devices = CountersOfClasses()};
}

JobEfficiency EfficiencyOf(const LoadedJob& job, const EfficiencyOptions& options) {
  const ModelShape shape = ShapeOf(job, options);
  const std::vector<training::GpuCounters> devices = DevicesOf(job, options);
  JobEfficiency found{
      .subject = SubjectOf(job),
      .answer = training::EfficiencyOf({.job = job.job,
                                        .steps = job.steps,
                                        .devices = devices,
                                        .shape = shape,
                                        .convention = options.convention,
                                        .precision = options.precision,
                                        .recomputes_fully = options.recomputes_fully}),
      .precision = options.precision};
  SetConsumption(job, shape, found);
  if (options.total_tokens > 0) {
    found.eta_seconds = training::SecondsLeft(found.answer, options.total_tokens);
  }
  return found;
}

absl::StatusOr<JobEfficiency> AnswerEfficiency(const EfficiencyQuestion& question,
                                               const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(question.job, EfficiencyNeeds(), context));
  return EfficiencyOf(job, question.options);
}

}  // namespace lockstep::answers
