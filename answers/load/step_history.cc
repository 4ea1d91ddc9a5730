#include "answers/load/step_history.h"

#include <algorithm>

namespace lockstep::answers {
namespace {

bool BeginsAttempt(const StepMark& before, const StepMark& mark) {
  if (mark.step < before.step) return true;
  return before.attempt.has_value() && mark.attempt.has_value() && *mark.attempt > *before.attempt;
}

}  // namespace

void NumberingRank::Learn(int64_t rank, std::optional<int64_t> attempt) {
  const int64_t said = attempt.value_or(-1);
  if (rank_.has_value() && (said < attempt_ || (said == attempt_ && rank >= *rank_))) return;
  rank_ = rank;
  attempt_ = said;
}

std::vector<AttemptSpan> AttemptsOf(std::vector<StepMark> marks) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const StepMark& a, const StepMark& b) { return a.time_ms < b.time_ms; });
  std::vector<AttemptSpan> attempts;
  for (size_t i = 0; i < marks.size(); ++i) {
    const StepMark& mark = marks[i];
    if (i == 0 || BeginsAttempt(marks[i - 1], mark)) {
      attempts.push_back({{mark.time_ms, mark.time_ms}, mark.step, mark.step, mark.attempt});
    }
    attempts.back().time.max_ms = mark.time_ms;
    attempts.back().last_step = mark.step;
  }
  return attempts;
}

}  // namespace lockstep::answers
