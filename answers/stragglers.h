// Which ranks hold a job back, since when, why, and what that costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/prices.h"
#include "answers/question.h"
#include "base/threads/task_pool.h"
#include "training/presets.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::answers {

struct StragglerQuestion {
  JobQuestion job;
  // Neither a time nor an attempt was asked for. A running job is then answered from its live
  // state, as in PromQL.
  bool is_about_now = false;
  // Empty: the strongest method that the data support.
  std::optional<training::StragglerMethod> method = {};
  Prices prices = {};
};

// What one method finds.
struct MethodFinding {
  training::StragglerMethod method = training::StragglerMethod::kStepTime;
  training::StragglerVerdict verdict = training::StragglerVerdict::kNoData;
  std::vector<size_t> rows = {};  // of the slow ranks
};

struct JobStragglers {
  Subject subject;
  training::StragglerAnswer answer = {};
  bool is_running = false;
  std::optional<int64_t> frontier_step = {};  // empty if no steps are stored
  std::vector<training::NotReportingRank> not_reporting = {};
  double lost_cost = training::kUnknown;    // of the GPU time lost to all slow ranks
  std::string currency = {};                // of the cost; "" if unspecified
  std::vector<MethodFinding> methods = {};  // by `answer`'s method and the others with data
  std::vector<training::PresetAnswer> presets = {};
};

// Empty for any other name.
std::optional<training::StragglerMethod> StragglerMethodOf(std::string_view name);

JobNeeds StragglerNeeds();

// Uses `method`, or the strongest one that the data support. For a running job, episodes at the
// frontier stay open. `pool` may be null. `memo` is from earlier calls for the same job and may be
// null.
training::StragglerAnswer FindStragglers(const LoadedJob& job,
                                         std::optional<training::StragglerMethod> method,
                                         TaskPool* pool, training::StragglerMemo* memo = nullptr);

// Completes `answer`, which is from FindStragglers() for `job`, loaded with StragglerNeeds().
JobStragglers StragglersOf(const LoadedJob& job, training::StragglerAnswer answer,
                           const Prices& prices, TaskPool& pool);

absl::StatusOr<JobStragglers> AnswerStragglers(const StragglerQuestion& question,
                                               const QuestionContext& context);

}  // namespace lockstep::answers
