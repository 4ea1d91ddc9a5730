#include "answers/steps.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "answers/load/job_loader.h"
#include "base/status.h"
#include "storage/storage.h"
#include "training/heat_map.h"
#include "training/job/steps.h"

namespace lockstep::answers {
namespace {

// The indices of evenly spread columns, always including the last one.
std::vector<size_t> ColumnsToShow(size_t count, size_t points) {
  std::vector<size_t> columns;
  const size_t shown = std::min(count, points);
  for (size_t i = 1; i <= shown; ++i) columns.push_back(i * count / shown - 1);
  return columns;
}

AttemptSteps StepsOf(const LoadedJob& job, size_t points) {
  const training::StepTable& table = job.steps;
  const training::Pacing pacing = training::PacingOf(table);
  AttemptSteps steps{.attempt = job.attempt,
                     .median_seconds = pacing.median_seconds,
                     .spread_seconds = pacing.spread_seconds};
  if (table.size() > 0) {
    steps.first_step = table.step.front();
    steps.last_step = table.step.back();
  }
  const auto at = [](const std::vector<double>& values, size_t n) {
    return n < values.size() ? values[n] : training::kUnknown;
  };
  for (const size_t n : ColumnsToShow(table.size(), points)) {
    steps.step.push_back(table.step[n]);
    steps.end_ms.push_back(table.end_ms[n]);
    steps.step_seconds.push_back(at(pacing.step_seconds, n));
    steps.behind_seconds.push_back(at(pacing.behind_seconds, n));
  }
  return steps;
}

// Which steps of a table to show.
struct StepRange {
  int64_t first_step;
  int64_t last_step;
  int64_t stride;
};

// Precondition: the table has steps.
absl::StatusOr<StepRange> RangeOf(const StepEndsQuestion& question,
                                  const training::StepTable& table) {
  const int64_t first = question.first_step.value_or(table.step.front());
  const int64_t last = question.last_step.value_or(table.step.back());
  if (last < first) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the last step, %d, is before the first, %d", last, first));
  }
  const int64_t stride = question.stride.value_or((last - first) / question.most_points + 1);
  if (stride < 1 || (last - first) / stride >= question.most_points) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "every step number %d of steps %d to %d: the number must be positive and result in at "
        "most %d points",
        stride, first, last, question.most_points));
  }
  return StepRange{first, last, stride};
}

StepEnds EndsIn(const StepRange& range, const training::StepTable& table) {
  StepEnds ends;
  int64_t next_step = range.first_step;
  size_t first = 0;  // of the point
  for (size_t n = 0; n < table.size() && next_step <= range.last_step; ++n) {
    if (ends.step.empty()) first = n;
    if (table.step[n] < next_step) continue;
    if (table.step[n] > range.last_step) break;
    ends.step.push_back(table.step[n]);
    ends.begin_ms.push_back(training::StepBeginMs(table, first));
    ends.end_ms.push_back(table.end_ms[n]);
    first = n + 1;
    const int64_t passed = (table.step[n] - range.first_step) / range.stride;
    next_step = range.first_step + (passed + 1) * range.stride;
  }
  return ends;
}

}  // namespace

absl::StatusOr<JobSteps> AnswerSteps(const StepsQuestion& question,
                                     const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<LoadedJob> attempts,
                            LoadAttempts(question.job, {.beyond_frontier = true}, context));
  JobSteps found{
      attempts.back().job.name, {attempts.front().time.min_ms, attempts.back().time.max_ms}, {}};
  for (const LoadedJob& job : attempts) found.attempts.push_back(StepsOf(job, question.points));
  return found;
}

absl::StatusOr<StepEnds> AnswerStepEnds(const StepEndsQuestion& question,
                                        const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  JobQuery query = QueryOf(question.job, {}, context.now_ms);
  query.now_ms.reset();  // the same points whether the job runs or has ended
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job,
                            LoadJob(query, {*querier, context.pool, context.budget}));
  if (job.steps.size() == 0) {
    return absl::NotFoundError(
        absl::StrFormat("no steps are stored for job \"%s\"", question.job.name));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const StepRange range, RangeOf(question, job.steps));
  return EndsIn(range, job.steps);
}

}  // namespace lockstep::answers
