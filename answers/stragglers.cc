#include "answers/stragglers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "answers/live_jobs.h"
#include "base/status.h"
#include "storage/storage.h"
#include "training/stragglers/open_episodes.h"

namespace lockstep::answers {
namespace {

using training::StragglerAnswer;
using training::StragglerMethod;

constexpr std::array kStragglerMethods = {
    StragglerMethod::kCollectiveWaits, StragglerMethod::kPhaseTimes, StragglerMethod::kOwnTime,
    StragglerMethod::kDeviceCounters, StragglerMethod::kStepTime};

constexpr double kSecondsPerHour = 3600;
// With more cells, running several methods that look at single steps would double the time of a
// response.
constexpr size_t kMostCellsOfAllMethods = 1'000'000;

bool IsAskedBeside(StragglerMethod method, const LoadedJob& job) {
  const bool is_cheap =
      method == StragglerMethod::kDeviceCounters || method == StragglerMethod::kStepTime;
  return is_cheap || job.job.ranks.size() * job.steps.size() <= kMostCellsOfAllMethods;
}

MethodFinding FindingOf(const StragglerAnswer& answer) {
  MethodFinding finding{answer.method, answer.verdict, {}};
  for (const training::SlowRankFinding& slow : answer.ranks) finding.rows.push_back(slow.row);
  return finding;
}

// The result of each method. `answer` is from one of them.
std::vector<MethodFinding> FindingsByMethod(const LoadedJob& job, const StragglerAnswer& answer,
                                            TaskPool& pool) {
  std::vector<MethodFinding> findings;
  for (const StragglerMethod method : kStragglerMethods) {
    if (method == answer.method) {
      findings.push_back(FindingOf(answer));
      continue;
    }
    if (!IsAskedBeside(method, job)) continue;
    const StragglerAnswer other = FindStragglers(job, method, &pool);
    if (other.verdict != training::StragglerVerdict::kNoData) findings.push_back(FindingOf(other));
  }
  return findings;
}

// Answers for a running job from its live state, as PromQL would. Empty for any other question.
absl::StatusOr<std::optional<JobStragglers>> LiveStragglers(const StragglerQuestion& question,
                                                            const QuestionContext& context) {
  std::optional<JobStragglers> live;
  if (!question.is_about_now || question.method.has_value() || context.live_jobs == nullptr) {
    return live;
  }
  const uint64_t change_count = context.storage.change_count();
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  const auto visit = [&](const LoadedJob& job, const StragglerAnswer& answer) {
    if (job.is_running) live = StragglersOf(job, answer, question.prices, context.pool);
  };
  LOCKSTEP_RETURN_IF_ERROR(context.live_jobs
                               ->Find(question.job.name, context.now_ms, change_count,
                                      {*querier, context.pool, context.budget}, visit)
                               .status());
  return live;
}

}  // namespace

std::optional<StragglerMethod> StragglerMethodOf(std::string_view name) {
  for (const StragglerMethod method : kStragglerMethods) {
    if (Name(method) == name) return method;
  }
  return std::nullopt;
}

JobNeeds StragglerNeeds() {
  // The amount of work in a step explains its duration.
  JobNeeds needs{.phases = true, .operations = true};
  needs.devices.set();
  needs.links = true;
  return needs;
}

StragglerAnswer FindStragglers(const LoadedJob& job, std::optional<StragglerMethod> method,
                               TaskPool* pool, training::StragglerMemo* memo) {
  const training::StragglerInput input{job.job, job.steps, job.devices, pool, job.links, memo};
  StragglerAnswer answer = method.has_value() ? training::FindStragglersBy(*method, input)
                                              : training::FindStragglers(input);
  if (job.is_running) training::KeepEpisodesOpen(job.steps, answer);
  return answer;
}

JobStragglers StragglersOf(const LoadedJob& job, StragglerAnswer answer, const Prices& prices,
                           TaskPool& pool) {
  JobStragglers found{.subject = SubjectOf(job),
                      .is_running = job.is_running,
                      .not_reporting = job.not_reporting,
                      .currency = prices.currency};
  if (job.steps.size() > 0) found.frontier_step = job.steps.step.back();
  const double price = PricePerGpuHour(job, prices).value_or(training::kUnknown);
  found.lost_cost = answer.lost_gpu_seconds / kSecondsPerHour * price;
  found.methods = FindingsByMethod(job, answer, pool);
  found.presets = training::AskPresets(job.job, job.steps, job.devices, job.time);
  found.answer = std::move(answer);
  return found;
}

absl::StatusOr<JobStragglers> AnswerStragglers(const StragglerQuestion& question,
                                               const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::optional<JobStragglers> live, LiveStragglers(question, context));
  if (live.has_value()) return *std::move(live);
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(question.job, StragglerNeeds(), context));
  return StragglersOf(job, FindStragglers(job, question.method, &context.pool), question.prices,
                      context.pool);
}

}  // namespace lockstep::answers
