// Which ranks hold a job back, since when, why, and what that costs.
//
// AnswerStragglers() does everything: it takes a running job from LiveJobs or loads the job, finds
// its stragglers and completes the answer. FindStragglers() and StragglersOf() are the last two
// parts, for callers that have loaded the job already, such as the report.
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
  // `job` sets neither a time nor an attempt. Without a `method`, a running job is then answered
  // from LiveJobs, as derived metrics are, so that both say the same.
  bool is_about_now = false;
  // Empty: the strongest method that the data support, in StragglerMethod's order.
  std::optional<training::StragglerMethod> method = {};
  Prices prices = {};
};

// What one method finds. Shown beside the answer, so that people see whether other methods agree.
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
  double lost_cost = training::kUnknown;  // of the GPU time lost to all slow ranks
  std::string currency = {};              // of the cost; "" if unspecified
  // One for the method of `answer`, and one for each other method with data. Of a very large job,
  // only the cheap other methods are asked.
  std::vector<MethodFinding> methods = {};
  std::vector<training::PresetAnswer> presets = {};  // common rules of thumb, for comparison
};

// The method with this Name(); empty if there is none.
std::optional<training::StragglerMethod> StragglerMethodOf(std::string_view name);

// What StragglersOf() needs of a job.
JobNeeds StragglerNeeds();

// training::FindStragglers() for a loaded job, with `method` or the strongest one that the data
// support. For a running job, episodes at the frontier stay open. `pool` may be null. `memo` saves
// work if it is from earlier calls for the same, growing job; it may be null.
training::StragglerAnswer FindStragglers(const LoadedJob& job,
                                         std::optional<training::StragglerMethod> method,
                                         TaskPool* pool, training::StragglerMemo* memo = nullptr);

// Adds costs, other methods and presets to `answer`, which is from FindStragglers() for `job`,
// loaded with at least StragglerNeeds().
JobStragglers StragglersOf(const LoadedJob& job, training::StragglerAnswer answer,
                           const Prices& prices, TaskPool& pool);

absl::StatusOr<JobStragglers> AnswerStragglers(const StragglerQuestion& question,
                                               const QuestionContext& context);

}  // namespace lockstep::answers
