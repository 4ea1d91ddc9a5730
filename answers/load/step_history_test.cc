#include "answers/load/step_history.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::answers {
namespace {

// "first-last@from..to" for each attempt.
void Check(const std::vector<StepMark>& marks, const std::string& expected) {
  std::string attempts;
  for (const AttemptSpan& span : AttemptsOf(marks)) {
    attempts += absl::StrFormat("%d-%d@%d..%d ", span.first_step, span.last_step, span.time.min_ms,
                                span.time.max_ms);
  }
  EXPECT_EQ(attempts, expected);
}

TEST(StepHistory, AStepThatGoesBackBeginsAnAttempt) {
  Check({}, "");
  Check({{10, 0}, {20, 1}, {30, 2}}, "0-2@10..30 ");
  Check({{10, 0}, {20, 9}, {90, 5}, {100, 6}}, "0-9@10..20 5-6@90..100 ");
  // In any time order, with each step reported twice.
  Check({{20, 1}, {10, 0}, {20, 1}, {10, 0}}, "0-1@10..20 ");
}

TEST(StepHistory, AnAttemptThatIsSaidNeedNotGoBack) {
  Check({{10, 0, 0}, {20, 1, 0}, {90, 2, 1}}, "0-1@10..20 2-2@90..90 ");
  // One source reports it, another does not.
  Check({{10, 0, 0}, {10, 0}, {20, 1, 0}, {20, 1}}, "0-1@10..20 ");
}

}  // namespace
}  // namespace lockstep::answers
