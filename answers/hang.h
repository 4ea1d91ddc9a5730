// Why a job hangs: what its ranks' dumps say, and since when it stands still.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/question.h"
#include "hang/find/hang_answer.h"
#include "hang/record/rank_record.h"
#include "training/job/discovery.h"

namespace lockstep::answers {

// How far the ranks came, by the steps that they reported.
struct ReportedSteps {
  std::vector<int64_t> first_to_stop;  // ranks with the lowest last step, if others came further
  int64_t lowest_step = 0;
  int64_t highest_step = 0;
};

struct JobHang {
  std::string job;
  // Of the job's series; unknown if it has none.
  training::JobCondition condition = {};
  std::optional<int64_t> newest_step_ms = {};
  std::optional<ReportedSteps> steps = {};
  hang::HangAnswer answer = {};
  // The answer, and since when the job stands still.
  std::string sentence;
};

// `records` are what the job's ranks sent, at most one for each. kNotFound if there are neither
// records nor series of the job. With
// records, series that do not fit into the budget are left out with a remark.
absl::StatusOr<JobHang> AnswerHang(const JobQuestion& question,
                                   const std::vector<hang::RankRecord>& records,
                                   const QuestionContext& context);

// The whole answer as text.
std::string HangText(const JobHang& found);

}  // namespace lockstep::answers
