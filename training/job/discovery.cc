#include "training/job/discovery.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::training {
namespace {

// A step that takes this many times longer than usual is overdue, as is a device silent for as
// long.
constexpr double kOverdueFactor = 10.0;
// Scrapes and pushes may arrive this late.
constexpr int64_t kLatenessMs = 60'000;
// How long to wait for another step once all planned steps are done.
constexpr int64_t kNextStepMs = 10'000;
constexpr double kNextStepFactor = 3.0;
constexpr int64_t kBeforeAllTimesMs = std::numeric_limits<int64_t>::min();

// The largest number if the product is larger.
int64_t Product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return product;
}

// Several ranks share a GPU, or several GPUs share a label.
void WarnOfSharedGpus(const Job& job, std::vector<std::string>& warnings) {
  std::map<std::pair<std::string, std::string>, std::vector<int64_t>> by_gpu;
  for (const RankPlace& place : job.ranks) {
    if (!place.gpu_uuid.empty()) by_gpu[{place.host, place.gpu_uuid}].push_back(place.rank);
  }
  for (const auto& [gpu, ranks] : by_gpu) {
    if (ranks.size() < 2) continue;
    warnings.push_back(absl::StrFormat("%d ranks, from %d to %d, share the GPU %s", ranks.size(),
                                       ranks.front(), ranks.back(), gpu.second));
  }
}

}  // namespace

std::vector<std::string> CheckJob(const Job& job, int64_t reported_world_size,
                                  const Parallelism& parallelism) {
  std::vector<std::string> warnings;
  const auto known = static_cast<int64_t>(job.ranks.size());
  const int64_t highest = job.ranks.empty() ? -1 : job.ranks.back().rank;
  const int64_t world = std::max(reported_world_size, highest + 1);
  if (known < world) {
    warnings.push_back(absl::StrFormat("%d of %d ranks do not report", world - known, world));
  }
  const int64_t product =
      Product({parallelism.data, parallelism.tensor, parallelism.pipeline, parallelism.context});
  if (parallelism.data > 0 && product != world) {
    warnings.push_back(absl::StrFormat(
        "the world size is %d, but data %d x tensor %d x pipeline %d x context %d is %d", world,
        parallelism.data, parallelism.tensor, parallelism.pipeline, parallelism.context, product));
  }
  const int64_t share = Product({parallelism.micro_batch, parallelism.data});
  if (share > 0 && parallelism.global_batch % share != 0) {
    warnings.push_back(
        absl::StrFormat("global batch %d is not a multiple of micro-batch %d x data parallel %d",
                        parallelism.global_batch, parallelism.micro_batch, parallelism.data));
  }
  WarnOfSharedGpus(job, warnings);
  return warnings;
}

void SetStages(const Parallelism& parallelism, Job& job) {
  const int64_t per_stage = Product({parallelism.data, parallelism.tensor, parallelism.context});
  if (per_stage <= 0 ||
      Product({per_stage, parallelism.pipeline}) != static_cast<int64_t>(job.ranks.size())) {
    return;
  }
  for (RankPlace& place : job.ranks) place.stage = place.rank / per_stage;
}

std::string_view Name(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return "running";
    case JobState::kStalled:
      return "stalled";
    case JobState::kEnded:
      return "ended";
    case JobState::kCrashed:
      return "crashed";
    case JobState::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view Name(JobStateReason reason) {
  switch (reason) {
    case JobStateReason::kSteps:
      return "steps";
    case JobStateReason::kBegin:
      return "begin";
    case JobStateReason::kExit:
      return "exit";
    case JobStateReason::kPlan:
      return "plan";
    case JobStateReason::kProcesses:
      return "processes";
    case JobStateReason::kDevices:
      return "devices";
    case JobStateReason::kSilence:
      return "silence";
    case JobStateReason::kNothing:
      break;
  }
  return "nothing";
}

bool IsEndOf(int64_t exit_ms, int64_t last_step_end_ms) {
  constexpr int64_t kSlackMs = 500;
  return exit_ms >= last_step_end_ms || last_step_end_ms - exit_ms <= kSlackMs;
}

int64_t OverdueMs(double usual_step_seconds) {
  return kLatenessMs + std::llround(kOverdueFactor * 1000 * usual_step_seconds);
}

JobCondition ConditionOf(const JobSigns& signs) {
  const auto is_recent = [&signs](const std::optional<int64_t>& at_ms) {
    return at_ms.has_value() && signs.now_ms - *at_ms <= kLatenessMs;
  };
  if (signs.exit_ms.has_value() && *signs.exit_ms >= signs.begin_ms.value_or(kBeforeAllTimesMs) &&
      IsEndOf(*signs.exit_ms, signs.last_step_end_ms.value_or(kBeforeAllTimesMs))) {
    return {signs.has_failed ? JobState::kCrashed : JobState::kEnded, JobStateReason::kExit,
            *signs.exit_ms};
  }
  const bool has_process = is_recent(signs.alive_ms);
  const bool has_device = is_recent(signs.last_device_sample_ms);
  if (!signs.last_step_end_ms.has_value()) {
    if (is_recent(signs.begin_ms)) return {JobState::kRunning, JobStateReason::kBegin, 0};
    if (has_process) return {JobState::kRunning, JobStateReason::kProcesses, 0};
    return has_device ? JobCondition{JobState::kRunning, JobStateReason::kDevices, 0}
                      : JobCondition{};
  }
  const bool is_planned = signs.planned_steps.has_value() && signs.last_step.has_value();
  const bool is_done = is_planned && *signs.last_step + 1 >= *signs.planned_steps;
  const int64_t quiet_ms = signs.now_ms - *signs.last_step_end_ms;
  if (quiet_ms <= OverdueMs(signs.usual_step_seconds)) {
    const auto next_ms =
        kNextStepMs + std::llround(kNextStepFactor * 1000 * signs.usual_step_seconds);
    if (!is_done || quiet_ms <= next_ms) return {JobState::kRunning, JobStateReason::kSteps, 0};
  }
  const int64_t since_ms = *signs.last_step_end_ms;
  if (is_done) return {JobState::kEnded, JobStateReason::kPlan, since_ms};
  if (is_recent(signs.begin_ms)) return {JobState::kRunning, JobStateReason::kBegin, 0};
  if (has_process) return {JobState::kStalled, JobStateReason::kProcesses, since_ms};
  if (has_device) return {JobState::kStalled, JobStateReason::kDevices, since_ms};
  const bool is_crash = is_planned || signs.alive_ms.has_value();
  return {is_crash ? JobState::kCrashed : JobState::kEnded, JobStateReason::kSilence, since_ms};
}

}  // namespace lockstep::training
